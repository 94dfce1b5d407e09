package orchestrator

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/audit"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
)

// chunkSize bounds what is copied to publish one change: one chunk, and the list of chunks.
const chunkSize = 256

// entry is one requirement as it is served: the stored bytes, and what lists and counts need.
type entry struct {
	raw     []byte
	etag    string
	summary Summary
}

// Summary is a requirement in a list.
type Summary struct {
	ID         string           `json:"id"`
	Title      string           `json:"title"`
	Kind       string           `json:"kind"`
	Status     lifecycle.Status `json:"status"`
	Suspect    bool             `json:"suspect"`
	Retired    bool             `json:"retired"`
	Revision   uint64           `json:"revision"`
	WaitingFor []lifecycle.Role `json:"waiting_for"` // whose turn it is
	Path       string           `json:"path"`
	Line       int              `json:"line"`
}

func newEntry(req lifecycle.Requirement, raw []byte, w lifecycle.Workflow) *entry {
	return &entry{
		raw:  raw,
		etag: `"` + strconv.FormatUint(req.Revision, 10) + `"`,
		summary: Summary{
			ID: req.ID, Title: req.Title, Kind: req.Kind, Status: req.Status, Suspect: req.Suspect, Retired: req.Retired,
			Revision: req.Revision, WaitingFor: w.Turn(req), Path: req.Source.Path, Line: req.Source.Line,
		},
	}
}

// snapshot is an immutable state of all requirements, in document order.
type snapshot struct {
	project  project
	position map[string]int // of an id; shared by the snapshots between two imports
	chunks   [][]*entry
	counts   counts
	head     audit.Head
}

// counts is kept up by every change, so that nothing is counted anew.
type counts struct {
	byStatus map[lifecycle.Status]int
	suspect  int
	retired  int
	revision uint64 // sum of the requirements' revisions: the number of changes so far
}

func (c *counts) add(e *entry, sign int) {
	c.byStatus[e.summary.Status] += sign
	if e.summary.Suspect {
		c.suspect += sign
	}
	if e.summary.Retired {
		c.retired += sign
	}
	c.revision += e.summary.Revision * uint64(sign)
}

func newSnapshot(p project, entries map[string]*entry, head audit.Head) (*snapshot, error) {
	s := &snapshot{project: p, head: head, position: make(map[string]int, len(p.IDs)), counts: counts{byStatus: map[lifecycle.Status]int{}}}
	ordered := make([]*entry, 0, len(p.IDs))
	for i, id := range p.IDs {
		e := entries[id]
		if e == nil {
			return nil, disagree("the project lists %q, which is not among the requirements", id)
		}
		s.position[id] = i
		s.counts.add(e, 1)
		ordered = append(ordered, e)
	}
	if len(s.position) != len(entries) {
		return nil, disagree("the project lists %d requirements, the store has %d", len(s.position), len(entries))
	}
	s.chunks = slices.Collect(slices.Chunk(ordered, chunkSize))
	return s, nil
}

func disagree(format string, args ...any) error {
	return fault.New(fault.Internal, "store_damaged", format, args...).
		WithFix("run orchestrator verify, and put back the last good copy of the database")
}

// after is the snapshot with a batch of commits on top. What did not change is shared with s.
func (s *snapshot) after(batch []ledger.Commit) *snapshot {
	next := *s
	next.head = batch[len(batch)-1].Head
	changed := map[string]lifecycle.Requirement{}
	raw := map[string][]byte{}
	imported := false
	for _, commit := range batch {
		for _, w := range commit.Writes {
			switch object := w.Object.(type) {
			case project:
				next.project, imported = object, true
			case lifecycle.Requirement:
				changed[w.Key], raw[w.Key] = object, w.Value
			}
		}
	}
	if imported {
		return next.rebuilt(s, changed, raw)
	}
	next.counts.byStatus = maps.Clone(s.counts.byStatus)
	next.chunks = slices.Clone(s.chunks)
	own := map[int]bool{}
	for id, req := range changed {
		i, at := next.position[id]/chunkSize, next.position[id]%chunkSize
		if !own[i] {
			next.chunks[i], own[i] = slices.Clone(next.chunks[i]), true
		}
		e := newEntry(req, raw[id], next.project.workflow())
		next.counts.add(next.chunks[i][at], -1)
		next.counts.add(e, 1)
		next.chunks[i][at] = e
	}
	return &next
}

// rebuilt makes a snapshot after an import or under a new workflow: order and turns may be others.
func (s *snapshot) rebuilt(before *snapshot, changed map[string]lifecycle.Requirement, raw map[string][]byte) *snapshot {
	entries := make(map[string]*entry, len(s.project.IDs))
	w := s.project.workflow()
	for e := range before.all() {
		if s.project.Workflow != before.project.Workflow {
			e = newEntry(e.requirement(), e.raw, w)
		}
		entries[e.summary.ID] = e
	}
	for id, req := range changed {
		entries[id] = newEntry(req, raw[id], w)
	}
	next, err := newSnapshot(s.project, entries, s.head)
	if err != nil {
		panic(err) // the commit was made by import, which keeps the two in step
	}
	return next
}

// all visits every requirement in document order.
func (s *snapshot) all() func(yield func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for _, chunk := range s.chunks {
			for _, e := range chunk {
				if !yield(e) {
					return
				}
			}
		}
	}
}

func (s *snapshot) find(id string) (*entry, bool) {
	i, found := s.position[id]
	if !found {
		return nil, false
	}
	return s.chunks[i/chunkSize][i%chunkSize], true
}

// Get makes a snapshot readable as the table of requirements.
func (s *snapshot) Get(table, key string) ([]byte, error) {
	if e, found := s.find(key); found && table == tableRequirements.Name {
		return e.raw, nil
	}
	return nil, nil
}

func (e *entry) requirement() lifecycle.Requirement {
	var req lifecycle.Requirement
	if err := jsonv2.Unmarshal(e.raw, &req); err != nil {
		panic(err) // the bytes were encoded from a requirement
	}
	return req
}

// like finds an id that differs from a wrong one only in case, hyphens, underscores, dots or spaces.
func (s *snapshot) like(id string) (string, bool) {
	want := folded(id)
	for _, known := range s.project.IDs {
		if folded(known) == want {
			return known, true
		}
	}
	return "", false
}

func folded(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '-', r == '_', r == '.', r == ' ', r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xFE63, r == 0xFF0D:
			return -1
		}
		return r
	}, strings.ToLower(id))
}

func encode(v any) ([]byte, error) { return jsonv2.Marshal(v, jsonv2.Deterministic(true)) }

// etag changes with every record, since the export names the size of the log.
func (s *snapshot) etag() string { return `"log-` + strconv.FormatUint(s.head.Size, 10) + `"` }
