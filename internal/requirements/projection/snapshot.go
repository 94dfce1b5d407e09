// Package projection holds the state of all requirements as it is read: an immutable snapshot that is folded
// from the ledger's commits, and project_status.json, which is that snapshot as a file.
//
// A snapshot keeps the stored bytes of every requirement and shares what did not change with the one before;
// publishing a change, and exporting it, encodes nothing again.
package projection

import (
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// chunkSize bounds what is copied to publish one change: one chunk, and the list of chunks.
const chunkSize = 256

// Entry is one requirement as it is served: the stored bytes, and what lists and counts need.
type Entry struct {
	Raw     []byte // as stored; not to be changed
	ETag    string // strong, quoted
	Summary Summary
	Size    uint64 // of the log with which this was first published; of what was loaded, that of the log at the start

	OpenDeviation bool                   // there is one
	Cites         bool                   // it rests on evidence that was looked up
	DependsOn     []string               // ids, as the documents have them
	Former        []lifecycle.FormerID   // ids that it had, the oldest first
	Changed       time.Time              // when it was written last: its text, a part, a note or its status
	req           *lifecycle.Requirement // decoded, for what was changed by this process; nil for the rest
	stands        atomic.Pointer[string] // the base against which a look found nothing new
}

// Stand remembers that the evidence of the entry stands as the entry has it, for as long as it is held against base.
func (e *Entry) Stand(base *string) { e.stands.Store(base) }

// Stand remembers that the evidence of a requirement stands on a base, if there is one, and the requirement is still
// the one that has the digest.
func (s *Snapshot) Stand(id, digest string, base *string) {
	if e, known := s.Find(id); known && base != nil && ledger.Digest(e.Raw) == digest {
		e.Stand(base)
	}
}

// Stands reports whether Stand was called with this base last. No evidence stands on "".
func (e *Entry) Stands(base string) bool {
	at := e.stands.Load()
	return at != nil && *at == base && base != ""
}

// Summary is a requirement in a list.
type Summary struct {
	ID         string            `json:"id"`
	Title      string            `json:"title"`
	Kind       string            `json:"kind"`
	Status     lifecycle.Status  `json:"status"`
	Suspect    bool              `json:"suspect"`
	Stale      bool              `json:"stale"` // something changed under a part of it
	Retired    bool              `json:"retired"`
	Revision   uint64            `json:"revision"`
	Since      time.Time         `json:"since,omitzero"`   // when it came into its status
	WaitingFor []lifecycle.Party `json:"waiting_for"`      // who can bring it on; empty for what is finished
	Claims     []claiming.Mark   `json:"claims,omitempty"` // that count when it is listed
	Path       string            `json:"path"`
	Line       int               `json:"line"`

	Complete bool `json:"complete_in_document,omitzero"` // as package finished tells
}

// NewEntry returns a requirement with its encoded bytes, under a workflow.
func NewEntry(req lifecycle.Requirement, raw []byte, w lifecycle.Workflow) *Entry {
	e := &Entry{Raw: raw}
	e.describe(&req, w)
	return e
}

// describe sets what is said of the requirement under a workflow.
func (e *Entry) describe(req *lifecycle.Requirement, w lifecycle.Workflow) {
	e.Cites = req.Cites()
	e.OpenDeviation = req.OpenDeviation() != ""
	e.DependsOn, e.Former = req.DependsOn, req.FormerIDs
	e.Changed = changedAt(req)
	e.ETag = ETagOf(*req)
	e.Summary = Summary{
		ID: req.ID, Title: req.Title, Kind: req.Kind, Status: req.Status, Suspect: req.Suspect,
		Stale: len(req.Unsettling()) > 0, Retired: req.Retired, Complete: finished.ByDocument(*req),
		Revision: req.Revision, Since: lifecycle.Since(*req), WaitingFor: w.WaitingFor(*req), Path: req.Source.Path, Line: req.Source.Line,
	}
}

// ETagOf returns the strong entity tag of a requirement, quoted: its revision, and after a dash how often a look at its
// evidence found something new of that revision. If-Match names a revision by either form.
func ETagOf(req lifecycle.Requirement) string {
	tag := strconv.FormatUint(req.Revision, 10)
	if req.Rechecks > 0 {
		tag += "-" + strconv.FormatUint(req.Rechecks, 10)
	}
	return `"` + tag + `"`
}

// changedAt returns the latest of the times that a requirement has.
func changedAt(req *lifecycle.Requirement) time.Time {
	times := []time.Time{req.TextSince, req.Stamps.DesignSpec.At, req.Stamps.Implementation.At, req.Stamps.Test.At}
	if n := len(req.History); n > 0 {
		times = append(times, req.History[n-1].At)
	}
	if n := len(req.PMNotes); n > 0 {
		times = append(times, req.PMNotes[n-1].At)
	}
	if n := len(req.Approvals); n > 0 {
		times = append(times, req.Approvals[n-1].At)
	}
	for _, d := range req.Deviations {
		if times = append(times, d.At); d.Resolution != nil {
			times = append(times, d.Resolution.At)
		}
	}
	return slices.MaxFunc(times, time.Time.Compare)
}

// Snapshot is an immutable state of all requirements, in document order.
type Snapshot struct {
	Project  Project
	position map[string]int // of an id; shared by the snapshots between two imports
	chunks   [][]*Entry
	widths   []int64                     // of the chunks: the bytes that each takes in the export
	names    *names                      // shared by the snapshots between two imports
	proposed *proposed                   // as names
	renames  *renames                    // of this snapshot alone
	head     *atomic.Pointer[[]byte]     // of its export, once that was encoded; it has no claims
	former   former                      // shared alike
	claims   map[string][]claiming.Claim // by the id of the requirement; shared while nobody claims
	Counts   Counts
	Head     audit.Head
}

// Counts is kept up by every change, so that nothing is counted anew.
type Counts struct {
	ByStatus map[lifecycle.Status]int
	Suspect  int
	Stale    int
	Retired  int
	Revision uint64 // sum of the requirements' revisions: the number of changes so far
}

// Add counts one more requirement.
func (c *Counts) Add(s Summary) { c.add(s, 1) }

func (c *Counts) add(s Summary, sign int) {
	if c.ByStatus == nil {
		c.ByStatus = map[lifecycle.Status]int{}
	}
	c.ByStatus[s.Status] += sign
	if s.Suspect {
		c.Suspect += sign
	}
	if s.Stale {
		c.Stale += sign
	}
	if s.Retired {
		c.Retired += sign
	}
	c.Revision += s.Revision * uint64(sign)
}

// New returns the snapshot of entries in the project's order. Entries and an order that do not name the same ids
// are a damaged store.
func New(p Project, entries map[string]*Entry, head audit.Head) (*Snapshot, error) {
	s := &Snapshot{Project: p, Head: head, position: make(map[string]int, len(p.IDs)),
		names: &names{}, proposed: &proposed{}, renames: &renames{}, former: former{},
		head:   &atomic.Pointer[[]byte]{},
		Counts: Counts{ByStatus: map[lifecycle.Status]int{}}}
	ordered := make([]*Entry, 0, len(p.IDs))
	for i, id := range p.IDs {
		e := entries[id]
		if e == nil {
			return nil, Disagreement("the project lists %q, which is not among the requirements", id)
		}
		s.position[id] = i
		if e.Size == 0 {
			e.Size = head.Size
		}
		s.Counts.add(e.Summary, 1)
		s.former.add(e)
		ordered = append(ordered, e)
	}
	s.former.sort()
	if len(s.position) != len(entries) {
		return nil, Disagreement("the project lists %d requirements, the store has %d", len(s.position), len(entries))
	}
	for chunk := range slices.Chunk(ordered, chunkSize) {
		s.widths = append(s.widths, width(len(s.chunks) == 0, chunk))
		s.chunks = append(s.chunks, chunk)
	}
	return s, nil
}

// What stands in the export before the first requirement, before each other one, and after the last one.
const (
	firstSeparator = "\n"
	nextSeparator  = ",\n"
	fileEnd        = "\n]}\n"
)

// width returns how many bytes requirements take in the export, first with the first one of all.
func width(first bool, chunk []*Entry) (bytes int64) {
	for _, e := range chunk {
		bytes += int64(len(nextSeparator) + len(e.Raw))
	}
	if first {
		bytes -= int64(len(nextSeparator) - len(firstSeparator))
	}
	return bytes
}

// Disagreement returns the error of a store whose parts contradict one another.
func Disagreement(format string, args ...any) *fault.Error {
	return fault.New(fault.Internal, store.CodeDamaged, format, args...).
		WithFix("run orchestrator verify, and put back the last good copy of the database")
}

// After returns the snapshot with a batch of commits on top. What did not change is shared with s.
func (s *Snapshot) After(batch []ledger.Commit) *Snapshot {
	next := *s
	next.renames, next.head = &renames{}, &atomic.Pointer[[]byte]{}
	next.Head, next.claims = batch[len(batch)-1].Head, s.claimed(batch)
	changed := map[string]*Entry{} // by id; the last of the batch, nil for one that has another id now
	project := projectIn(batch)
	if project != nil {
		next.Project = *project
	}
	workflow := next.Project.Workflow()
	for _, commit := range batch {
		for _, w := range commit.Writes {
			switch object := w.Object.(type) {
			case *lifecycle.Requirement:
				changed[w.Key] = &Entry{Raw: w.Value, req: object, Size: commit.Head.Size}
			case *Newcomer:
				changed[w.Key] = NewEntry(object.Requirement(), w.Value, workflow)
				changed[w.Key].Size = commit.Head.Size
			case nil:
				if w.Table == TableRequirements.Name {
					changed[w.Key] = entryOf(w, commit.Head.Size)
				}
			}
		}
	}
	if project != nil {
		return next.rebuilt(s, changed)
	}
	next.Counts.ByStatus = maps.Clone(s.Counts.ByStatus)
	next.chunks, next.widths = slices.Clone(s.chunks), slices.Clone(s.widths)
	own := map[int]bool{}
	for id, e := range changed {
		place, known := next.position[id]
		if !known {
			panic(Disagreement("%q was changed, and no import has brought it", id)) // the ledger stops
		}
		i, at := place/chunkSize, place%chunkSize
		if !own[i] {
			next.chunks[i], own[i] = slices.Clone(next.chunks[i]), true
		}
		e.describe(e.req, workflow)
		next.Counts.add(next.chunks[i][at].Summary, -1)
		next.Counts.add(e.Summary, 1)
		next.widths[i] += int64(len(e.Raw) - len(next.chunks[i][at].Raw))
		next.chunks[i][at] = e
	}
	return &next
}

// entryOf returns a requirement that another process has written; nil where it was deleted.
func entryOf(w ledger.Write, size uint64) *Entry {
	if req := written(TableRequirements, w); req != nil {
		return &Entry{Raw: w.Value, req: req, Size: size}
	}
	return nil
}

// projectIn returns the project as a batch leaves it, or nil if it does not write it.
func projectIn(batch []ledger.Commit) (last *Project) {
	for _, commit := range batch {
		for _, w := range commit.Writes {
			if w.Table == TableProject.Name {
				last = written(TableProject, w)
			}
		}
	}
	return last
}

// rebuilt makes a snapshot after an import or under a new workflow: order and turns may be others.
func (s *Snapshot) rebuilt(before *Snapshot, changed map[string]*Entry) *Snapshot {
	entries := make(map[string]*Entry, len(s.Project.IDs))
	w := s.Project.Workflow()
	for e := range before.All() {
		if s.Project.WorkflowName != before.Project.WorkflowName || s.Project.Evidence != before.Project.Evidence {
			e = NewEntry(e.Requirement(), e.Raw, w)
			e.Size = s.Head.Size
		}
		entries[e.Summary.ID] = e
	}
	for id, e := range changed {
		if e == nil {
			delete(entries, id)
			continue
		}
		if e.req != nil {
			e.describe(e.req, w)
			e.req = nil // an import may bring more than are ever asked for
		}
		entries[id] = e
	}
	next, err := New(s.Project, entries, s.Head)
	if err != nil {
		panic(err) // the commit was made by an import or a renaming, which keep the two in step
	}
	return next.WithClaims(s.claims)
}

// All visits every requirement in document order.
func (s *Snapshot) All() func(yield func(*Entry) bool) {
	return func(yield func(*Entry) bool) {
		for _, chunk := range s.chunks {
			for _, e := range chunk {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Find looks an id up, byte by byte.
func (s *Snapshot) Find(id string) (*Entry, bool) {
	i, found := s.position[id]
	if !found {
		return nil, false
	}
	return s.chunks[i/chunkSize][i%chunkSize], true
}

// Get makes a snapshot readable as the table of requirements.
func (s *Snapshot) Get(table, key string) ([]byte, error) {
	if e, found := s.Find(key); found && table == TableRequirements.Name {
		return e.Raw, nil
	}
	return nil, nil
}

// Requirement decodes the entry. What it shares with other callers must not be changed.
func (e *Entry) Requirement() lifecycle.Requirement {
	if e.req != nil {
		return *e.req
	}
	var req lifecycle.Requirement
	if err := jsonv2.Unmarshal(e.Raw, &req); err != nil {
		panic(err) // the bytes were encoded from a requirement
	}
	return req
}

// Move is a change of status.
type Move struct {
	At   time.Time        `json:"at"`
	From lifecycle.Status `json:"from"`
	To   lifecycle.Status `json:"to"`
}

// Moves decodes no more of the entry than its changes of status, the oldest first.
func (e *Entry) Moves() []Move {
	var only struct {
		History []Move `json:"history"`
	}
	if err := jsonv2.Unmarshal(e.Raw, &only, jsontext.AllowDuplicateNames(true)); err != nil {
		panic(err) // the bytes were encoded from a requirement
	}
	return only.History
}

// ETag changes with every record, since the export names the size of the log.
func (s *Snapshot) ETag() string { return `"log-` + strconv.FormatUint(s.Head.Size, 10) + `"` }

// Position returns where an id stands in document order.
func (s *Snapshot) Position(id string) (int, bool) {
	i, found := s.position[id]
	return i, found
}
