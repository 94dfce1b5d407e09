package onrecord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// justifier answers JUSTIFY.
type justifier struct {
	project  builtin.Project
	registry *contract.Registry
}

// reasons is what it answers.
type reasons struct {
	About   string   `json:"about"`
	What    string   `json:"what"` // run, obligation or requirement
	Status  string   `json:"status"`
	Reasons []string `json:"reasons"` // in words; the first says where it stands

	Obligations []obligation `json:"obligations,omitempty"` // of a run, and their steps
	Missing     []any        `json:"missing,omitempty"`     // of a requirement: what keeps it from being done
	Refusals    []any        `json:"refusals,omitempty"`    // of changes of a requirement, newest first
	Asked       []question   `json:"questions,omitempty"`   // that wait for an answer
	Words       []string     `json:"words,omitempty"`       // tools: some of it is what these said, and nothing has confirmed
}

// obligation says what became of an obligation, and why.
type obligation struct {
	ID           string              `json:"id"`
	Obligation   string              `json:"obligation"`
	Status       planning.Status     `json:"status"`
	Outcome      planning.Outcome    `json:"outcome,omitempty"`
	Why          string              `json:"why,omitempty"`
	Attempts     []attempt           `json:"attempts,omitempty"`
	Refusal      *fault.Error        `json:"refusal,omitempty"` // of the change that a tool proposed
	Verification *trace.Verification `json:"verification,omitempty"`
	Withheld     bool                `json:"withheld,omitempty"` // there was an answer, which nothing confirmed
}

// attempt is a tool that was considered.
type attempt struct {
	Tool string `json:"tool"`
	Ran  bool   `json:"ran"`
	Why  string `json:"why"`
}

// question is a question that waits.
type question struct {
	ID       string `json:"id"`
	Question string `json:"question"`
}

// CodeUnknown is the code of what nothing is on record about.
const CodeUnknown fault.Code = "unknown_subject"

func (j justifier) run(ctx context.Context, c builtin.Call) (map[string]any, []builtin.Effect, error) {
	about, _ := c.Inputs["about"].(string)
	r := reasons{About: about}
	run, of, _ := strings.Cut(about, "/")
	known := false
	err := c.View(ctx, func(v state.View) (err error) {
		known, err = r.ofRun(v, run, of, j.registry.Outside)
		return err
	})
	if err == nil && !known {
		err = j.ofRequirement(ctx, &r)
	}
	if err != nil {
		return nil, nil, state.WithFields(err)
	}
	result, err := state.Plain[map[string]any](r)
	return result, nil, err
}

// unknown is the error of what is neither a run nor a requirement.
func unknown(about string) error {
	return fault.New(fault.NotFound, CodeUnknown, "nothing is on record about %q", fault.Clip(about, 80)).
		WithFix("give the id of a run, of an obligation of it (RUN/o2), or of a requirement")
}

// ofRun says why a run, or an obligation of it, came to what it came to. It reports false if there is no such run.
func (r *reasons) ofRun(v state.View, run, of string, outside func(tool string) bool) (known bool, err error) {
	request, known, err := v.Request(run)
	if err != nil || !known {
		return false, err
	}
	t, err := trace.In(v, run)
	if err != nil {
		return true, err
	}
	asked, err := v.Questions(run)
	if err != nil {
		return true, err
	}
	r.What, r.Status = "run", string(t.Status)
	if t.ID == "" || !request.Ended {
		r.Status = "under_way"
	}
	for one := range t.Each() {
		if of != "" && one.ID != of && !strings.HasPrefix(one.ID, of+".") {
			continue
		}
		if of == one.ID {
			r.What, r.Status = "obligation", string(one.Status)
		}
		r.Obligations = append(r.Obligations, obligationOn(one))
		r.Words = append(r.Words, t.Said(one, outside)...)
		for _, q := range asked {
			if q.Obligation == one.ID && q.Status == state.QuestionWaits {
				r.Asked = append(r.Asked, question{q.ID, q.Question})
			}
		}
	}
	if of != "" && r.What != "obligation" {
		return true, unknown(r.About)
	}
	slices.Sort(r.Words)
	r.Words = slices.Compact(r.Words)
	r.tell(t)
	return true, nil
}

