package state

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/readahead"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/strictjson"
)

// View reads the state at one moment.
type View struct {
	from   store.Reader
	caller string // who sees it; "" for all that there is
	size   uint64 // records that it has at least
}

// InARow returns a view for reading one run after the other, newest first. It reads the rows of several at once.
func InARow(v View) View {
	v.from = readahead.Groups(v.from, Table.Name, placeRuns)
	return v
}

func (v View) get(kind string, id ...string) (jsontext.Value, error) {
	return stored(v.from, key(kind, id...))
}

func (v View) packedRow(kind string, id ...string) (jsontext.Value, error) {
	return v.from.Get(Table.Name, placeOf(key(kind, id...)))
}

// read reads a row; found is false if there is none.
func read[T any](get func(kind string, id ...string) (jsontext.Value, error), kind string,
	id ...string) (value T, found bool, err error) {
	raw, err := get(kind, id...)
	if err != nil || raw == nil {
		return value, false, err
	}
	return decode[T](key(kind, id...), raw)
}

// Plain returns a value in the types that JSON is read into, its numbers as those of requests, for schemas, conditions
// and traces.
func Plain[T any](value any) (plain T, err error) {
	raw, err := ledger.Encode(value)
	if err == nil {
		err = jsonv2.Unmarshal(raw, &plain, strictjson.Exact())
	}
	return plain, err
}

func decode[T any](key string, raw []byte) (value T, found bool, err error) {
	if err := jsonv2.Unmarshal(raw, &value, strictjson.Exact()); err != nil {
		return value, false, fault.New(fault.Internal, store.CodeDamaged, "the row ir/%s cannot be read", key).
			WithFix("orchestrator verify says what else is wrong; restore a backup").Because(err)
	}
	return value, true, nil
}

// Held returns the assertions on a subject and a predicate that are held.
func (v View) Held(subject, predicate string) ([]Assertion, error) {
	return v.seen(heldOf(v.get, subject, predicate))
}

func heldOf(get func(kind string, id ...string) (jsontext.Value, error), subject,
	predicate string) (all []Assertion, err error) {
	ids, _, err := read[[]string](get, kindHeld, subject, predicate)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		a, found, err := read[Assertion](get, kindAssertion, id)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fault.New(fault.Internal, store.CodeDamaged, "the assertion %q is held, and is not there", id).
				WithFix("orchestrator verify says what else is wrong; restore a backup")
		}
		all = append(all, a)
	}
	return all, nil
}

// Facts are the objects that are held, by subject.
type Facts map[string]Objects

// Objects are the objects that are held on one subject, by predicate: one alone, or a list of several.
type Objects map[string]any

// Subjects returns those on which each of some objects is held, in the order of their names.
func (v View) Subjects(wanted Objects) (subjects []string, err error) {
	have := map[string]map[string]bool{}
	err = scanHeld(v, func(subject, predicate string) error {
		want, asked := wanted[predicate]
		if !asked {
			return nil
		}
		held, err := v.Held(subject, predicate)
		if err != nil {
			return err
		}
		for _, a := range held {
			if Equal(a.Object, want) {
				if have[subject] == nil {
					have[subject] = map[string]bool{}
				}
				have[subject][predicate] = true
			}
		}
		if len(have[subject]) == len(wanted) {
			subjects = append(subjects, subject)
		}
		return nil
	})
	return subjects, err
}

// Facts returns all that is held but the results of runs.
func (v View) Facts() (Facts, error) {
	facts := Facts{}
	err := scanHeld(v, func(subject, predicate string) error {
		held, err := v.Held(subject, predicate)
		if err != nil || len(held) == 0 {
			return err
		}
		of := facts[subject]
		if of == nil {
			of = Objects{}
			facts[subject] = of
		}
		var objects []any
		for _, a := range held { // several may say the same
			if !slices.ContainsFunc(objects, func(o any) bool { return Equal(o, a.Object) }) {
				objects = append(objects, a.Object)
			}
		}
		if of[predicate] = any(objects); len(objects) == 1 {
			of[predicate] = objects[0]
		}
		return nil
	})
	return facts, err
}

// Request returns a run as it was asked for.
func (v View) Request(run string) (Request, bool, error) {
	return read[Request](v.get, kindRequest, run)
}

// Head is a run without what was asked for, which may be large.
type Head struct {
	ID     string      `json:"id"`
	Number uint64      `json:"number"`
	Caller audit.Actor `json:"caller"`
	Ended  bool        `json:"ended"`
}

// rows are read as they were put, or as they are kept: without their large values.
type rows interface {
	get(kind string, id ...string) (jsontext.Value, error)
	packedRow(kind string, id ...string) (jsontext.Value, error)
}

