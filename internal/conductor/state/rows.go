package state

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
	"orchestrator/internal/system/tracing"
)

// Step writes the rows of one step, as one record of an actor.
func (s *Store) Step(ctx context.Context, run, step string, actor audit.Actor, write func(w *Writer) error) error {
	return s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		w := &Writer{from: tx, Run: run, At: tx.At(), rows: map[string]*written{}}
		if err := write(w); err != nil {
			return err
		}
		if len(w.rows) == 0 {
			return errors.New("a step without rows")
		}
		data, err := w.packed(tx.Seq())
		if err != nil {
			return err
		}
		data.Run, data.Step = run, step
		for _, row := range data.Rows {
			if _, err := Table.Put(tx, placeOf(row.Key), row.Value); err != nil {
				return err
			}
		}
		tx.Finish() // a tool has run: that is on record, whatever its caller has spent
		encoded, err := data.encoded()
		if err != nil {
			return err
		}
		return tx.Append(ledger.Event{Kind: KindStepped, Actor: actor, Subject: SubjectOf(run),
			RequestID: tracing.ID(ctx), Data: encoded})
	})
}

// packed returns the rows as they are kept, by ascending key, with the values that are taken out of them. record is
// that of the step.
func (w *Writer) packed(record uint64) (Stepped, error) {
	p := packer{record: record, values: map[string]jsontext.Value{}, find: func(digest string) (uint64, bool, error) {
		return read[uint64](w.get, kindLarge, digest)
	}}
	var data Stepped
	for _, name := range slices.Sorted(maps.Keys(w.rows)) {
		raw, err := w.rows[name].encoded()
		if err != nil {
			return data, err
		}
		row, err := p.row(raw)
		if err != nil {
			return data, err
		}
		data.Rows = append(data.Rows, Row{name, row})
	}
	for digest := range p.values {
		raw, err := ledger.Encode(record)
		if err != nil {
			return data, err
		}
		data.Rows = append(data.Rows, Row{key(kindLarge, digest), raw})
	}
	slices.SortFunc(data.Rows, func(a, b Row) int { return strings.Compare(a.Key, b.Key) })
	data.Values = p.values
	return data, nil
}

// Writer gathers the rows of one step.
type Writer struct {
	from store.Getter // as it was before the step
	Run  string
	At   time.Time
	rows map[string]*written
}

// written is a row of a step. It is encoded when it is read or kept: a later row of the step may take its place.
type written struct {
	value any // not changed once it is written
	raw   jsontext.Value
}

func (r *written) encoded() (raw jsontext.Value, err error) {
	if r.raw == nil {
		r.raw, err = encoded(r.value)
	}
	return r.raw, err
}

// get returns a row as this step leaves it.
func (w *Writer) get(kind string, id ...string) (jsontext.Value, error) {
	name := key(kind, id...)
	if row := w.rows[name]; row != nil {
		return row.encoded()
	}
	return stored(w.from, name)
}

func (w *Writer) packedRow(kind string, id ...string) (jsontext.Value, error) {
	name := key(kind, id...)
	if row := w.rows[name]; row != nil {
		return row.encoded()
	}
	return w.from.Get(Table.Name, placeOf(name))
}

// Held returns the assertions on a subject and a predicate that are held.
func (w *Writer) Held(subject, predicate string) ([]Assertion, error) {
	return heldOf(w.get, subject, predicate)
}

func (w *Writer) put(value any, kind string, id ...string) error {
	w.rows[key(kind, id...)] = &written{value: value}
	return nil
}

// Source writes a source, and returns its id.
func (w *Writer) Source(s Source) (id string, err error) {
	s.Run, s.At = w.Run, w.At
	return s.ID, w.put(s, kindSource, s.ID)
}

// Event writes an event.
func (w *Writer) Event(e Event) error {
	e.Run, e.At = w.Run, w.At
	return w.put(e, kindEvent, w.Run, e.ID)
}

