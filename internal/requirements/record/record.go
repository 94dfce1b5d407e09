// Package record defines what the log keeps of requirements: the kinds of its records, the data of each kind, and the
// tables that are kept beside the requirements themselves.
//
// The service writes these records and the replay reads them; neither needs the other. A kind, the shape of its data
// and the names in it are what a log on disk has: they may be added to, and never changed.
//
// Keys written: reports/<digest of an attached report>, idempotency/<actor NUL role NUL key>, tokens/tokens.
package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// The kinds of records, each with the type of its data.
const (
	KindWorkflowChosen = "workflow.chosen"          // WorkflowChosen
	KindImported       = "requirements.imported"    // Imported
	KindRenamed        = "requirements.renamed"     // Renamed
	KindChanged        = "requirement.changed"      // Proposed, with Revision and SHA256
	KindRefused        = "requirement.refused"      // Proposed, with Refusal
	KindUnchanged      = "requirement.unchanged"    // Proposed, with Revision and SHA256 of what is there: it was so already
	KindClaimed        = "requirement.claimed"      // Claimed
	KindReleased       = "requirement.released"     // Released
	KindRequestRefused = "request.refused"          // RequestRefused: refused before it was read as a change
	KindFolded         = "refusals.folded"          // RefusalsFolded: its subject is that of the refusals
	KindTokensChanged  = "tokens.changed"           // TokensChanged
	KindRechecked      = "evidence.rechecked"       // Rechecked
	KindEvidenceChosen = "evidence.chosen"          // EvidenceChosen
	KindBranchChosen   = "branch.chosen"            // BranchChosen
	KindAuditKeyChosen = "audit.key_chosen"         // AuditKeyChosen
	KindRolledBack     = "log.rolled_back"          // RolledBack
	KindRestored       = "log.restored"             // Restored
	KindKeysForgotten  = "idempotency.keys_expired" // KeysForgotten
)

// System returns who acts when nobody asked by name.
func System() lifecycle.Actor {
	system := ledger.System()
	return lifecycle.Actor{Name: system.Name, Role: lifecycle.Role(system.Role)}
}

// WorkflowChosen says which workflow decides from here on. Since lifecycle.Rules4 an operator chooses the first one,
// which has no From, and a pm every later one, who gives a reason.
type WorkflowChosen struct {
	Rules  lifecycle.Rules `json:"rules,omitzero"` // the version in force; absent before lifecycle.Rules4
	From   string          `json:"from"`
	To     string          `json:"to"`
	Reason string          `json:"reason,omitempty"`
}

// EvidenceChosen says what is made of evidence from here on: projection.EvidenceVerified or
// projection.EvidenceRecorded.
type EvidenceChosen struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// BranchChosen is the data of a branch.chosen record: from here on evidence counts when the branch To has it.
type BranchChosen struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// AuditKeyChosen says which key signs the checkpoints of the log from here on. The first choice has no From and no
// Reason; a later one is an operator's, who gave the reason.
type AuditKeyChosen struct {
	From   string `json:"from,omitempty"`
	To     string `json:"to"`
	Reason string `json:"reason,omitempty"`
}

// ChosenKey is a key that signs the log from a record on.
type ChosenKey struct {
	Record uint64
	Key    string
	Reason string
}

// RolledBack says that records were lost which something outside of the database knew of, and why the service went on.
type RolledBack struct {
	Reason string     `json:"reason"`
	Where  string     `json:"where"` // what knew of them
	Size   uint64     `json:"size"`  // of the log that was lost
	Root   audit.Hash `json:"root"`
	Note   string     `json:"note,omitempty"` // the signed checkpoint, if there was one
}

