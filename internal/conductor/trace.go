package conductor

import (
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
)

// Trace records all that a run did, as schemas/trace.schema.json has it. The same request, tools and store give the
// same bytes, but for the durations.
type Trace struct {
	ID          string            `json:"id"`
	Status      planning.Outcome  `json:"status"`
	Outcome     planning.Outcome  `json:"outcome,omitempty"` // Status, by the name that it has everywhere else
	Caller      Caller            `json:"caller"`
	Tools       string            `json:"tools"` // digest of all contracts: sha256:<hexadecimal>
	Obligations []ObligationTrace `json:"obligations"`
	Answers     []Answer          `json:"answers"`
	Missing     []string          `json:"missing_capabilities,omitempty"` // obligations that no tool is there for
}

// Unresolved returns the error of a run that did not resolve all it was asked for, or nil.
func (t Trace) Unresolved() error {
	if t.Status.Resolved() {
		return nil
	}
	return fault.New(fault.Conflict, "not_resolved", "the run %s ended as %s", t.ID, t.Status).
		WithFix("GET /traces/%s lists every attempt, and why it failed", t.ID)
}

// ObligationTrace records what became of one obligation.
type ObligationTrace struct {
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

	answered map[string]any // the result that resolved it
}

// Candidate is a tool whose contract satisfies the obligation.
type Candidate struct {
	Tool   string `json:"tool"`
	Taken  bool   `json:"taken"`
	Reason string `json:"reason"` // why it was taken, or passed over
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
	Usage          *usage.Usage       `json:"usage,omitempty"` // that an agent reported
	Agent          bool               `json:"-"`               // it acted in a role
	Postconditions []contract.Verdict `json:"postconditions"`
}

// Verification is the outcome of the second evaluation of an answer.
type Verification struct {
	By       string `json:"by"` // again, or facts
	Verified bool   `json:"verified"`
	Why      string `json:"why,omitempty"`
}

// Emitted is an obligation that another one gave rise to.
type Emitted struct {
	ID         string              `json:"id"`
	Obligation planning.Obligation `json:"obligation"`
	Status     planning.Status     `json:"status"`
}

// Answer is the answer to a REPORT.
type Answer struct {
	Obligation string         `json:"obligation"`
	Result     map[string]any `json:"result,omitempty"` // absent where it is not certain
	Text       string         `json:"text"`
	Uncertain  bool           `json:"uncertain,omitzero"`

	Rephrased    *bool  `json:"rephrased,omitzero"`      // whether a language model has said it in other words; absent where none was to
	NotRephrased string `json:"not_rephrased,omitempty"` // why it has not
}

func obligationID(i int) string { return fmt.Sprintf("o%d", i+1) }

// emit adds an obligation that this one gave rise to. It is for somebody else: the caller, or whoever keeps the tools.
// A JUSTIFY is resolved by what it says.
func (t *ObligationTrace) emit(typ planning.Type, payload map[string]any) {
	status := planning.Escalated
	if typ == planning.Justify {
		status = planning.Resolved
	}
	t.Emitted = append(t.Emitted, Emitted{fmt.Sprintf("%s.%d", t.ID, len(t.Emitted)+1),
		planning.Obligation{Type: typ, Payload: payload}, status})
}

// end records how the obligation ended.
func (t *ObligationTrace) end(status planning.Status, outcome planning.Outcome, why string) {
	t.Status, t.Outcome, t.Why = status, outcome, why
}

// justify emits what was tried for a failed obligation, and why each attempt failed.
func (t *ObligationTrace) justify(about string) {
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

// reasons returns why no candidate succeeded.
func (t *ObligationTrace) reasons() string {
	var all []string
	for _, c := range t.Candidates {
		all = append(all, c.Tool+": "+c.Reason)
	}
	return strings.Join(all, "; ")
}

// awaitAnswer ends a CLARIFY, which only the caller can answer.
func (t *ObligationTrace) awaitAnswer() {
	question, _ := t.Obligation.Payload["question"].(string)
	if strings.TrimSpace(question) == "" {
		question = fmt.Sprintf("it needs %v", t.Obligation.Payload["slot"])
	}
	t.end(planning.Active, planning.OutClarify, question)
}

// clarify asks for what is missing; the obligation waits for it.
func (t *ObligationTrace) clarify(missing []string) {
	for _, slot := range missing {
		t.emit(planning.Clarify, map[string]any{"slot": slot, "question": "what is " + slot + "?",
			"for": t.Obligation.String()})
	}
	t.end(planning.Active, planning.OutClarify, "it needs "+strings.Join(missing, ", "))
}

func traceIn(v state.View, id string) (trace Trace, err error) {
	raw, err := v.Trace(id)
	if err != nil || raw == nil {
		return trace, err
	}
	return trace, jsonv2.Unmarshal(raw, &trace, strictjson.Exact)
}
