package requirements

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/testreport"
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

// tokensChanged accounts for the tokens that are in force from here on. One whose name, role or expiry changed is both
// revoked and added.
type tokensChanged struct {
	Added   []Credential `json:"added"`
	Revoked []Credential `json:"revoked"`
}

type keysForgotten struct {
	Keys []string `json:"keys"`
}

// rechecked accounts for a look at the evidence of requirements that found something new.
type rechecked struct {
	Changed []recheckedOne `json:"changed"`
}

type recheckedOne struct {
	ID     string `json:"id"`
	SHA256 string `json:"sha256"` // of the requirement as it is stored now
	lifecycle.Recheck
}

// Restored says which copy of a log a database was made of. It is the data of the record that a restore appends, so
// that the log says itself that it went on from a copy.
type Restored struct {
	Size    uint64     `json:"size"` // records that the copy had
	Root    audit.Hash `json:"root"`
	SHA256  string     `json:"sha256"`            // of the file, in hexadecimal
	TakenAt time.Time  `json:"taken_at,omitzero"` // as the copy says, which nobody signed
}

// attachedReport says which record has a report.
type attachedReport struct {
	Seq uint64 `json:"seq"`
}

var tableReports = ledger.Table[attachedReport]{Name: "reports"}

// attached is a report as it is kept in the record of the change that brought it.
type attached struct {
	SHA256 string            `json:"sha256"` // of the report as it was sent
	Found  lifecycle.Found   `json:"found"`
	Cases  []testreport.Case `json:"cases,omitzero"` // left out when an earlier record has them
}

// forkBefore is the number of the first record after which the log may have gone on otherwise: the next one, or the
// first of the records of restores that stand at its end.
func forkBefore(r store.Getter, next uint64) (uint64, error) {
	for next > 0 {
		record, err := ledger.RecordAt(r, next-1)
		if err != nil || record.Kind != kindRestored {
			return next, err
		}
		next--
	}
	return next, nil
}

// smallChange is how large a refused change may be that is kept, in bytes.
const smallChange = 4 << 10

func auditActor(who lifecycle.Actor) audit.Actor {
	return audit.Actor{Name: who.Name, Role: string(who.Role)}
}
func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