// Imported accounts for an import: the definitions that are new or changed, what was retired, and the project as it is
// afterwards (IDs are left out when they are as before). Read says of each document what was read of it, as
// account.Changes writes it. The first records have no Origin, and say nothing of what was read. Projects that are
// older than Qualify have none.
type Imported struct {
	Rules    lifecycle.Rules         `json:"rules,omitzero"`     // the version that decided; absent before lifecycle.Rules3
	Workflow string                  `json:"workflow,omitempty"` // in force; absent before lifecycle.Rules4
	Name     string                  `json:"name"`
	Sources  []projection.SourceFile `json:"sources"`
	Defined  []lifecycle.Definition  `json:"defined"`
	Retired  []string                `json:"retired"`
	IDs      []string                `json:"ids,omitempty"`
	Qualify  string                  `json:"qualify,omitempty"` // the first one: the form of the ids from here on

	Origin *projection.ImportOrigin `json:"origin,omitempty"`
	Read   []account.Document       `json:"read,omitzero"`

	Pending []pending.Delta `json:"pending,omitzero"` // what open changes propose, as pending.Changes writes it
}

// After returns the last import as the state has it after a record, given the one before.
func (i Imported) After(before *projection.Import, seq uint64, at time.Time, by audit.Actor) (*projection.Import, error) {
	if i.Origin == nil {
		return before, nil
	}
	documents, err := account.Apply(before.Readings(), i.Read)
	return &projection.Import{Record: seq, At: at, By: by, Origin: *i.Origin, Documents: documents}, err
}

// AroundDefined returns what stands before and after the elements of Defined in the encoding of the data, whatever they
// are.
func (i Imported) AroundDefined() (before, after []byte, err error) {
	i.Defined = nil
	whole, err := ledger.Encode(i)
	if err != nil {
		return nil, nil, err
	}
	at := bytes.Index(whole, []byte(`"defined":[`)) + len(`"defined":[`) // a quote within a text is escaped
	return whole[:at], whole[at:], nil
}

// Proposed accounts for a change request that was decided. Replaying it gives the same decision.
type Proposed struct {
	Rules          lifecycle.Rules   `json:"rules,omitzero"`     // the version that decided; absent in records of lifecycle.Rules1
	Workflow       string            `json:"workflow,omitempty"` // in force when it was decided; absent before lifecycle.Rules4
	Holder         string            `json:"holder,omitempty"`   // who claims as the sender would; only while the requirement has a claim
	Change         json.RawMessage   `json:"change,omitempty"`
	Looked         *lifecycle.Looked `json:"looked,omitzero"`   // what was found of its evidence; {} where it was looked up and there was none
	Report         *Report           `json:"report,omitempty"`  // the report that it was read from
	Omitted        *Omitted          `json:"omitted,omitempty"` // refused: stands for a change too large to keep
	IfMatch        []string          `json:"if_match,omitempty"`
	IdempotencyKey string            `json:"idempotency_key,omitempty"`
	BodySHA256     string            `json:"body_sha256,omitempty"` // of the body as sent; with IdempotencyKey
	Revision       uint64            `json:"revision,omitzero"`     // accepted: the revision it made
	SHA256         string            `json:"sha256,omitempty"`      // accepted: of the stored requirement
	Refusal        *fault.Error      `json:"refusal,omitempty"`
}

// Encode encodes a proposal as ledger.Encode does.
func (p Proposed) Encode() (ledger.Encoded, error) {
	return jsonobject.Bytes(p.write)
}

func (p *Proposed) write(w *jsonobject.Writer) {
	w.B = slices.Grow(w.B, len(p.Change)+512)
	w.Begin()
	w.SomeInt("rules", int64(p.Rules))
	w.SomeText("workflow", p.Workflow)
	w.SomeText("holder", p.Holder)
	w.SomeJSON("change", p.Change)
	if p.Looked != nil {
		w.Name("looked")
		w.Value(p.Looked)
	}
	if p.Report != nil {
		w.SomeValue("report", p.Report)
	}
	if p.Omitted != nil {
		w.SomeValue("omitted", p.Omitted)
	}
	w.SomeTexts("if_match", p.IfMatch)
	w.SomeText("idempotency_key", p.IdempotencyKey)
	w.SomeText("body_sha256", p.BodySHA256)
	w.SomeUint("revision", p.Revision)
	w.SomeText("sha256", p.SHA256)
	if p.Refusal != nil {
		w.SomeValue("refusal", p.Refusal)
	}
	w.End()
}