// obligationOn returns what is on record of an obligation.
func obligationOn(t *trace.Obligation) obligation {
	o := obligation{ID: t.ID, Obligation: t.Obligation.String(), Status: t.Status, Outcome: t.Outcome, Why: t.Why,
		Refusal: t.Refusal, Verification: t.Verified}
	for _, c := range t.Candidates {
		o.Attempts = append(o.Attempts, attempt{c.Tool, c.Taken, c.Reason})
	}
	o.Withheld = t.Verified != nil && !t.Verified.Verified && t.Verified.By != trace.ByNothing
	return o
}

// tell says in words what is on record of a run.
func (r *reasons) tell(t trace.Trace) {
	if t.ID == "" {
		r.Reasons = []string{"it has not ended, and nothing but its request is on record"}
		return
	}
	r.Reasons = []string{fmt.Sprintf("the run of %s (%s) is %s", t.Caller.Name, t.Caller.Role,
		strings.ReplaceAll(r.Status, "_", " "))}
	if r.What == "obligation" {
		r.Reasons = nil
	}
	for _, o := range r.Obligations {
		text := fmt.Sprintf("%s %s is %s", o.ID, o.Obligation, o.Status)
		if o.Why != "" {
			text += ": " + o.Why
		}
		r.Reasons = append(r.Reasons, text)
		if o.Withheld {
			r.Reasons = append(r.Reasons, o.ID+": its answer is withheld: "+o.Verification.Why)
		}
		if o.Refusal != nil {
			r.Reasons = append(r.Reasons,
				fmt.Sprintf("%s: refused with %s: %s", o.ID, o.Refusal.Code, o.Refusal.Detail))
		}
		for _, a := range o.Attempts {
			if o.Status != planning.Resolved || a.Ran {
				r.Reasons = append(r.Reasons, fmt.Sprintf("%s: %s: %s", o.ID, a.Tool, a.Why))
			}
		}
	}
	for _, q := range r.Asked {
		r.Reasons = append(r.Reasons, q.ID+" waits for an answer: "+q.Question)
	}
}

// shownRefusals bounds the refusals of a requirement that are told.
const shownRefusals = 5

// ofRequirement says why a requirement is where it is.
func (j justifier) ofRequirement(ctx context.Context, r *reasons) error {
	if j.project == nil {
		return unknown(r.About)
	}
	now, err := j.project.Requirement(ctx, r.About)
	switch {
	case errors.Is(err, fault.NotFound):
		return unknown(r.About)
	case err != nil:
		return err
	}
	r.What, r.Status = "requirement", string(now.Status)
	where := fmt.Sprintf("%s is %s", now.ID, now.Status)
	if now.Why != "" {
		where += ": " + now.Why
	}
	r.Reasons = append(r.Reasons, where)
	missing, err := j.project.Missing(ctx, now.ID)
	if err != nil {
		return err
	}
	for _, l := range missing.Lacks {
		r.Missing = append(r.Missing, map[string]any{"what": l.What, "by": string(l.By), "with": l.With})
		r.Reasons = append(r.Reasons, fmt.Sprintf("%s is missing, by the %s", l.What, l.By))
	}
	refused, err := j.project.Refusals(ctx, builtin.Refusals{ID: now.ID, Limit: shownRefusals})
	if err != nil {
		return err
	}
	for _, one := range refused.Refusals {
		r.Refusals = append(r.Refusals, map[string]any{"at": one.At, "by": one.By, "role": one.Role, "code": one.Code,
			"detail": one.Detail, "record": one.Record})
		r.Reasons = append(r.Reasons,
			fmt.Sprintf("%s (%s) was refused with %s: %s", one.By, one.Role, one.Code, one.Detail))
	}
	return nil
}
