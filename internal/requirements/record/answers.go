package record

import (
	"encoding/json"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// KeepKeys is how long an Idempotency-Key is remembered.
const KeepKeys = 24 * time.Hour

// FirstAnswer is what an Idempotency-Key was first answered with.
type FirstAnswer struct {
	At          time.Time       `json:"at"`
	Seq         uint64          `json:"seq"`         // of the record
	BodySHA256  string          `json:"body_sha256"` // of id and body as sent
	Requirement json.RawMessage `json:"requirement,omitempty"`
	Workflow    string          `json:"workflow,omitempty"` // in force; absent where the answer was the requirement alone
	Looks       bool            `json:"looks,omitzero"`     // evidence was looked up
	Revision    uint64          `json:"revision,omitzero"`
	Unchanged   bool            `json:"unchanged,omitzero"` // it was so already
	Refusal     *fault.Error    `json:"refusal,omitempty"`
}

// Encode encodes the answer as ledger.Encode does. Its requirement must be what ledger.Encode has returned: it is copied.
func (a *FirstAnswer) Encode() ([]byte, error) {
	return jsonobject.Bytes(a.write)
}

func (a *FirstAnswer) write(w *jsonobject.Writer) {
	w.B = slices.Grow(w.B, len(a.Requirement)+256)
	w.Begin()
	w.Time("at", a.At)
	w.Uint("seq", a.Seq)
	w.Text("body_sha256", a.BodySHA256)
	w.Some("requirement", a.Requirement)
	w.SomeText("workflow", a.Workflow)
	w.SomeBool("looks", a.Looks)
	w.SomeUint("revision", a.Revision)
	w.SomeBool("unchanged", a.Unchanged)
	if a.Refusal != nil {
		w.SomeValue("refusal", a.Refusal)
	}
	w.End()
}

// TableIdempotency has the first answers by KeyOf.
var TableIdempotency = ledger.Table[FirstAnswer]{Name: "idempotency", Encode: (*FirstAnswer).Encode}

// Remembered reports whether a first answer given at since still counts at a time.
func Remembered(since, at time.Time) bool { return at.Sub(since) < KeepKeys }

// KeyOf returns the key of TableIdempotency for the Idempotency-Key of an actor.
func KeyOf(who lifecycle.Actor, key string) string {
	return who.Name + "\x00" + string(who.Role) + "\x00" + key
}
