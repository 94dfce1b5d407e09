package requirements

import (
	"encoding/json"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// The kinds of audit records that this package writes, each with the shape of its data.
const (
	kindWorkflowChosen = "workflow.chosen"          // workflowChosen
	kindImported       = "requirements.imported"    // imported
	kindChanged        = "requirement.changed"      // proposed, with Revision and SHA256
	kindRefused        = "requirement.refused"      // proposed, with Refusal
	kindRequestRefused = "request.refused"          // requestRefused: refused before it was read as a change
	kindFolded         = "refusals.folded"          // refusalsFolded: its subject is that of the refusals
	kindTokensChanged  = "tokens.changed"           // tokensChanged
	kindRechecked      = "evidence.rechecked"       // rechecked
	kindEvidenceChosen = "evidence.chosen"          // evidenceChosen
	kindAuditKeyChosen = "audit.key_chosen"         // auditKeyChosen
	kindRolledBack     = "log.rolled_back"          // rolledBack
	kindRestored       = "log.restored"             // Restored
	kindKeysForgotten  = "idempotency.keys_expired" // keysForgotten
)

type workflowChosen struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type evidenceChosen struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// auditKeyChosen says which key signs the checkpoints of the log from here on. The first choice has no From and no
// Reason; a later one is an operator's, who gave the reason.
type auditKeyChosen struct {
	From   string `json:"from,omitempty"`
	To     string `json:"to"`
	Reason string `json:"reason,omitempty"`
}

// rolledBack says that records were lost which something outside of the database knew of, and why the service went on.
type rolledBack struct {
	Reason string     `json:"reason"`
	Where  string     `json:"where"` // what knew of them
	Size   uint64     `json:"size"`  // of the log that was lost
	Root   audit.Hash `json:"root"`
	Note   string     `json:"note,omitempty"` // the signed checkpoint, if there was one
}

// imported accounts for an import: the definitions that are new or changed, what was retired, and the
// project as it is afterwards (IDs are left out when they are as before).
type imported struct {
	Name    string                  `json:"name"`
	Sources []projection.SourceFile `json:"sources"`
	Defined []lifecycle.Definition  `json:"defined"`
	Retired []string                `json:"retired"`
	IDs     []string                `json:"ids,omitempty"`
}

// proposed accounts for a change request that was decided. Replaying it gives the same decision.
type proposed struct {
	Rules          lifecycle.Rules   `json:"rules,omitzero"` // the version that decided; absent in records of lifecycle.Rules1
	Change         json.RawMessage   `json:"change,omitempty"`
	Looked         *lifecycle.Looked `json:"looked,omitzero"`   // what was found of its evidence; {} where it was looked up and there was none
	Report         *attached         `json:"report,omitempty"`  // the report that it was read from
	Omitted        *omitted          `json:"omitted,omitempty"` // refused: stands for a change too large to keep
	IfMatch        []string          `json:"if_match,omitempty"`
	IdempotencyKey string            `json:"idempotency_key,omitempty"`
	BodySHA256     string            `json:"body_sha256,omitempty"` // of the body as sent; with IdempotencyKey
	Revision       uint64            `json:"revision,omitzero"`     // accepted: the revision it made
	SHA256         string            `json:"sha256,omitempty"`      // accepted: of the stored requirement
	Refusal        *fault.Error      `json:"refusal,omitempty"`
}

// omitted is a change request that was refused and is not kept.
type omitted struct {
	SHA256 string `json:"sha256"` // of the request without white space
	Bytes  int    `json:"bytes"`
}

// shortened keeps a refused change only while it is small, so that nobody can fill the disk with refusals.
func (p proposed) shortened() proposed {
	if len(p.Change) > smallChange {
		p.Change, p.Looked, p.Omitted = nil, nil, &omitted{digestOf(p.Change), len(p.Change)}
	}
	p.Report = nil
	return p
}

// requestRefused accounts for a request that never became a change: not JSON, too large, not allowed.
type requestRefused struct {
	Request    string       `json:"request"` // method and route
	BodySHA256 string       `json:"body_sha256,omitempty"`
	BodyBytes  int          `json:"body_bytes,omitzero"`
	Refusal    *fault.Error `json:"refusal"`
}

// refusalsFolded accounts for equal refusals of one actor within a minute, beyond those that are on record one by one.
// Request and Code are left out when they are of several kinds.
type refusalsFolded struct {
	Actor    audit.Actor `json:"actor"`
	Request  string      `json:"request,omitempty"` // method and route
	Code     string      `json:"code,omitempty"`
	Count    uint64      `json:"count"`
	From     time.Time   `json:"from"`     // of the first record
	To       time.Time   `json:"to"`       // the last that was counted
	Recorded []uint64    `json:"recorded"` // the numbers of the records
}

// tokensChanged accounts for the tokens that are in force from here on. One whose name, role or expiry changed is both
// revoked and added.
type tokensChanged struct {
	Added   []Credential `json:"added"`
	Revoked []Credential `json:"revoked"`
}

type keysForgotten struct {
	Keys []string `json:"keys"`
}

// firstAnswer is what an Idempotency-Key was first answered with.
type firstAnswer struct {
	At          time.Time       `json:"at"`
	Seq         uint64          `json:"seq"`         // of the record
	BodySHA256  string          `json:"body_sha256"` // of id and body as sent
	Requirement json.RawMessage `json:"requirement,omitempty"`
	Revision    uint64          `json:"revision,omitzero"`
	Refusal     *fault.Error    `json:"refusal,omitempty"`
}