// Claimed says that the actor has a field of the requirement to itself until a moment; who has it already renews it.
type Claimed struct {
	Rules    lifecycle.Rules `json:"rules"`
	Workflow string          `json:"workflow,omitempty"` // in force; absent before lifecycle.Rules4
	Holder   string          `json:"holder"`
	Field    string          `json:"field"`
	Since    time.Time       `json:"since"`
	Until    time.Time       `json:"until"`
}

// Released says that a claim has ended before its time. The actor gave it up or, where it was Broken, is a pm and took
// it from its holder.
type Released struct {
	Rules    lifecycle.Rules `json:"rules"`
	Workflow string          `json:"workflow,omitempty"` // in force; absent before lifecycle.Rules4
	Holder   string          `json:"holder"`             // of the claim
	Field    string          `json:"field"`
	Broken   bool            `json:"broken,omitzero"`
}

// Omitted stands for the change of a request that was refused and is too large to keep.
type Omitted struct {
	SHA256 string `json:"sha256"` // of the request without white space
	Bytes  int    `json:"bytes"`
}

// Shortened returns a refused request as the log keeps it: without its report, and with its change only where that is
// small, so that nobody can fill the disk with refusals.
func (p Proposed) Shortened() Proposed {
	if len(p.Change) > SmallChange {
		p.Change, p.Looked, p.Omitted = nil, nil, &Omitted{ledger.Digest(p.Change), len(p.Change)}
	}
	p.Report = nil
	return p
}

// RequestRefused accounts for a request that never became a change: not JSON, too large, not allowed.
type RequestRefused struct {
	Workflow   string       `json:"workflow,omitempty"` // in force; absent in the first records
	Request    string       `json:"request"`            // method and route
	BodySHA256 string       `json:"body_sha256,omitempty"`
	BodyBytes  int          `json:"body_bytes,omitzero"`
	Refusal    *fault.Error `json:"refusal"`
}

// TokensChanged accounts for the tokens that are in force from here on. One whose name, role or expiry changed is both
// revoked and added.
type TokensChanged struct {
	Added   []Credential `json:"added"`
	Revoked []Credential `json:"revoked"`
}

// KeysForgotten names the entries of TableIdempotency that were deleted, since they are older than KeepKeys.
type KeysForgotten struct {
	Keys []string `json:"keys"`
}

// Rechecked accounts for a recheck of the evidence of requirements that found something new.
type Rechecked struct {
	Rules    lifecycle.Rules `json:"rules,omitzero"`     // the version that decided; absent before lifecycle.Rules3
	Workflow string          `json:"workflow,omitempty"` // in force; absent before lifecycle.Rules4
	Changed  []RecheckedOne  `json:"changed"`
}

// RecheckedOne is a requirement that a recheck changed.
type RecheckedOne struct {
	ID     string `json:"id"`
	SHA256 string `json:"sha256"` // of the requirement as it is stored now
	lifecycle.Recheck
	Base *string `json:"-"` // on which it stands now, as a look told; not recorded
}

// ReportAt says which record has a report.
type ReportAt struct {
	Seq uint64 `json:"seq"`
}

// TableReports finds the record of an attached report by the SHA-256 of the report.
var TableReports = ledger.Table[ReportAt]{Name: "reports"}

// Report is a test report as it is kept in the record of the change that brought it.
type Report struct {
	SHA256 string            `json:"sha256"` // of the report as it was sent
	Found  lifecycle.Found   `json:"found"`
	Ran    testreport.Ran    `json:"ran,omitzero"`   // when its tests ended, by its own word
	Cases  []testreport.Case `json:"cases,omitzero"` // left out when an earlier record has them, as are Spans
	Spans  []testreport.Span `json:"spans,omitempty"`
}

// AsRead returns the report as it was read.
func (r Report) AsRead() testreport.Report {
	return testreport.Report{Format: r.Found.Format, Run: r.Found.Run, Ran: r.Ran, Cases: r.Cases, Spans: r.Spans}
}

// SmallChange is how large a refused change may be that is kept, in bytes.
const SmallChange = 4 << 10

// Actor returns an actor as records name it.
func Actor(who lifecycle.Actor) audit.Actor {
	return audit.Actor{Name: who.Name, Role: string(who.Role)}
}