// headOf returns the head of a run. None of what it has is ever large, so that nothing else has to be read.
func headOf(from rows, run string) (h Head, found bool, err error) {
	raw, err := from.packedRow(kindRequest, run)
	if err != nil || raw == nil {
		return h, false, err
	}
	if inner, is := bytes.CutPrefix(raw, []byte(packedMark)); is {
		raw = inner[:len(inner)-1]
	}
	return decode[Head](key(kindRequest, run), raw)
}

// NumberedHead returns the head of the run of a number.
func (v View) NumberedHead(n uint64) (h Head, found bool, err error) {
	id, found, err := read[string](v.get, kindNumber, numberKey(n))
	if err != nil || !found {
		return h, false, err
	}
	return headOf(v, id)
}

// Head returns the head of a run.
func (v View) Head(run string) (h Head, found bool, err error) { return headOf(v, run) }

// Open returns the runs that have not ended, as they began.
func (v View) Open() (all []Request, err error) {
	ids, _, err := read[[]string](v.get, kindOpen, kindRequest)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		r, _, err := v.Request(id)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Count returns how many runs there were.
func (v View) Count() (uint64, error) {
	n, _, err := read[uint64](v.get, kindCount, kindRequest)
	return n, err
}

// RunOf returns the run that a caller's idempotency key named first, or "".
func (v View) RunOf(caller, idempotencyKey string) (string, error) {
	run, _, err := read[string](v.get, kindKey, caller, idempotencyKey)
	return run, err
}

// Trace returns the trace of a run that has ended; nil if there is none.
func (v View) Trace(run string) (jsontext.Value, error) {
	raw, err := v.get(kindTrace, run)
	return raw.Clone(), err // it lives no longer than the view
}

// Obligations returns those of a run, by their ids.
func (v View) Obligations(run string) (all []Obligation, err error) {
	err = v.scan(key(kindObligation, run), func(rest string, raw []byte) error {
		row, err := unpacked(v.from, raw)
		if err != nil {
			return err
		}
		o, _, err := decode[Obligation](rest, row)
		all = append(all, o)
		return err
	})
	return all, err
}

// Assertion returns something that is held, or was.
func (v View) Assertion(id string) (Assertion, bool, error) {
	return read[Assertion](v.get, kindAssertion, id)
}

// Actor returns who is behind a source: who stated it, or whose run the tool ran in.
func (v View) Actor(source string) (string, error) { return actorOf(v, source) }

// Source returns where assertions come from.
func (v View) Source(id string) (Source, bool, error) { return read[Source](v.get, kindSource, id) }

// Event returns something that happened in a run.
func (v View) Event(run, id string) (Event, bool, error) {
	return read[Event](v.get, kindEvent, run, id)
}

// Evidence returns what the second evaluation of an answer found.
func (v View) Evidence(run, id string) (Evidence, bool, error) {
	return read[Evidence](v.get, kindEvidence, run, id)
}

// ToolRun returns a run of a tool.
func (v View) ToolRun(run, id string) (ToolRun, bool, error) {
	return read[ToolRun](v.get, kindToolRun, run, id)
}

// scanHeld visits the subjects and predicates of what is held about anything but runs, whose results are many and
// nobody's facts, and stand elsewhere.
func scanHeld(v View, visit func(subject, predicate string) error) error {
	return v.scan(kindHeld, func(rest string, raw []byte) error {
		subject, predicate, err := namesOf(v, rest, raw)
		if err != nil || subject == "" {
			return err
		}
		return visit(subject, predicate)
	})
}

// namesOf returns the subject and the predicate of a row that says what is held. The key has the beginning of a long
// name; what is held has all of it. The subject is "" where that is nothing.
func namesOf(v View, rest string, raw []byte) (subject, predicate string, err error) {
	if !strings.Contains(rest, "~") {
		return splitID(rest)
	}
	row, err := unpacked(v.from, raw)
	if err != nil {
		return "", "", err
	}
	ids, _, err := decode[[]string](rest, row)
	if err != nil || len(ids) == 0 {
		return "", "", err
	}
	a, _, err := v.Assertion(ids[0])
	return a.Subject, a.Predicate, err
}

// scan visits the rows below a key, with what follows it.
func (v View) scan(below string, visit func(rest string, raw []byte) error) error {
	below = placeOf(below) + "/"
	return v.from.Scan(Table.Name, below, below[:len(below)-1]+"0", func(key string, raw []byte) error {
		return visit(strings.TrimPrefix(key, below), raw)
	})
}

// splitID splits an id into its two parts.
func splitID(rest string) (first, second string, err error) {
	a, b, _ := strings.Cut(rest, "/")
	if first, err = url.PathUnescape(a); err == nil {
		second, err = url.PathUnescape(b)
	}
	if err != nil {
		err = fmt.Errorf("the row %q has no name: %w", rest, err)
	}
	return first, second, err
}
