package lifecycle

import (
	"iter"
	"slices"
	"time"

	"orchestrator/internal/fault"
)

// The kinds of evidence.
const (
	EvidenceFile   = "file"
	EvidenceCommit = "commit"
	EvidenceTest   = "test"
)

// AttachedPrefix stands before the digest of an attached report where evidence names it.
const AttachedPrefix = "sha256:"

// The results of a test in evidence.
const (
	ResultPass = "pass"
	ResultFail = "fail"
)

// Evidence points at something an outsider can look up: lines of a file, a commit, or a test's result.
type Evidence struct {
	Kind   string `json:"kind"`
	Path   string `json:"path,omitempty"`   // file
	Lines  string `json:"lines,omitempty"`  // file: "12" or "12-40"
	Commit string `json:"commit,omitempty"` // file, commit: full or short hexadecimal id
	Name   string `json:"name,omitempty"`   // test
	Result string `json:"result,omitempty"` // test: pass or fail
	Report string `json:"report,omitempty"` // test: path of the report, or AttachedPrefix and the digest of one that was attached
	// test: full or short id of the commit that was tested; without it, Found.Commit says which one is assumed
	ReportCommit string `json:"report_commit,omitempty"`
	Found        *Found `json:"found,omitempty"` // what the service found when it looked; nil where it does not look
}

// Where evidence was found.
const (
	InCommit   = "commit"   // a file at the commit that the evidence names, or a commit
	InHead     = "head"     // a file at the commit that HEAD was; only before Rules3
	InBranch   = "branch"   // a file at the commit that was the tip of the branch
	InWorktree = "worktree" // a file or report in the working tree, which the branch did not have
	InAttached = "attached" // a report that was sent to the service
)

// Found is what the service found when it looked a piece of evidence up. Digests are lower-case hexadecimal.
type Found struct {
	In       string    `json:"in"`
	Commit   string    `json:"commit,omitempty"`  // the full id; test: of the commit that was tested, "" before Rules3
	Tip      bool      `json:"tip,omitzero"`      // test: nobody named Commit; it was the tip of the branch when the run was first seen
	Blob     string    `json:"blob,omitempty"`    // file: the id of its content in git
	SHA256   string    `json:"sha256,omitempty"`  // file: of exactly the cited lines, or of all; test: of the report
	Bytes    int64     `json:"bytes,omitzero"`    // file, test: the size of file or report
	Modified time.Time `json:"modified,omitzero"` // test: when the report was written or attached, UTC; file in the working tree: when it was written
	Record   uint64    `json:"record,omitzero"`   // test: the number of the record that attached the report, or gave its run, first; 0 under Rules1
	Format   string    `json:"format,omitempty"`  // test: junit, go, tap or ctrf
	Counts   *Results  `json:"counts,omitempty"`  // test: of the whole report
	Run      string    `json:"run,omitempty"`     // test: identifies the run by what the report says of it, lower-case hexadecimal
	Ran      time.Time `json:"ran,omitzero"`      // test: the latest instant at which it can have ended by the report's own word, UTC
}

// Finding is what looking up one piece of the evidence of a change came to: what was found, or what is wrong. What was
// found may not count, as things stand.
type Finding struct {
	Pointer string       `json:"pointer"` // of the evidence in the change, RFC 6901
	Found   *Found       `json:"found,omitempty"`
	Wrong   *fault.Field `json:"wrong,omitempty"`
	Against *Against     `json:"against,omitempty"`
}

// Against says why evidence that was found does not count as things stand.
type Against struct {
	Reason string `json:"reason"` // one of those of Stale
	Detail string `json:"detail"`
}

// The reasons why something is stale.
const (
	TextChanged           = "text_changed"           // of the requirement
	ImplementationChanged = "implementation_changed" // after the tests
	TestChanged           = "test_changed"           // after the approval
	LinesChanged          = "lines_changed"          // the cited lines are not in the file any more
	FileChanged           = "file_changed"           // a file that was cited whole
	FileGone              = "file_gone"
	CommitGone            = "commit_gone"
	ReportChanged         = "report_changed"
	ReportGone            = "report_gone"
	Unreadable            = "unreadable" // it cannot be looked up now

	// These are known since Rules3.
	DesignChanged = "design_changed" // after the implementation or the tests
	ReportOlder   = "report_older"   // the tests ran before the implementation was recorded
	Elsewhere     = "elsewhere"      // the commit is not in the history of the branch
	Uncommitted   = "uncommitted"    // the file is in the working tree, and not in the branch
	Copied        = "copied"         // the file is gone; the same content lies at another path, which git calls no rename
	CodeChanged   = "code_changed"   // files of the implementation are not as they were at the commit that was tested
	CodeUnknown   = "code_unknown"   // nobody knows which commit was tested
	Unknown       = "unknown"        // the branch is gone, or the history that would tell is missing
)

// sinceRules3 lists the reasons that earlier rules did not know.
var sinceRules3 = []string{DesignChanged, ReportOlder, Elsewhere, Uncommitted, Copied, CodeChanged, CodeUnknown, Unknown}

// Stale is something that changed under a part of a requirement.
type Stale struct {
	Part    string    `json:"part"`    // design_spec, implementation, test, approvals, or status: the justification of the last move
	Pointer string    `json:"pointer"` // in the requirement, RFC 6901: the part, or the piece of evidence
	Reason  string    `json:"reason"`
	Detail  string    `json:"detail"`
	Since   time.Time `json:"since"` // when it changed, or was found to have changed
}

// Relocated is a piece of evidence that holds, though its lines now stand elsewhere.
type Relocated struct {
	Pointer string    `json:"pointer"` // of the evidence in the requirement, RFC 6901
	To      string    `json:"to"`      // path, or path:first-last
	Since   time.Time `json:"since"`   // when it was found there
}

// Citation is a piece of evidence and where it stands: in a requirement that rests on it, or in a change that gives it.
type Citation struct {
	Part    string // implementation, test or status; in a change implementation, test or justification
	Pointer string // RFC 6901, in the requirement or the change
	Evidence
}

// Citations returns what the requirement rests on now: the files and commits of the implementation, the evidence of the
// test record, and the justification of the last move. Evidence that was never looked up is left out.
func (r Requirement) Citations() []Citation { return slices.Collect(r.cited(lastMove(r.History))) }

// Cites reports whether the requirement has Citations.
func (r Requirement) Cites() bool {
	for range r.cited(lastMove(r.History)) {
		return true
	}
	return false
}

// EverCited returns its citations, and those of all moves of its history.
func (r Requirement) EverCited() []Citation { return slices.Collect(r.cited(0)) }

// lastMove returns the index of the last entry of a history; 0 without one.
func lastMove(history []HistoryEntry) int { return max(len(history)-1, 0) }

// cited yields what implementation, test record and the moves from one on cite.
func (r Requirement) cited(from int) iter.Seq[Citation] {
	return func(yield func(Citation) bool) {
		each := func(part, under string, list []Evidence) bool {
			for i, e := range list {
				if e.Found != nil && !yield(Citation{part, PointerTo(under, i), e}) {
					return false
				}
			}
			return true
		}
		if !each(FieldImplementation, "implementation_evidence", r.ImplementationEvidence) ||
			r.Test != nil && !each(FieldTest, "test/evidence", r.Test.Evidence) {
			return
		}
		for i, move := range r.History[from:] {
			under := PointerTo("history", from+i)[1:] + "/justification/evidence"
			if !each(PartStatus, under, move.Justification.Evidence) {
				return
			}
		}
	}
}
