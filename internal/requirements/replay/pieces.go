package replay

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
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
func (p pieces) after(e *encoder, before, now lifecycle.Requirement) (next pieces, err error) {
	next, e.err = p, nil
	if p.definition == nil || !sameDefinition(before.Definition, now.Definition) {
		next.definition, err = members(now.Definition, err)
	}
	next.state = encoded(e, (*encoder).state, &now)
	if p.work == nil || !sameWork(before, now) {
		next.work = encoded(e, (*encoder).work, &now)
	}
	next.notes, err = entries(p.notes, before.PMNotes, now.PMNotes, same, by(e, (*encoder).note), err)
	next.deviations, err = entries(p.deviations, before.Deviations, now.Deviations, same, byLibrary, err)
	next.approvals, err = entries(p.approvals, before.Approvals, now.Approvals, same, byLibrary, err)
	next.history, err = entries(p.history, before.History, now.History, sameEntry, by(e, (*encoder).entry), err)
	return next, cmp.Or(err, e.err)
}

// members encodes a struct without its braces, unless there was an error before.
func members(of any, before error) ([]byte, error) {
	if before != nil {
		return nil, before
	}
	raw, err := ledger.Encode(of)
	if err != nil {
		return nil, err
	}
	return raw[1 : len(raw)-1], nil
}

// entries encodes the entries of a list from the first on that is not as before, unless there was an error before.
func entries[T any](known []jsontext.Value, before, now []T, same func(a, b T) bool, encode func(*T) ([]byte, error),
	failed error) ([]jsontext.Value, error) {
	n := 0
	for n < min(len(known), len(before), len(now)) && same(before[n], now[n]) {
		n++
	}
	if n == len(known) && n == len(now) || failed != nil {
		return known, failed
	}
	known = slices.Clip(known[:n])
	for i := range now[n:] {
		raw, err := encode(&now[n+i])
		if err != nil {
			return nil, err
		}
		known = append(known, raw)
	}
	return known, nil
}

// byLibrary encodes an entry of a list that is seldom added to.
func byLibrary[T any](entry *T) ([]byte, error) { return ledger.Encode(entry) }

// by returns what encodes an entry with the members that a method of an encoder adds.
func by[T any](e *encoder, members func(*encoder, *T)) func(*T) ([]byte, error) {
	return func(entry *T) ([]byte, error) {
		return encoded(e, func(e *encoder, entry *T) {
			e.b = append(e.b, '{')
			members(e, entry)
			e.close()
		}, entry), e.err
	}
}

// encoded returns what a method of an encoder adds.
func encoded[T any](e *encoder, add func(*encoder, *T), of *T) []byte {
	e.b = e.b[:0]
	add(e, of)
	return bytes.Clone(e.b)
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
		isSlice(a.Moved, b.Moved) && a.TextSince.Equal(b.TextSince) && a.Stamps == b.Stamps
}

func sameEntry(a, b lifecycle.HistoryEntry) bool {
	return a.Stamp == b.Stamp && a.From == b.From && a.To == b.To && a.Justification.Reason == b.Justification.Reason &&
		isSlice(a.Justification.Evidence, b.Justification.Evidence)
}

// isSlice reports whether two slices are one, or both empty.
func isSlice[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
