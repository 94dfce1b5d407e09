package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/ledger/audit"
)

// Message is what a hook is told of a record. It begins with what a person needs to decide.
type Message struct {
	Kind        string   `json:"kind"`
	Requirement *string  `json:"requirement"` // nil where the record is about none
	WaitingFor  []string `json:"waiting_for"` // who has to act, when the message is sent
	Why         string   `json:"why"`
	Link        string   `json:"link"`

	Title   string      `json:"title,omitempty"`
	Status  string      `json:"status,omitempty"`
	Subject string      `json:"subject,omitempty"` // of the record
	Record  uint64      `json:"record"`            // its number
	At      time.Time   `json:"at"`
	By      audit.Actor `json:"by"`
	AsOf    uint64      `json:"as_of"` // the size of the log of which the first members tell
	Webhook string      `json:"webhook"`
}

// KindTest is the kind of the message that shows that a hook works. It is about no record.
const KindTest = "webhook.test"

// Test returns the message that shows that a hook works.
func Test(h Hook, by audit.Actor, now time.Time) Message {
	return Message{Kind: KindTest, WaitingFor: []string{}, Link: h.Link, At: now.UTC(), By: by, Webhook: h.Name,
		Why: "this shows that the webhook works; nobody has to do anything"}
}

// Encode returns the body of a message.
func (m Message) Encode() ([]byte, error) { return jsonv2.Marshal(m, jsonv2.Deterministic(true)) }

// IDOf returns the id of the message about a record: the same whenever it is sent, so that a receiver knows one that it
// has.
func IDOf(record []byte) string {
	sum := sha256.Sum256(record)
	return "msg_" + hex.EncodeToString(sum[:16])
}