// Obligation writes an obligation.
func (w *Writer) Obligation(o Obligation) error {
	o.Run = w.Run
	return w.put(o, kindObligation, w.Run, o.ID)
}

// ToolRun writes a run of a tool.
func (w *Writer) ToolRun(t ToolRun) error {
	t.Run = w.Run
	if t.At.IsZero() {
		t.At = w.At
	}
	return w.put(t, kindToolRun, w.Run, t.ID)
}

// Evidence writes what a verification found.
func (w *Writer) Evidence(e Evidence) error {
	e.Run = w.Run
	return w.put(e, kindEvidence, w.Run, e.ID)
}

// Begin writes a run that begins: its key, which stands in the name of keyOwner, its obligations and its request.
func (w *Writer) Begin(r Request, keyOwner string) error {
	if key := r.Request.IdempotencyKey; key != "" {
		if err := w.Key(keyOwner, key); err != nil {
			return err
		}
	}
	for i, o := range r.Request.Obligations {
		if err := w.Obligation(Obligation{ID: flow.Place(i), Status: planning.Active, Of: o}); err != nil {
			return err
		}
	}
	return w.Request(r)
}

// Request writes the request of a run that begins, and counts it.
func (w *Writer) Request(r Request) error {
	before, _, err := read[uint64](w.get, kindCount, kindRequest)
	if err == nil {
		err = w.put(max(before, r.Number), kindCount, kindRequest)
	}
	if err == nil {
		err = w.put(r.ID, kindNumber, numberKey(r.Number))
	}
	if err == nil {
		err = w.open(func(ids []string) []string { return append(ids, r.ID) })
	}
	if err != nil {
		return err
	}
	return w.put(r, kindRequest, r.ID)
}

// Ended records that the run of a request has ended.
func (w *Writer) Ended(r Request) error {
	r.Ended = true
	err := w.open(func(ids []string) []string {
		return slices.DeleteFunc(ids, func(id string) bool { return id == r.ID })
	})
	if err != nil {
		return err
	}
	return w.put(r, kindRequest, r.ID)
}

// open changes which runs have not ended. One that begins and ends in one step leaves that as it is.
func (w *Writer) open(change func(ids []string) []string) error {
	name := key(kindOpen, kindRequest)
	ids, _, err := read[[]string](w.get, kindOpen, kindRequest)
	if err != nil {
		return err
	}
	before, err := stored(w.from, name)
	if err != nil {
		return err
	}
	row := &written{value: change(ids)}
	after, err := row.encoded()
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) || before == nil && string(after) == "[]" {
		delete(w.rows, name)
		return nil
	}
	w.rows[name] = row
	return nil
}

// Trace writes the trace of the run, as it is answered.
func (w *Writer) Trace(raw jsontext.Value) error {
	w.rows[key(kindTrace, w.Run)] = &written{raw: raw}
	return nil
}

// ErrKeyTaken is returned when another run has the idempotency key.
var ErrKeyTaken = errors.New("another run has the idempotency key")

// Key records which run a caller's idempotency key named first; its error is ErrKeyTaken if that is another one.
func (w *Writer) Key(caller, idempotencyKey string) error {
	first, found, err := read[string](w.get, kindKey, caller, idempotencyKey)
	if err == nil && found && first != w.Run {
		err = ErrKeyTaken
	}
	if err != nil {
		return err
	}
	return w.put(w.Run, kindKey, caller, idempotencyKey)
}

// Holding says what an assertion does to those of the same subject and predicate that are held.
type Holding int

// The ways of holding.
const (
	Many       Holding = iota // it stands beside them; what is held already is not held twice
	Single                    // it takes the place of all; what one run resulted in is held once for each obligation
	Functional                // it takes the place of what the same actor said, and stands beside what others say
)

