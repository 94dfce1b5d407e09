// Package review makes the Product Manager's two reviews, of the whole project and of one requirement, and the gate for
// CI. Package render shows them in other forms than JSON.
//
// It is pure: the same input gives the same bytes, and nothing here reads a file, a clock or the log. Whether something
// is met is asked of the rules that decide changes.
package review

import (
	"io"
	"iter"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/rules/lifecycle"
)

// Input is everything that the review of a project is made of.
type Input struct {
	Project      string // its name
	Workflow     lifecycle.Workflow
	Evidence     string // verify or record, "" when it is not known
	Branch       string // whose tip evidence is held against, "" when there is none
	Log          Log
	Import       Import
	Read         []account.Document // what was read of each document; nil when it is not known
	Drift        []Drift
	Displaced    []Displaced
	Actors       []ActorCount
	IDs          *idmatch.IDs                    // of all requirements
	Requirements iter.Seq[lifecycle.Requirement] // document order, retired last; every id once
	Dirty        map[string]bool                 // cited files with uncommitted changes
	Pending      *pending.Open                   // what open changes propose; nil if there are none
	Unchecked    []string                        // what could not be looked at: the words below, or other ones
}

// What a review may have to leave unchecked.
const (
	UncheckedLog       = "log"
	UncheckedEvidence  = "evidence"
	UncheckedDocuments = "documents"
	UncheckedImport    = "import"
	UncheckedRefusals  = "refusals"
)

// Log is how far the log was verified.
type Log struct {
	Size         uint64 `json:"size"`
	Root         string `json:"root"`
	VerifiedUpTo uint64 `json:"verified_up_to"`    // 0: it was not looked at
	Problem      string `json:"problem,omitempty"` // what verifying found
}

// Import is how the last import went; before the first one it is ok.
type Import struct {
	OK      bool           `json:"ok"`
	At      *time.Time     `json:"at,omitempty"`
	Problem *ImportProblem `json:"problem,omitempty"`
}

// ImportProblem is why nothing was imported.
type ImportProblem struct {
	Code   fault.Code    `json:"code"`
	Detail string        `json:"detail"`
	Fix    string        `json:"fix"`
	Errors []ImportError `json:"errors"`
}

// ImportError is one thing that is wrong in a document. A line of 0 is the document as a whole.
type ImportError struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Reading is what was read of the documents that the state was imported from.
type Reading struct {
	account.Counts `json:"counts"`
	Documents      []account.Document `json:"documents"` // those with remarks, or with rows that were not read
}

// readingOf returns nil for no documents: of an import that said nothing.
func readingOf(all []account.Document) *Reading {
	if all == nil {
		return nil
	}
	r := &Reading{account.Sum(all), []account.Document{}}
	for _, d := range all {
		if d.Lacks() || len(d.Remarks)+d.More > 0 {
			r.Documents = append(r.Documents, d)
		}
	}
	return r
}

// Drift is a document on disk that differs from what was imported.
type Drift struct {
	Path   string `json:"path"`
	Detail string `json:"detail"`
}

// Displaced is what stood in the place of a file that the service writes, since it started: somebody put it there, and
// it was replaced.
type Displaced struct {
	Path  string `json:"path"`
	Was   string `json:"was"` // the last time
	Times int    `json:"times"`
}

// ActorCount is what became of an actor's attempts.
type ActorCount struct {
	Name     string         `json:"name"`
	Role     lifecycle.Role `json:"role"`
	Accepted int            `json:"accepted"`
	Refused  int            `json:"refused"`
	Codes    []CodeCount    `json:"codes,omitempty"` // of the refusals, most first; those that were folded with others have none
}

// CodeCount is how often an actor was refused for one reason.
type CodeCount struct {
	Code   fault.Code `json:"code"`
	Count  int        `json:"count"`
	At     time.Time  `json:"at"`               // the last time
	Detail string     `json:"detail,omitempty"` // of the last that is on record one by one
}

// Refusal is an attempt that was refused, or several alike that were folded.
type Refusal struct {
	Record uint64         `json:"record"` // its number in the log
	At     time.Time      `json:"at"`     // the last time
	By     string         `json:"by"`
	Role   lifecycle.Role `json:"role"`
	Code   fault.Code     `json:"code,omitempty"` // absent where they were of several kinds
	Detail string         `json:"detail,omitempty"`
	Times  int            `json:"times"`
}

