// Package planning decides which tools may satisfy an obligation, and in which order.
//
// No model scores anything: what a tool says that it satisfies, whether its inputs are there, its preconditions, and an
// order without ties decide. The package is pure: the same obligations, contracts and facts give the same plan, in
// whatever order the contracts were registered.
package planning

// Type is the kind of an obligation.
type Type string

// The types of obligations.
const (
	Report     Type = "REPORT"      // answer a question
	Achieve    Type = "ACHIEVE"     // make something so
	Maintain   Type = "MAINTAIN"    // a guardrail: it must hold before any tool runs
	Avoid      Type = "AVOID"       // a guardrail: it must not hold before any tool runs
	Verify     Type = "VERIFY"      // check the answers again, or the evidence of a requirement
	Clarify    Type = "CLARIFY"     // somebody has to say what is missing
	Justify    Type = "JUSTIFY"     // say why something failed
	Schedule   Type = "SCHEDULE"    // do it later
	DiscoverOp Type = "DISCOVER_OP" // no tool can do it: find one
)

// Answers reports whether what an obligation of the type is met by is an answer.
func (t Type) Answers() bool { return t == Report || t == Justify || t == DiscoverOp }

// Changes reports whether what meets an obligation of the type changes something.
func (t Type) Changes() bool { return t == Achieve || t == Schedule }

// Types returns all types, in the order of the schema.
func Types() []Type {
	return []Type{Report, Achieve, Maintain, Avoid, Verify, Clarify, Justify, Schedule, DiscoverOp}
}

// Obligation is something that must be brought about.
type Obligation struct {
	Type    Type           `json:"type"`
	Name    string         `json:"name,omitempty"` // others refer to it by this, or by its place: o1
	Payload map[string]any `json:"payload"`        // as schemas/obligations.schema.json has it; its kind says what it is about
}

// KindStatus is the kind of the obligations about the status of a requirement: to say it, and to move it.
const KindStatus = "requirement.status"

// AboutCaller begins the kinds of obligations about the caller: status.name is about the slot name.
const AboutCaller = "status."

// Kind returns what the obligation is about: query.math, requirement.status; "" if its payload names none.
func (o Obligation) Kind() string {
	kind, _ := o.Payload["kind"].(string)
	return kind
}

// String returns the obligation as contracts name it: REPORT(query.math).
func (o Obligation) String() string {
	if kind := o.Kind(); kind != "" {
		return string(o.Type) + "(" + kind + ")"
	}
	return string(o.Type)
}

// patterns returns what a contract that satisfies the obligation has one of: its own name, or that of every kind.
func (o Obligation) patterns() (exact, wide string) { return o.String(), string(o.Type) }

// Budgets bound a run. 0 is the default of each.
type Budgets struct {
	MaxToolRuns int     `json:"max_tool_runs,omitzero"` // runs of tools, failed ones included
	MaxDepth    int     `json:"max_depth,omitzero"`     // obligations that came of obligations
	TimeMS      int     `json:"time_ms,omitzero"`       // milliseconds
	MaxCost     float64 `json:"max_cost,omitzero"`      // the sum of what the runs weigh; see Cost.Weight
	MaxTokens   int64   `json:"max_tokens,omitzero"`    // that agents report; no agent starts once they are used up
	MaxCostUSD  float64 `json:"max_cost_usd,omitzero"`  // likewise, in US dollars

	MaxResultBytes int `json:"max_result_bytes,omitzero"` // bytes of the results of all runs
}

// Request is what a caller asks for.
type Request struct {
	Obligations    []Obligation `json:"obligations"` // at least one
	Budgets        Budgets      `json:"budgets,omitzero"`
	IdempotencyKey string       `json:"idempotency_key,omitempty"`
	AnswerWithinS  int          `json:"answer_within_s,omitzero"` // seconds that its questions wait; 0 is a day
}

// Status is the status of an obligation.
type Status string

// The statuses of obligations. One that waits for a CLARIFY stays active; nothing else does when a run ends.
const (
	Active    Status = "active"
	Resolved  Status = "resolved"
	Failed    Status = "failed"
	Escalated Status = "escalated"
)

// Resolved reports whether an obligation was met.
func (s Status) Resolved() bool { return s == Resolved }

// Outcome is how a run, or one of its obligations, ended.
type Outcome string

// The outcomes of a run. Where several would do, the first of guardrail, clarify, truncated counts.
const (
	OutResolved  Outcome = "resolved"
	OutClarify   Outcome = "clarify"
	OutFailed    Outcome = "failed"
	OutTruncated Outcome = "truncated" // a budget was used up
	OutGuardrail Outcome = "guardrail" // a MAINTAIN did not hold, or an AVOID did
)

// Resolved reports whether all that was asked for was met.
func (o Outcome) Resolved() bool { return o == OutResolved }
