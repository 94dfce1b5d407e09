package projection

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/encode"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/rules/lifecycle"
)

// The tables that a snapshot is folded from.
var (
	TableRequirements = ledger.Table[lifecycle.Requirement]{Name: "requirements", Encode: encode.Requirement}
	TableProject      = ledger.Table[Project]{Name: "project"}
)

// KeyProject is the only key of TableProject.
const KeyProject = "project"

// What is made of evidence: it is looked up in the repository, or kept as it was given.
const (
	EvidenceVerified = "verify"
	EvidenceRecorded = "record"
)

// Project is what is known beside the requirements.
type Project struct {
	Name         string       `json:"name"`
	Sources      []SourceFile `json:"sources"`
	WorkflowName string       `json:"workflow"`
	Evidence     string       `json:"evidence"`            // EvidenceVerified or EvidenceRecorded
	Branch       string       `json:"branch,omitempty"`    // whose tip evidence is held against; "" before the first choice
	AuditKey     string       `json:"audit_key,omitempty"` // verifies the checkpoints of the log
	Rollbacks    []Rollback   `json:"rollbacks,omitempty"`
	IDs          []string     `json:"ids"`               // document order, then the retired
	Qualify      string       `json:"qualify,omitempty"` // form of the ids, as package qualify names it; "" in older projects
	Import       *Import      `json:"import,omitempty"`  // nil before the first that says what it read

	Pending []pending.Delta `json:"pending,omitempty"` // what open changes propose
}

// Imported reports whether documents were imported before.
func (p Project) Imported() bool { return p.Import != nil || len(p.Sources)+len(p.IDs) > 0 }

// Form returns the form of the ids: the one on record, or what is asked for as long as nothing was imported.
func (p Project) Form(asked string) string { return qualify.InForce(asked, p.Qualify, p.Imported()) }

// CheckForm refuses a form of the ids that is asked for while another one is in force.
func (p Project) CheckForm(asked string) error { return qualify.Agree(asked, p.Qualify, p.Imported()) }

// Import is the last import that is on record: who made it, and what was read of each document. In what was read from
// an export it has no more than counts.
type Import struct {
	Record    uint64             `json:"record"`
	At        time.Time          `json:"at"`
	By        audit.Actor        `json:"by"`
	Origin    ImportOrigin       `json:"origin"`
	Documents []account.Document `json:"documents"` // those of the import
}

// ImportOrigin says how an import came to be made.
type ImportOrigin struct {
	Via   string `json:"via"`             // one of the words below
	Token string `json:"token,omitempty"` // the id of the token that asked for it
}

// How an import can come to be made.
const (
	ViaAPI     = "api"
	ViaStart   = "start"   // of the service
	ViaWatch   = "watch"   // the service saw that a document changed
	ViaCommand = "command" // orchestrator import
)

// Digests returns the SHA-256 of each document, as it was read, by its path.
func (i *Import) Digests() map[string]string {
	digests := map[string]string{}
	for _, d := range i.Readings() {
		digests[d.Path] = d.SHA256
	}
	return digests
}

// Readings returns what was read of each document.
func (i *Import) Readings() []account.Document {
	if i == nil {
		return nil
	}
	return i.Documents
}

// DocumentsInForce returns the paths of the documents of which requirements were read.
func (i *Import) DocumentsInForce() map[string]bool {
	paths := map[string]bool{}
	for _, d := range i.Readings() {
		paths[d.Path] = d.Read > 0
	}
	return paths
}

// Rollback is a part of the log that an operator gave up: the records from Record on, up to Size, of which something
// outside of the database knew.
type Rollback struct {
	Record uint64     `json:"record"` // the first record after it, which says why
	Size   uint64     `json:"size"`   // of the log that was lost
	Root   audit.Hash `json:"root"`
}

// GaveUp reports whether it gave up the log of a size and root.
func (r Rollback) GaveUp(size uint64, root audit.Hash) bool { return r.Size == size && r.Root == root }

