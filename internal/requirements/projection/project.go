package projection

import (
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
)

// The tables that a snapshot is folded from.
var (
	TableRequirements = ledger.Table[lifecycle.Requirement]{Name: "requirements"}
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
	AuditKey     string       `json:"audit_key,omitempty"` // verifies the checkpoints of the log
	Rollbacks    []Rollback   `json:"rollbacks,omitempty"`
	IDs          []string     `json:"ids"` // document order, then the retired
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
	return w
}
