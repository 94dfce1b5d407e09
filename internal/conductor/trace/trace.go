// Package trace is what is on record of a run of the conductor: its obligations, and what became of each.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/budget"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/provenance"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// Trace records all that a run did, as schemas/trace.schema.json has it. The same request, tools and store give the
// same bytes, but for the durations.
type Trace struct {
	ID          string           `json:"id"`
	Status      planning.Outcome `json:"status"`
	Outcome     planning.Outcome `json:"outcome,omitempty"` // Status, by the name that it has everywhere else
	Caller      audit.Actor      `json:"caller"`
	Tools       string           `json:"tools"` // digest of all contracts: sha256:<hexadecimal>
	Obligations []Obligation     `json:"obligations"`
	Answers     []Answer         `json:"answers"`
	Missing     []string         `json:"missing_capabilities,omitempty"` // obligations that no tool is there for

	encoded jsontext.Value // as Write has stored it; nil before
}

// Each visits the obligations of a trace in their order, each before its steps.
func (t *Trace) Each() iter.Seq[*Obligation] {
	return func(yield func(*Obligation) bool) { visit(t.Obligations, yield) }
}

func visit(list []Obligation, yield func(*Obligation) bool) bool {
	for i := range list {
		if !yield(&list[i]) || !visit(list[i].Steps, yield) {
			return false
		}
	}
	return true
}

// Unresolved returns the error of a run that did not resolve all it was asked for, or nil.
func (t Trace) Unresolved() error {
	if t.Status.Resolved() {
		return nil
	}
	err := fault.New(fault.Conflict, "not_resolved", "the run %s ended as %s", t.ID, t.Status)
	remedy := ""
	acts := false // something was to be changed, or kept
	for one := range t.Each() {
		acts = acts || !one.Status.Resolved() && one.Obligation.Type.Changes()
		if len(one.Asks()) > 0 {
			return err.WithFix("answer what it asks: orchestrator answer %s lists it", t.ID)
		}
		remedy = cmp.Or(remedy, one.Remedy())
	}
	switch {
	case remedy != "":
		return err.WithFix("%s", remedy)
	case t.Status == planning.OutClarify:
		return err.WithFix("say or send the whole again, with what it lacks")
	case t.Caller.Role == string(lifecycle.Viewer) && acts:
		return err.WithFix("use a token of another role, as --token-file .orchestrator/tokens/coder.token does: " +
			"viewers change nothing, and keep nothing")
	case t.Caller.Role == string(lifecycle.Viewer):
		return err.WithFix("the answer lists every attempt, and why it failed: --json shows it")
	}
	return err.WithFix("orchestrator conduct --trace %s lists every attempt, and why it failed", t.ID)
}

// Remedy returns what can be done about an obligation that was not met, as the last tool that failed says it; "" if none
// does.
func (t *Obligation) Remedy() string {
	if t.Status.Resolved() || t.Outcome == planning.OutClarify {
		return ""
	}
	if t.Refusal != nil && t.Refusal.Fix != "" {
		return t.Refusal.Fix
	}
	for _, run := range slices.Backward(t.Runs) {
		if run.Error != nil && run.Error.Fix != "" {
			return run.Error.Fix
		}
	}
	return ""
}

// Obligation records what became of one obligation.
type Obligation struct {
	ID         string              `json:"id"`
	Obligation planning.Obligation `json:"obligation"`
	Status     planning.Status     `json:"status"`
	Outcome    planning.Outcome    `json:"outcome"`
	Why        string              `json:"why,omitempty"`
	Refusal    *fault.Error        `json:"refusal,omitempty"` // of the change that a tool proposed last, unless another tool made one
	Candidates []Candidate         `json:"candidates"`
	Runs       []Run               `json:"runs"`
	Verified   *Verification       `json:"verification,omitempty"`
	Emitted    []Emitted           `json:"emitted"` // obligations that this one gave rise to

	Takes []Taken      `json:"takes,omitempty"` // the values that it took from others
	Steps []Obligation `json:"steps,omitempty"` // of the plans that were to bring it about

	Given []questions.Given `json:"given,omitempty"` // answers to its questions, or its plan's

	answered map[string]any       // the result that resolved it
	RanAt    time.Time            `json:"-"` // when it was found
	Asked    *planning.Obligation `json:"-"` // as it was asked for, while Obligation has the values that it takes
	Answer   *Answer              `json:"-"` // once it has been evaluated a second time
	Settled  bool                 `json:"-"` // it ended before the run went on with an answer
	Failed   []Candidate          `json:"-"` // the tools that were run before an answer, and failed

	MostSteps int `json:"-"` // of the plans that may bring it about, all together
}