// SourceFile is a requirement document as it was imported.
type SourceFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Workflow returns the workflow in force; before the first choice nothing is allowed.
func (p Project) Workflow() lifecycle.Workflow {
	w, err := lifecycle.ParseWorkflow(p.WorkflowName)
	if err != nil {
		return lifecycle.Workflow{}
	}
	return w.Looking(p.Evidence == EvidenceVerified)
}

// InForce returns the workflow that the project has in a transaction. It reads no further than what decides it, since a
// project lists the ids of all requirements, and does not read again what begins as the last one did.
func InForce(from store.Getter) (lifecycle.Workflow, error) {
	raw, err := from.Get(TableProject.Name, KeyProject)
	if err != nil {
		return lifecycle.Workflow{}, err
	}
	if known := lastInForce.Load(); known != nil && bytes.HasPrefix(raw, known.start) {
		return known.workflow, nil
	}
	w, end, err := readInForce(raw)
	if err == nil {
		lastInForce.Store(&startOfProject{bytes.Clone(raw[:end]), w})
	}
	return w, err
}

// startOfProject is how a project begins, up to where it is known which workflow it has.
type startOfProject struct {
	start    []byte
	workflow lifecycle.Workflow
}

var lastInForce atomic.Pointer[startOfProject]

// readInForce reads which workflow a project has, and returns how many bytes that took.
func readInForce(raw []byte) (w lifecycle.Workflow, end int64, err error) {
	var p Project
	d := jsontext.NewDecoder(bytes.NewBuffer(raw))
	_, err = d.ReadToken()
	for name := ""; err == nil && name != "evidence" && d.PeekKind() == '"'; {
		if name, err = textOf(d); err == nil {
			switch name {
			case "workflow":
				p.WorkflowName, err = textOf(d)
			case "evidence":
				p.Evidence, err = textOf(d)
			default:
				err = d.SkipValue()
			}
		}
	}
	if err != nil {
		return w, 0, Disagreement("the project cannot be read").Because(err)
	}
	if _, err := lifecycle.ParseWorkflow(p.WorkflowName); err != nil {
		return w, 0, Disagreement("the project names no workflow").Because(err)
	}
	return p.Workflow(), d.InputOffset(), nil
}

// textOf reads a name or a string.
func textOf(d *jsontext.Decoder) (string, error) {
	token, err := d.ReadToken()
	return token.String(), err
}

// Newcomer is a requirement that an import brings: nothing is known of it but its definition.
type Newcomer struct {
	Definition *lifecycle.Definition
	At         time.Time // of the import
}

// Requirement returns the requirement as it begins.
func (n *Newcomer) Requirement() lifecycle.Requirement {
	req, _ := lifecycle.Define(nil, *n.Definition, n.At, lifecycle.LatestRules)
	return req
}

// Put writes the newcomer, given its encoded definition. rest is what Rest returns.
func (n *Newcomer) Put(tx *ledger.Tx, definition, rest []byte) error {
	return TableRequirements.PutEncoded(tx, n.Definition.ID, n.encoded(definition, rest), n)
}

// encoded joins the two in bytes of their own, of which none is to spare.
func (*Newcomer) encoded(definition, rest []byte) ledger.Encoded {
	raw := make([]byte, 0, len(definition)-1+len(rest))
	return append(append(raw, definition[:len(definition)-1]...), rest...)
}

// Rest returns how the encoding goes on after the definition. It is the same for all newcomers of one import.
func (n *Newcomer) Rest() ([]byte, error) {
	var none lifecycle.Definition
	definition, err := ledger.Encode(&none)
	if err != nil {
		return nil, err
	}
	first := Newcomer{&none, n.At}
	whole, err := TableRequirements.Encoding(first.Requirement())
	if err != nil {
		return nil, err
	}
	rest, begins := bytes.CutPrefix(whole, definition[:len(definition)-1])
	if !begins {
		panic("a requirement is not encoded as its definition and what follows") // Definition is embedded first
	}
	return rest, nil
}
