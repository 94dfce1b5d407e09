package record

import (
	"slices"
	"strings"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
)

// Run is a run of tests by its identity, lifecycle.Found.Run.
type Run struct {
	ID string
	RunAt
}

// RunAt is where a run of tests was seen first, and which commit it counts for from then on.
type RunAt struct {
	Seq    uint64 `json:"seq"` // of the record
	Commit string `json:"commit"`
	Tip    bool   `json:"tip,omitzero"`     // nobody named Commit; it was the tip of the branch
	Report string `json:"report,omitempty"` // SHA-256 of the first report of it that was attached
}

// TableRuns has every run that an accepted change gave as evidence, by its identity.
var TableRuns = ledger.Table[RunAt]{Name: "runs"}

// Runs returns the runs of the test record that a change gives, each once, as its record with the number seq shows
// them. A run that counts for no commit is left out. What a justification cites ties no run: only the tester says what
// was tested.
func (p Proposed) Runs(seq uint64) (runs []Run) {
	if p.Looked == nil {
		return nil
	}
	for _, f := range p.Looked.Findings {
		if !strings.HasPrefix(f.Pointer, "/"+lifecycle.FieldTest+"/") || f.Found == nil || f.Found.Run == "" ||
			f.Found.Commit == "" {
			continue
		}
		run := Run{f.Found.Run, RunAt{Seq: seq, Commit: f.Found.Commit, Tip: f.Found.Tip}}
		if p.Report != nil && p.Report.Found.Run == run.ID {
			run.Report = p.Report.SHA256
		}
		if !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	return runs
}

// Again returns what is known of a run that is seen again. A run never counts for another commit than at first: then ok
// is false.
func (r RunAt) Again(as RunAt) (next RunAt, ok bool) {
	if r.Report == "" {
		r.Report = as.Report
	}
	return r, r.Commit == as.Commit && r.Tip == as.Tip
}
