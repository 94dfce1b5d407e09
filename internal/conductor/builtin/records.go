package builtin

import (
	"context"
	"time"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// Refusals selects what the log has of refused requests. A member that is zero admits all.
type Refusals struct {
	ID           string // of the requirement that they were about
	Actor        string // who was refused
	Since, Until time.Time
	Limit        int // 0 is the default
}

// RefusalList has the refusals that were looked for, newest first.
type RefusalList struct {
	Refusals []Refusal
	More     bool // there are older ones
}

// Refusal is a request that was refused, or several that were alike.
type Refusal struct {
	At       time.Time
	By, Role string
	Of       string // id of the requirement; "" where it was about none
	Code     string
	Detail   string
	Times    int
	Record   uint64 // number in the log
}

// History is how a requirement came to where it stands.
type History struct {
	ID     string
	Status lifecycle.Status
	Moves  []Move // oldest first
}

// Move is a change of status.
type Move struct {
	From, To lifecycle.Status
	By, Role string
	At       time.Time
	Reason   string
}

// Acts are what was done to a requirement.
type Acts struct {
	ID     string
	Status lifecycle.Status
	Did    string // what was asked for
	Acts   []Act  // oldest first
}

// Act is a decision on a requirement, a change of a part of the work, or a move.
type Act struct {
	What     string // approved, rejected, wrote, cleared or moved
	Part     string // that was written or cleared
	To       lifecycle.Status
	By, Role string
	At       time.Time
	Why      string
	Counts   bool // of an approval: it counts now
}

func (l RefusalList) values() map[string]any {
	v := map[string]any{"refusals": valuesOf(l.Refusals)}
	if l.More {
		v["more"] = true
	}
	return v
}

func (r Refusal) values() map[string]any {
	v := map[string]any{"at": r.At.UTC().Format(time.RFC3339), "by": r.By, "role": r.Role, "code": r.Code,
		"times": float64(r.Times), "record": float64(r.Record)}
	putText(v, "id", r.Of)
	putText(v, "detail", r.Detail)
	return v
}

func (h History) values() map[string]any {
	return map[string]any{"id": h.ID, "status": string(h.Status), "moves": valuesOf(h.Moves)}
}

func (m Move) values() map[string]any {
	return map[string]any{"from": string(m.From), "to": string(m.To), "by": m.By, "role": m.Role,
		"at": m.At.UTC().Format(time.RFC3339), "reason": m.Reason}
}

func (a Acts) values() map[string]any {
	return map[string]any{"id": a.ID, "status": string(a.Status), "did": a.Did, "acts": valuesOf(a.Acts)}
}

func (a Act) values() map[string]any {
	v := map[string]any{"what": a.What, "by": a.By, "role": a.Role, "at": a.At.UTC().Format(time.RFC3339)}
	putText(v, "part", a.Part)
	putText(v, "to", string(a.To))
	putText(v, "why", a.Why)
	if a.What == lifecycle.Approved {
		v["counts"] = a.Counts
	}
	return v
}

// refusals asks for what was refused. Times are those of the payload, so that the answer does not depend on when it is
// looked up.
func (p project) refusals(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	q := Refusals{ID: c.text("id"), Actor: c.text("actor"), Limit: int(asUint(c.Inputs["limit"]))}
	for name, at := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
		text := c.text(name)
		if text == "" {
			continue
		}
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, nil, state.WithFields(fault.New(fault.Malformed, "invalid_obligations", "%s is no time: %q", name,
				fault.Clip(text, 80)).WithFix("write it as 2026-11-02T00:00:00Z"))
		}
		*at = parsed
	}
	return noEffects(p.Refusals(ctx, q))
}

func (p project) history(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	return noEffects(p.History(ctx, c.text("id")))
}

func (p project) acts(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	return noEffects(p.Acts(ctx, c.text("id"), c.text("did")))
}

// recordContracts returns the contracts of the tools over what is on record.
func recordContracts(id planning.Input, text map[string]any) []planning.Contract {
	optional := func(name string) planning.Input { return planning.Input{Name: name, Schema: text} }
	refusals := contractOf("query.refusals", "Lists what was refused, newest first.", 10_000,
		[]string{"REPORT(query.refusals)"}, schemaOf(refusalsShape),
		optional("actor"), optional("id"),
		planning.Input{Name: "limit", Schema: map[string]any{"type": "integer", "minimum": 1, "maximum": 1000}},
		optional("since"), optional("until"))
	history := contractOf("requirement.history", "Says how a requirement came to where it stands.", 5000,
		[]string{"REPORT(requirement.history)"}, schemaOf(historyShape), id)
	history.Postconditions = []string{"result.id == input.id"}
	acts := contractOf("requirement.acts", "Says who approved, designed, implemented or moved a requirement, and when.", 5000,
		[]string{"REPORT(requirement.acts)"}, schemaOf(actsShape), planning.Input{Name: "did", Schema: text, Required: true}, id)
	acts.Postconditions = []string{"result.id == input.id", "result.did == input.did"}
	return []planning.Contract{refusals, history, acts}
}