// Assert puts an assertion, with its entity and, where its object is an entity too, the relation.
func (w *Writer) Assert(a Assertion, holding Holding) error {
	a.Since, a.Until = w.At, time.Time{}
	held, err := w.Held(a.Subject, a.Predicate)
	if err != nil {
		return err
	}
	ids, known := []string{}, false
	for _, old := range held {
		same, ends, err := against(w, old, a, holding)
		if err != nil {
			return err
		}
		known = known || same
		if same || !ends {
			ids = append(ids, old.ID)
			continue
		}
		old.Until = w.At
		if err := w.put(old, kindAssertion, old.ID); err != nil {
			return err
		}
	}
	if known && len(ids) == len(held) {
		return nil
	}
	if known {
		return w.put(ids, kindHeld, a.Subject, a.Predicate)
	}
	if err := w.relate(a); err != nil {
		return err
	}
	if err := w.put(append(ids, a.ID), kindHeld, a.Subject, a.Predicate); err != nil {
		return err
	}
	return w.put(a, kindAssertion, a.ID)
}

// against compares an assertion with an older one: whether it says the same and changes nothing, and whether it takes the
// place of the older one.
func against(w *Writer, old, a Assertion, holding Holding) (same, ends bool, err error) {
	if holding != Single {
		if beside, err := apart(w, old, a); err != nil || beside {
			return false, false, err
		}
	}
	ends, err = replaces(w, old, a, holding)
	same = Equal(old.Object, a.Object) && !strings.HasPrefix(a.Subject, RunPrefix) && (ends || holding == Many)
	if err != nil || !same {
		return false, ends, err
	}
	word, err := merelyWord(w.get, old, a)
	return !word, ends || word, err
}

// replaces reports whether an assertion takes the place of an older one.
func replaces(w *Writer, old, a Assertion, holding Holding) (bool, error) {
	if holding != Functional {
		return holding == Single, nil
	}
	before, err := actorOf(w, old.Source)
	if err != nil {
		return false, err
	}
	now, err := actorOf(w, a.Source)
	return before == now, err
}

// merelyWord reports whether an older assertion was the word of a tool, and a newer one that says the same is not.
func merelyWord(get func(kind string, id ...string) (jsontext.Value, error), old, a Assertion) (bool, error) {
	before, _, err := read[Source](get, kindSource, old.Source)
	if err != nil {
		return false, err
	}
	now, _, err := read[Source](get, kindSource, a.Source)
	return len(before.Words) > 0 && len(now.Words) == 0, err
}

// WordsIn returns the tools whose word the inputs of a tool are that are known of a subject.
func (w *Writer) WordsIn(subject string, inputs []string) (all []string, err error) {
	for _, name := range inputs {
		held, err := w.Held(subject, name)
		if err != nil {
			return nil, err
		}
		for _, a := range held {
			source, _, err := read[Source](w.get, kindSource, a.Source)
			if err != nil {
				return nil, err
			}
			all = append(all, source.Words...)
		}
	}
	return all, nil
}

// actorOf returns who is behind a source: who stated it, or whose run the tool ran in.
func actorOf(from rows, source string) (string, error) {
	s, _, err := read[Source](from.get, kindSource, source)
	if err != nil || s.Kind != SourceTool {
		return s.Name, err
	}
	r, _, err := headOf(from, s.Run)
	return r.Caller.Name, err
}

// relate makes the entity of an assertion known, and its relation to another one.
func (w *Writer) relate(a Assertion) error {
	typ, _, typed := strings.Cut(a.Subject, ":")
	if !typed {
		typ = "thing"
	}
	if err := w.put(Entity{a.Subject, typ}, kindEntity, a.Subject); err != nil {
		return err
	}
	to, is := a.Object.(string)
	if !is {
		return nil
	}
	raw, err := w.get(kindEntity, to)
	if err != nil || raw == nil {
		return err
	}
	return w.put(Relation{a.Subject, a.Predicate, to}, kindRelation, a.Subject, a.Predicate, to)
}

// Equal reports whether two values are the same as JSON.
func Equal(a, b any) bool {
	x, errX := ledger.Encode(a)
	y, errY := ledger.Encode(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
