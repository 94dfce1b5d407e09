package replay

import (
	"bytes"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/requirements/encode"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// pieces are the encoding of a requirement, cut where most changes leave it alone. A piece is kept while what it
// encodes stays the same, so that a change encodes little more than what it adds.
type pieces struct {
	definition, state, work []byte // members; notes and moves leave the work alone
	notes, deviations       []jsontext.Value
	approvals, history      []jsontext.Value
}

// after returns the pieces of a requirement that takes the place of another one, whose pieces they are. The zero pieces
// are of no requirement.
func (p pieces) after(w *jsonobject.Writer, before, now lifecycle.Requirement) (next pieces, err error) {
	next, w.Err = p, nil
	if p.definition == nil || !sameDefinition(before.Definition, now.Definition) {
		next.definition = encoded(w, &now.Definition, encode.Definition)
	}
	next.state = encoded(w, &now, encode.State)
	if p.work == nil || !sameWork(before, now) {
		next.work = encoded(w, &now, encode.Work)
	}
	next.notes = entries(w, p.notes, before.PMNotes, now.PMNotes, same, encode.Note)
	next.deviations = entries(w, p.deviations, before.Deviations, now.Deviations, same, encode.Deviation)
	next.approvals = entries(w, p.approvals, before.Approvals, now.Approvals, same, encode.Approval)
	next.history = entries(w, p.history, before.History, now.History, sameEntry, encode.Entry)
	return next, w.Err
}

// entries encodes the entries of a list from the first on that is not as before.
func entries[T any](w *jsonobject.Writer, known []jsontext.Value, before, now []T, same func(a, b T) bool,
	write func(*jsonobject.Writer, *T)) []jsontext.Value {
	n := 0
	for n < min(len(known), len(before), len(now)) && same(before[n], now[n]) {
		n++
	}
	if n == len(known) && n == len(now) {
		return known
	}
	known = slices.Clip(known[:n])
	for i := range now[n:] {
		known = append(known, encoded(w, &now[n+i], write))
	}
	return known
}

// encoded returns what a function writes.
func encoded[T any](w *jsonobject.Writer, of *T, write func(*jsonobject.Writer, *T)) []byte {
	w.B = w.B[:0]
	write(w, of)
	return bytes.Clone(w.B)
}

// append adds the whole encoding to a buffer.
func (p *pieces) append(b []byte) []byte {
	b = append(append(b, '{'), p.definition...)
	b = append(append(b, ','), p.state...)
	b = appendList(b, `,"pm_notes":[`, p.notes)
	b = appendList(b, `,"deviations":[`, p.deviations)
	b = appendList(b, `,"approvals":[`, p.approvals)
	b = append(append(b, ','), p.work...)
	return append(appendList(b, `,"history":[`, p.history), '}')
}

func appendList(b []byte, begin string, entries []jsontext.Value) []byte {
	b = append(b, begin...)
	for i, entry := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, entry...)
	}
	return append(b, ']')
}

// What the rules leave as it is, they leave where it is: of slices it is enough that they are the same memory.

func same[T comparable](a, b T) bool { return a == b }

func sameDefinition(a, b lifecycle.Definition) bool {
	return a.ID == b.ID && a.Title == b.Title && a.Text == b.Text && a.Kind == b.Kind && a.Fingerprint == b.Fingerprint &&
		isSlice(a.Acceptance, b.Acceptance) && isSlice(a.Parents, b.Parents) && isSlice(a.DependsOn, b.DependsOn) &&
		sameSource(a.Source, b.Source)
}

func sameSource(a, b lifecycle.Source) bool {
	return a.Path == b.Path && a.Line == b.Line && a.EndLine == b.EndLine && isSlice(a.Section, b.Section) &&
		a.Family == b.Family && a.Assigned == b.Assigned && a.Priority == b.Priority && a.Tick == b.Tick
}

func sameWork(a, b lifecycle.Requirement) bool {
	return isSlice(a.DesignSpec, b.DesignSpec) && isSlice(a.Implementation, b.Implementation) && a.Test == b.Test &&
		isSlice(a.ImplementationEvidence, b.ImplementationEvidence) && isSlice(a.Stale, b.Stale) &&
		isSlice(a.Moved, b.Moved) && sameTime(a.TextSince, b.TextSince) && a.Stamps == b.Stamps
}

// sameTime reports whether two times are encoded alike.
func sameTime(a, b time.Time) bool { return a.Equal(b) && a.Location() == b.Location() }

func sameEntry(a, b lifecycle.HistoryEntry) bool {
	return a.Stamp == b.Stamp && a.From == b.From && a.To == b.To && a.Justification.Reason == b.Justification.Reason &&
		isSlice(a.Justification.Evidence, b.Justification.Evidence)
}

// isSlice reports whether two slices are one, or both empty.
func isSlice[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
