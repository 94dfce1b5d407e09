package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
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
func (a FirstAnswer) Encode() (ledger.Encoded, error) {
	requirement := []byte(a.Requirement)
	if len(requirement) == 0 {
		return ledger.Encode(&a)
	}
	const member = `"requirement":`
	a.Requirement = json.RawMessage("0")
	raw, err := ledger.Encode(&a)
	if err != nil {
		return nil, err
	}
	before, after, _ := bytes.Cut(raw, []byte(member+"0")) // which no string holds: its quotes are escaped there
	return slices.Concat(before, []byte(member), requirement, after), nil
}

// Put keeps the answer under a key that KeyOf returns.
func (a FirstAnswer) Put(tx *ledger.Tx, key string) error {
	raw, err := a.Encode()
	if err != nil {
		return err
	}
	return TableIdempotency.PutEncoded(tx, key, raw, &a)
}

// TableIdempotency has the first answers by KeyOf.
var TableIdempotency = ledger.Table[FirstAnswer]{Name: "idempotency"}

// Remembered reports whether a first answer given at since still counts at a time.
func Remembered(since, at time.Time) bool { return at.Sub(since) < KeepKeys }

// KeyOf returns the key of TableIdempotency for the Idempotency-Key of an actor.
func KeyOf(who lifecycle.Actor, key string) string {
	return who.Name + "\x00" + string(who.Role) + "\x00" + key
}