// Taken is a value that an obligation took from the result of another one.
type Taken struct {
	To         string `json:"to"`         // JSON Pointer into the payload
	From       string `json:"from"`       // the reference: o1.value
	Obligation string `json:"obligation"` // the id of the one that it was taken from
}

// Sources returns the ids of the obligations whose results this one took, each once.
func (t *Obligation) Sources() (ids []string) {
	for _, taken := range t.Takes {
		if !slices.Contains(ids, taken.Obligation) {
			ids = append(ids, taken.Obligation)
		}
	}
	return ids
}

// New begins the trace of an obligation.
func New(id string, o planning.Obligation) Obligation {
	return Obligation{ID: id, Obligation: o, Status: planning.Active, Candidates: []Candidate{}, Runs: []Run{},
		Emitted: []Emitted{}}
}

// StepID returns the id of the next step of its plans. The steps of o1 are o1.1, o1.2 and so on, whatever was asked
// before.
func (t *Obligation) StepID() string { return fmt.Sprintf("%s.%d", t.ID, len(t.Steps)+1) }

// nextID returns the id of the next obligation, other than a step, that this one gives rise to. It comes after those of
// all steps that there may be.
func (t *Obligation) nextID() string {
	return fmt.Sprintf("%s.%d", t.ID, max(t.MostSteps, len(t.Steps))+len(t.Emitted)+1)
}

// Candidate is a tool whose contract satisfies the obligation.
type Candidate struct {
	Tool   string `json:"tool"`
	Taken  bool   `json:"taken"`
	Reason string `json:"reason"` // why it was taken, or passed over
}

// Considered adds what became of a candidate.
func (t *Obligation) Considered(tool string, taken bool, reason string) {
	t.Candidates = append(t.Candidates, Candidate{tool, taken, reason})
}

// Run is one run of a tool.
type Run struct {
	ID             string             `json:"id"`
	Tool           string             `json:"tool"`
	Inputs         map[string]any     `json:"inputs"`
	Result         map[string]any     `json:"result,omitempty"`
	Status         string             `json:"status"` // done, failed, or refused by a postcondition
	Error          *state.Failure     `json:"error,omitempty"`
	DurationMS     float64            `json:"duration_ms"`
	Postconditions []contract.Verdict `json:"postconditions"`
	Usage          *usage.Usage       `json:"usage,omitempty"` // that an agent reported
	Agent          bool               `json:"-"`               // it acted in a role
}

// Verification is the outcome of the second evaluation of an answer.
type Verification struct {
	By       string              `json:"by"`             // again, facts, or nothing
	With     []string            `json:"with,omitempty"` // again: the built-in tool; facts: the ids of the sources
	Verified bool                `json:"verified"`
	Why      string              `json:"why,omitempty"`
	Sources  []provenance.Source `json:"sources,omitempty"` // that confirm the answer, or stand against it
}

// Emitted is an obligation that another one gave rise to.
type Emitted struct {
	ID         string              `json:"id"`
	Obligation planning.Obligation `json:"obligation"`
	Status     planning.Status     `json:"status"`
}

// Answer is the answer to a REPORT, or what an ACHIEVE brought about and a VERIFY checked, in words.
type Answer struct {
	Obligation string         `json:"obligation"`
	Result     map[string]any `json:"result,omitempty"` // absent where it is not certain
	Text       string         `json:"text"`
	Uncertain  bool           `json:"uncertain,omitzero"`

	Rephrased    *bool  `json:"rephrased,omitzero"`      // whether a language model has said it in other words; absent where none was to
	NotRephrased string `json:"not_rephrased,omitempty"` // why it has not
}