// Refused are the refused attempts on a requirement.
type Refused struct {
	Count  int       `json:"count"`
	More   bool      `json:"more,omitzero"` // older ones were not counted
	Newest []Refusal `json:"newest"`        // newest first
}

// The verdicts on a project.
const (
	Ready        = "ready"
	NotReady     = "not_ready"
	Inconsistent = "inconsistent" // what is shown contradicts itself or cannot be trusted
)

// Project is the review of a whole project. No list is nil.
type Project struct {
	Project      string        `json:"project"`
	Workflow     string        `json:"workflow"`
	Evidence     string        `json:"evidence"`
	Branch       string        `json:"branch,omitempty"` // whose tip evidence is held against
	Verdict      string        `json:"verdict"`
	Reasons      []string      `json:"reasons"` // of the verdict, in words
	Counts       Counts        `json:"counts"`
	Log          Log           `json:"log"`
	Findings     Findings      `json:"findings"`
	Unchecked    []string      `json:"unchecked"`
	Requirements []Requirement `json:"requirements"`    // every one once, in the order of the documents, unless Shown says otherwise
	Shown        *int          `json:"shown,omitempty"` // how many of them were asked for; all the rest is of the whole project
}

// Counts are numbers of requirements, but for OpenDeviations.
type Counts struct {
	Total           int                      `json:"total"`
	OK              int                      `json:"ok"`
	ByStatus        map[lifecycle.Status]int `json:"by_status"`
	Done            int                      `json:"done"`
	DoneStale       int                      `json:"done_stale"`
	Deferred        int                      `json:"deferred"`
	Blocked         int                      `json:"blocked"`
	Missing         int                      `json:"missing"` // that lack something
	Stale           int                      `json:"stale"`
	Moved           int                      `json:"moved"` // whose evidence stands elsewhere now
	Suspect         int                      `json:"suspect"`
	Retired         int                      `json:"retired"`
	RetiredWithWork int                      `json:"retired_with_work"`
	OpenDeviations  int                      `json:"open_deviations"`

	Complete int `json:"complete_in_document,omitzero"` // of which package finished tells so
}

// The codes of what keeps a requirement from being ok.
const (
	CodeNotDone         fault.Code = "not_done"   // neither done nor deferred
	CodeBlocked         fault.Code = "blocked"    // besides not_done
	CodeDeadEnd         fault.Code = "dead_end"   // the workflow has no way from its status to done
	CodeGateUnmet       fault.Code = "gate_unmet" // done, and a gate of done does not hold any more
	CodeStale           fault.Code = "stale"
	CodeSuspect         fault.Code = "suspect"
	CodeOpenDeviation   fault.Code = "open_deviation"
	CodeRetiredWithWork fault.Code = "retired_with_work" // PM must defer it
)

// Requirement is one line of the review. A list or time that is absent is empty.
type Requirement struct {
	ID           string                `json:"id"`
	Title        string                `json:"title"`
	Path         string                `json:"path"`
	Line         int                   `json:"line"`
	Status       lifecycle.Status      `json:"status"`
	Since        time.Time             `json:"since,omitzero"` // when it came into its status
	OK           bool                  `json:"ok"`             // done, deferred or rightly retired, with nothing against it
	Codes        []fault.Code          `json:"codes"`          // what keeps it from being ok
	WaitingFor   []lifecycle.Party     `json:"waiting_for"`
	Next         lifecycle.Status      `json:"next,omitempty"` // where the next move along the table leads
	Missing      []Missing             `json:"missing,omitempty"`
	Parts        []string              `json:"parts,omitempty"`    // that are there: design_spec, implementation, test
	Results      *lifecycle.Results    `json:"results,omitempty"`  // of the tests, as last recorded
	Decision     string                `json:"decision,omitempty"` // of the last approval; "" where there is none
	Stale        []lifecycle.Stale     `json:"stale,omitempty"`
	Moved        []lifecycle.Relocated `json:"moved,omitempty"`
	Tick         string                `json:"tick,omitempty"` // what the document says: open or ticked; "" where it says nothing
	Suspect      bool                  `json:"suspect"`
	SuspectSince time.Time             `json:"suspect_since,omitzero"`
	Retired      bool                  `json:"retired"`
	Held         *Held                 `json:"held,omitempty"` // while blocked or deferred
	Deviations   []OpenDeviation       `json:"deviations,omitempty"`
	Covered      *bool                 `json:"covered,omitempty"`         // a cited test names the requirement; absent where none is cited
	Dirty        []string              `json:"dirty,omitempty"`           // files of the implementation with uncommitted changes
	Rules        lifecycle.Rules       `json:"rules,omitzero"`            // of a done requirement: the version that decided it
	ByLatest     *ByLatest             `json:"by_latest_rules,omitempty"` // what the latest rules hold against it, where older ones decided

	Complete bool `json:"complete_in_document,omitzero"` // as package finished tells
}

