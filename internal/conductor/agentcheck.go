package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// IsAgent reports whether a caller is an agent, rather than somebody who has agents run.
func (c *Conductor) IsAgent(caller Caller) bool {
	t, is := c.Tools.Tool(caller.Name)
	return is && t.Contract().Role != "" && t.Contract().Role == caller.Role
}

// changesRequirement reports whether an obligation is to change a requirement.
func changesRequirement(o planning.Obligation) bool {
	return o.Type == planning.Achieve && strings.HasPrefix(o.Kind(), "requirement.")
}

// checkAgent checks that an agent may run, and that the project is waiting for what it is to do.
func (r *run) checkAgent(ctx context.Context, o planning.Obligation, c *planning.Contract) (admission, error) {
	switch {
	case r.Agents == nil || r.Project == nil:
		return refused("no project is served that agents could work on"), nil
	case r.resumed:
		return refused("the service was restarted, and agents are not started without a caller: send the request again"), nil
	case !changesRequirement(o):
		return allowed, nil
	}
	due, others, err := r.workFor(ctx, o)
	switch {
	case isNotFound(err):
		return refused(errorText(err)), nil
	case err != nil:
		return admission{}, err
	case due == nil:
		return refused("the requirement is not waiting for this" + others), nil
	case due.Role != c.Role:
		return refused("it acts as " + c.Role + ", but this is work of the role " + due.Role), nil
	}
	return allowed, nil
}

func isNotFound(err error) bool { return errors.Is(err, fault.NotFound) }

// workFor returns the work that a requirement waits for and that the obligation would do; nil if there is none, and
// then what it waits for instead.
func (r *run) workFor(ctx context.Context, o planning.Obligation) (due *builtin.Work, others string, err error) {
	id, _ := o.Payload["id"].(string)
	all, err := r.Project.Work(ctx, id)
	if err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(all, func(d builtin.Work) bool { return d.Matches(o) })
	if i >= 0 {
		return &all[i], "", nil
	}
	for _, d := range all {
		others += ", but for " + d.Obligation.String() + " by the " + d.Role
	}
	return nil, others, nil
}

// projectVerdict looks in the project whether an agent has done its work. What the agent itself says does not count.
func (r *run) projectVerdict(ctx context.Context, o planning.Obligation) (contract.Verdict, error) {
	verdict := contract.Verdict{Condition: fmt.Sprintf("%s of %v is done in the project", o, o.Payload["id"])}
	due, _, err := r.workFor(ctx, o)
	switch {
	case err != nil:
		return verdict, err
	case due == nil:
		verdict.Holds = true
	case len(due.Needs) == 0:
		verdict.Why = "its status has not changed"
	default:
		verdict.Why = "it still needs " + strings.Join(due.Needs, "; ")
	}
	return verdict, nil
}