// emit adds an obligation that this one gave rise to. It is for somebody else: the caller, or whoever keeps the tools.
// A JUSTIFY is resolved by what it says.
func (t *Obligation) emit(typ planning.Type, payload map[string]any) {
	status := planning.Escalated
	if typ == planning.Justify {
		status = planning.Resolved
	}
	t.Emitted = append(t.Emitted, Emitted{t.nextID(), planning.Obligation{Type: typ, Payload: payload}, status})
}

// SetResult records the result that resolves the obligation.
func (t *Obligation) SetResult(result map[string]any) { t.answered = result }

// Result returns the result that resolved the obligation, or nil. That of a trace which was read back is the one of its
// last run, the answer to a CLARIFY, or those of its steps by their names.
func (t *Obligation) Result() map[string]any {
	if t.answered != nil || !t.Status.Resolved() {
		return t.answered
	}
	switch n := len(t.Runs); {
	case n > 0:
		return t.Runs[n-1].Result
	case t.Obligation.Type == planning.Clarify && len(t.Given) > 0:
		return map[string]any{"value": t.Given[0].Value}
	}
	return Results(t.Steps)
}

// Results returns the results of the steps of a plan by their names, but for those in doubt; nil if there are no steps.
func Results(steps []Obligation) map[string]any {
	if len(steps) == 0 {
		return nil
	}
	all := map[string]any{}
	for i := range steps {
		if one := &steps[i]; one.Verified == nil || one.Verified.Verified || one.Verified.By == ByNothing {
			all[flow.NameOf(one.Obligation, i)] = one.Result()
		}
	}
	return all
}

// What a verification is by: what sources state, or nothing, where the contract asks for none.
const (
	ByFacts   = "facts"
	ByNothing = "nothing"
)

// Discover emits an obligation to find a tool, since none satisfies this one.
func (t *Obligation) Discover() {
	t.emit(planning.DiscoverOp, map[string]any{"capability": t.Obligation.String()})
}

// Doubt emits why the answer of a run was not confirmed.
func (t *Obligation) Doubt(run string) {
	v := t.Verified
	t.emit(planning.Justify, map[string]any{"about": "verification of " + t.Obligation.String(),
		"evidence": map[string]any(provenance.Evidence(v.By, v.Why, run, v.With, v.Sources))})
}

// End records how the obligation ended.
func (t *Obligation) End(status planning.Status, outcome planning.Outcome, why string) {
	t.Status, t.Outcome, t.Why = status, outcome, why
}

// Truncated ends the obligation if an error says that a budget is used up, and returns any other error.
func (t *Obligation) Truncated(err error) error {
	var exceeded budget.Exceeded
	if !errors.As(err, &exceeded) {
		return err
	}
	t.End(planning.Failed, planning.OutTruncated, exceeded.Error())
	return nil
}

// StatusOf returns the status of an obligation that ends with an outcome other than resolved.
func StatusOf(o planning.Outcome) planning.Status {
	if o == planning.OutClarify {
		return planning.Active
	}
	return planning.Failed
}

// Justify emits what was tried for a failed obligation, and why each attempt failed.
func (t *Obligation) Justify(about string) {
	attempts := []any{}
	for _, r := range t.Runs {
		if r.Status == state.RunDone {
			continue // what another tool depended on
		}
		var why []string
		if r.Error != nil {
			why = append(why, r.Error.Detail)
		}
		for _, v := range r.Postconditions {
			if !v.Holds {
				why = append(why, "the postcondition "+v.Condition+" does not hold: "+v.Why+builtin.Problems(r.Result))
			}
		}
		attempts = append(attempts, map[string]any{"tool": r.Tool, "run": r.ID, "why": strings.Join(why, "; ")})
	}
	for _, c := range t.Candidates {
		if !c.Taken {
			attempts = append(attempts, map[string]any{"tool": c.Tool, "why": "not run: " + c.Reason})
		}
	}
	t.emit(planning.Justify, map[string]any{"kind": "failure", "about": about, "attempts": attempts})
}

// Reasons returns why no candidate succeeded.
func (t *Obligation) Reasons() string {
	var all []string
	for _, c := range t.Candidates {
		all = append(all, c.Tool+": "+c.Reason)
	}
	return strings.Join(all, "; ")
}