// Missing is an unmet gate of a status ahead, where it is met first; of a done requirement, of done.
type Missing struct {
	To lifecycle.Status `json:"to"`
	lifecycle.Lack
}

// Held is why a requirement was blocked or deferred, and from which status.
type Held struct {
	From   lifecycle.Status `json:"from"`
	Since  time.Time        `json:"since,omitzero"`
	By     string           `json:"by"`
	Reason string           `json:"reason"`
}

// OpenDeviation is a deviation that nobody has resolved.
type OpenDeviation struct {
	ID    string    `json:"id"`
	Text  string    `json:"text"`
	Since time.Time `json:"since,omitzero"`
	By    string    `json:"by"`
}

// Findings are what is to be said of the project as a whole.
type Findings struct {
	Import          Import             `json:"import"`
	Reading         *Reading           `json:"reading,omitempty"` // nil when it is not known
	Drift           []Drift            `json:"drift"`
	Displaced       []Displaced        `json:"displaced,omitempty"` // absent is none
	Pending         *pending.Open      `json:"pending,omitempty"`   // what open changes propose; nil if there are none
	DeadEnds        []DeadEnd          `json:"dead_ends"`
	Duties          []Duty             `json:"separation_of_duties"`
	Deviations      []ProjectDeviation `json:"deviations"`
	Refused         []ActorCount       `json:"refused"` // actors with refused attempts, most first
	RetiredWithWork []Stranded         `json:"retired_with_work"`
}

// DeadEnd is a status that cannot reach done, and the requirements that stand in it.
type DeadEnd struct {
	Status       lifecycle.Status `json:"status"`
	Requirements []string         `json:"requirements"`
}

// Duty says whose work an approver approved: Count of the Of approved requirements whose part this maker wrote.
type Duty struct {
	Part     string `json:"part"` // implementation or test
	Maker    string `json:"maker"`
	Approver string `json:"approver"`
	Count    int    `json:"count"`
	Of       int    `json:"of"`
	Always   bool   `json:"always"` // all of them, and 3 at least
}

// ProjectDeviation is an open deviation of a requirement.
type ProjectDeviation struct {
	Requirement string `json:"requirement"`
	OpenDeviation
}

// Stranded is a retired requirement on which work had begun, and that PM has not deferred.
type Stranded struct {
	ID      string           `json:"id"`
	Status  lifecycle.Status `json:"status"`
	Strands []string         `json:"strands"`
}

// Whole reports whether this can be a review, and is not JSON of another shape that was read as one.
func (p Project) Whole() bool {
	known := p.Verdict == Ready || p.Verdict == NotReady || p.Verdict == Inconsistent
	total := p.Counts.Total
	if p.Shown != nil {
		total = *p.Shown
	}
	return known && total == len(p.Requirements)
}

// Narrowed returns the review with the requirements of some ids, in their order, and no others.
func (p Project) Narrowed(ids []string) Project {
	byID := make(map[string]Requirement, len(p.Requirements))
	for _, r := range p.Requirements {
		byID[r.ID] = r
	}
	p.Requirements = []Requirement{}
	for _, id := range ids {
		if r, found := byID[id]; found { // another import may have come between
			p.Requirements = append(p.Requirements, r)
		}
	}
	shown := len(p.Requirements)
	p.Shown = &shown
	return p
}

// JSON writes the review as one line, the same bytes for the same review.
func (p Project) JSON(w io.Writer) error { return writeJSON(w, p) }

func writeJSON(w io.Writer, v any) error {
	b, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}
