package conductor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/outside"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
	"orchestrator/internal/system/tracing"
)

// Agents lets tools act in a role of the project.
type Agents interface {
	// Admit lets an agent into the project until a moment at the latest: by a token of a role, which Dismiss revokes.
	// Where a requirement is named, the token changes nothing else. All tokens of a run claim as one.
	Admit(ctx context.Context, name, role, requirement, run string, until time.Time) (Access, error)
}

// Access gives an agent access to the service.
type Access struct {
	URL     string // without a slash at its end
	Token   string // its text, which is on no record
	ID      string // tells the token from others in the log, and proves nothing
	Dismiss func() error
}

// tokenGrace bounds how long a token outlives the time-out of its run; it is revoked when the run ends.
const tokenGrace = time.Minute

// admit lets an agent in for one run, and writes its prompt.
func (r *run) admit(ctx context.Context, c planning.Contract, asked outside.Call,
	limit time.Duration) (Access, string, error) {
	requirement := ""
	if changesRequirement(asked.Obligation) {
		requirement, _ = asked.Obligation.Payload["id"].(string)
	}
	access, err := r.Agents.Admit(ctx, c.Name, c.Role, requirement, r.request.ID, r.Clock().Add(limit+tokenGrace))
	if err != nil {
		return Access{}, "", err
	}
	prompt, err := r.Project.Prompt(ctx, builtin.Briefing{Role: c.Role, Agent: c.Name, URL: access.URL,
		Obligation: asked.Obligation, Branch: asked.Tree.Branch})
	if err != nil {
		return Access{}, "", errors.Join(err, access.Dismiss())
	}
	what := fmt.Sprintf("%s as %s by the token %s, with the prompt sha256:%s", c.Name, c.Role, access.ID,
		ledger.Digest([]byte(prompt)))
	r.enqueue(func(w *state.Writer) error {
		return w.Event(state.Event{ID: strings.TrimPrefix(asked.Run, r.request.ID+"/") + "/agent",
			Kind: "agent.admitted", What: what})
	})
	return access, prompt, nil
}

// act runs an agent, which is in the project for as long as it runs.
func (r *run) act(ctx context.Context, c planning.Contract, asked outside.Call,
	limit time.Duration) (result map[string]any, err error) {
	if id, _ := asked.Obligation.Payload["id"].(string); r.Tree != nil && changesRequirement(asked.Obligation) {
		asked.Tree, asked.Agent = r.Tree(ctx, id, c.Name, c.Role), c.Name
	}
	access, prompt, err := r.admit(ctx, c, asked, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, access.Dismiss()) }()
	asked.Prompt = prompt
	switch c.Implementation.Means {
	case planning.HTTP:
		asked.Orchestrator = &outside.Endpoint{URL: access.URL, Token: access.Token}
	case planning.MCP:
		asked.Inputs = maps.Clone(asked.Inputs)
		asked.Inputs["prompt"] = prompt
	}
	raw, err := outside.Run(ctx, r.Root, c.Implementation, limit, asked,
		append(tracing.Environment(ctx), planning.EnvURL+"="+access.URL, planning.EnvToken+"="+access.Token))
	if asked.Tree.Settle != nil {
		asked.Tree.Settle(context.WithoutCancel(ctx))
	}
	r.reported = usage.Read(raw, c.Implementation.Usage)
	if err != nil {
		return nil, err
	}
	mask := func(text string) string {
		return secret.Mask(strings.ReplaceAll(text, access.Token, "<"+planning.EnvToken+">"))
	}
	if c.Implementation.Stdin == planning.StdinPrompt {
		return outside.Text(raw, mask), nil
	}
	return outside.Result(raw, mask)
}
