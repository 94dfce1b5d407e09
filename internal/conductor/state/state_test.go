package state

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

var ada = audit.Actor{Name: "ada", Role: "coder"}

// opened is a store whose clock goes on a second with each step.
func opened(t *testing.T) (*Store, *ledger.Ledger) {
	t.Helper()
	return openedIn(t, store.NewMemory())
}

func openedIn(t *testing.T, s store.Store) (*Store, *ledger.Ledger) {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l, err := ledger.Open(t.Context(), s, func() time.Time { now = now.Add(time.Second); return now })
	require.NoError(t, err)
	return New(l), l
}

func assert(t *testing.T, ir *Store, id, subject, predicate string, object any, holding Holding) {
	t.Helper()
	require.NoError(t, ir.Step(t.Context(), "r1", "tool ended", ada, func(w *Writer) error {
		source, err := w.Source(Source{ID: "s-" + id, Kind: "tool", Name: "t"})
		return errors.Join(err, w.Assert(Assertion{ID: id, Subject: subject, Predicate: predicate, Object: object, Confidence: 1, Source: source}, holding))
	}))
}

func view[T any](t *testing.T, ir *Store, read func(View) (T, error)) (value T) {
	t.Helper()
	require.NoError(t, ir.View(t.Context(), func(v View) (err error) {
		value, err = read(v)
		return err
	}))
	return value
}

func TestWhatIsHeld(t *testing.T) {
	ir, _ := opened(t)
	assert(t, ir, "a1", "user:ada", "name", "Ada", Single)
	assert(t, ir, "a2", "user:ada", "name", "Ada Lovelace", Single)
	assert(t, ir, "a3", "Alice Smith", "city", "Seattle", Many)
	assert(t, ir, "a4", "Bob/Johnson", "city", "Seattle", Many)
	assert(t, ir, "a5", "Bob/Johnson", "city", "Oslo", Many)
	assert(t, ir, "a6", "Bob/Johnson", "city", "Seattle", Many) // held already
	assert(t, ir, "a7", "Bob/Johnson", "friend", "Alice Smith", Many)
	assert(t, ir, "a8", "Carol", "city", "Oslo", Many)
	assert(t, ir, "a9", "run:r1", "o1", map[string]any{"city": "Oslo"}, Single)
	assert(t, ir, "a10", "run:r1", "city", "Oslo", Single)
	assert(t, ir, "a11", "ruo", "city", "Lima", Single)

	assert(t, ir, "a12", "run:r1", "city", "Oslo", Single) // another tool of the run has found the same
	held := view(t, ir, func(v View) ([]Assertion, error) { return v.Held("run:r1", "city") })
	require.Len(t, held, 1)
	require.Equal(t, "s-a12", held[0].Source)
	first := view(t, ir, func(v View) (Assertion, error) { a, _, err := v.Assertion("a10"); return a, err })
	require.Equal(t, "s-a10", first.Source, "each has its own source")
	require.Equal(t, held[0].Since, first.Until)

	held = view(t, ir, func(v View) ([]Assertion, error) { return v.Held("user:ada", "name") })
	require.Len(t, held, 1)
	require.Equal(t, "Ada Lovelace", held[0].Object, "a single one takes the place of the one before")
	require.Len(t, view(t, ir, func(v View) ([]Assertion, error) { return v.Held("Bob/Johnson", "city") }), 2)

	old := view(t, ir, func(v View) (Assertion, error) { a, _, err := v.Assertion("a1"); return a, err })
	require.Equal(t, held[0].Since, old.Until, "what was held ended when the other began, and is kept")

	for name, c := range map[string]struct {
		wanted map[string]any
		want   []string
	}{
		"one filter":     {map[string]any{"city": "Seattle"}, []string{"Alice Smith", "Bob/Johnson"}},
		"two filters":    {map[string]any{"city": "Oslo", "friend": "Alice Smith"}, []string{"Bob/Johnson"}},
		"nobody":         {map[string]any{"city": "Rome"}, nil},
		"no such thing":  {map[string]any{"shoe size": 42}, nil},
		"another letter": {map[string]any{"city": "seattle"}, nil},
	} {
		require.Equal(t, c.want, view(t, ir, func(v View) ([]string, error) { return v.Subjects(c.wanted) }), name)
	}
	facts := view(t, ir, func(v View) (Facts, error) { return v.Facts() })
	require.Equal(t, Facts{
		"user:ada":    {"name": "Ada Lovelace"},
		"Alice Smith": {"city": "Seattle"},
		"Bob/Johnson": {"city": []any{"Seattle", "Oslo"}, "friend": "Alice Smith"},
		"Carol":       {"city": "Oslo"},
		"ruo":         {"city": "Lima"},
	}, facts)
	related := view(t, ir, func(v View) (Relation, error) {
		r, _, err := read[Relation](v.get, kindRelation, "Bob/Johnson", "friend", "Alice Smith")
		return r, err
	})
	require.Equal(t, Relation{"Bob/Johnson", "friend", "Alice Smith"}, related)
}

func TestRunsAndTheirRows(t *testing.T) {
	ir, l := opened(t)
	o := planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "k"}}
	request := Request{ID: "r1", Number: 1, Caller: ada, Request: planning.Request{Obligations: []planning.Obligation{o}}}
	require.NoError(t, ir.Step(t.Context(), "r1", "known", ada, func(w *Writer) error {
		return errors.Join(w.Key("ada", "k/1"), w.Obligation(Obligation{ID: "o1", Status: planning.Active, Of: o}), w.Request(request))
	}))
	require.NoError(t, ir.Step(t.Context(), "r1", "tool started", ada, func(w *Writer) error { return w.ToolRun(ToolRun{ID: "o1/1", Tool: "t", Status: RunStarted}) }))
	require.NoError(t, ir.Step(t.Context(), "r1", "ended", ada, func(w *Writer) error {
		return errors.Join(w.Evidence(Evidence{ID: "o1", By: "again", Verified: true}), w.Event(Event{ID: "end", Kind: "answered"}), w.Trace(jsontext.Value(`{"id":"r1"}`)), w.Ended(request))
	}))
	require.NoError(t, ir.Step(t.Context(), "r10", "known", ada, func(w *Writer) error {
		return errors.Join(w.Obligation(Obligation{ID: "o1", Status: planning.Active, Of: o}), w.Request(Request{ID: "r10", Number: 2, Caller: ada}))
	}))

	require.EqualValues(t, 2, view(t, ir, func(v View) (uint64, error) { return v.Count() }))
	require.Equal(t, "r1", view(t, ir, func(v View) (string, error) { return v.RunOf("ada", "k/1") }))
	require.Empty(t, view(t, ir, func(v View) (string, error) { return v.RunOf("bob", "k/1") }))
	require.JSONEq(t, `{"id":"r1"}`, string(view(t, ir, func(v View) (jsontext.Value, error) { return v.Trace("r1") })))
	require.Nil(t, view(t, ir, func(v View) (jsontext.Value, error) { return v.Trace("r10") }))
	require.Len(t, view(t, ir, func(v View) ([]Obligation, error) { return v.Obligations("r1") }), 1, "those of r10 are not of r1")
	run := view(t, ir, func(v View) (ToolRun, error) { r, _, err := v.ToolRun("r1", "o1/1"); return r, err })
	require.Equal(t, RunStarted, run.Status)
	open := view(t, ir, func(v View) ([]Request, error) { return v.Open() })
	require.Len(t, open, 1)
	require.Equal(t, "r10", open[0].ID)
	second := view(t, ir, func(v View) (Head, error) { r, _, err := v.NumberedHead(2); return r, err })
	require.Equal(t, "r10", second.ID)
	require.NoError(t, ir.Step(t.Context(), "r3", "ended", ada, func(w *Writer) error {
		r := Request{ID: "r3", Number: 3, Caller: ada}
		return errors.Join(w.Request(r), w.Ended(r))
	}))
	require.Len(t, view(t, ir, func(v View) ([]Request, error) { return v.Open() }), 1, "what begins and ends in one step was never open")
	require.ErrorIs(t, ir.Step(t.Context(), "r4", "known", ada, func(w *Writer) error { return w.Key("ada", "k/1") }), ErrKeyTaken)

	require.ErrorContains(t, ir.Step(t.Context(), "r1", "nothing", ada, func(*Writer) error { return nil }), "without rows")
	before := l.Head().Size
	require.Error(t, ir.Step(t.Context(), "r1", "broken", ada, func(w *Writer) error { return errors.Join(w.Event(Event{ID: "e"}), errors.New("no")) }))
	require.Equal(t, before, l.Head().Size, "a step is whole, or it is none")
}

func TestAStepThatCannotBe(t *testing.T) {
	good := func() (Stepped, audit.Record) {
		return Stepped{Run: "r", Step: "s", Rows: []Row{{"a/1", jsontext.Value(`1`)}, {"a/2", jsontext.Value(`2`)}}}, audit.Record{Subject: SubjectOf("r")}
	}
	put := map[string]string{}
	s, record := good()
	require.NoError(t, s.Apply(record, func(key string, value jsontext.Value) { put[key] = string(value) }))
	require.Equal(t, map[string]string{"a/1": "1", "a/2": "2"}, put)
	for want, spoil := range map[string]func(*Stepped, *audit.Record){
		"without a run":   func(s *Stepped, _ *audit.Record) { s.Run = "" },
		"or rows":         func(s *Stepped, _ *audit.Record) { s.Rows = nil },
		"is about":        func(_ *Stepped, r *audit.Record) { r.Subject = "REQ-001" },
		"not in order":    func(s *Stepped, _ *audit.Record) { s.Rows[1].Key = "a/1" },
		`"b" cannot be`:   func(s *Stepped, _ *audit.Record) { s.Rows[1].Key = "b" },
		`"a/2" cannot be`: func(s *Stepped, _ *audit.Record) { s.Rows[1].Value = jsontext.Value(`{`) },
	} {
		s, record := good()
		spoil(&s, &record)
		require.ErrorContains(t, s.Apply(record, func(string, jsontext.Value) {}), want)
	}
}

// Of a functional relation each actor has one word, the newest, and the words of others stand beside it.
func TestFunctionalAssertions(t *testing.T) {
	ir, _ := opened(t)
	say := func(id, who, object string, holding Holding) {
		require.NoError(t, ir.Step(t.Context(), "r1", "known", ada, func(w *Writer) error {
			source, err := w.Source(Source{ID: "s-" + id, Kind: SourceCaller, Name: who})
			return errors.Join(err, w.Assert(Assertion{ID: id, Subject: "Bob", Predicate: "city", Object: object, Confidence: 1, Source: source}, holding))
		}))
	}
	held := func() (ids []string) {
		for _, a := range view(t, ir, func(v View) ([]Assertion, error) { return v.Held("Bob", "city") }) {
			ids = append(ids, a.ID)
		}
		return ids
	}
	say("a1", "ada", "Oslo", Many)
	say("a2", "ada", "Rome", Many) // before it was declared functional
	say("a3", "ada", "Rome", Functional)
	require.Equal(t, []string{"a2"}, held(), "which is her word already")
	say("a4", "eve", "Lima", Functional)
	say("a5", "eve", "Rome", Functional)
	require.Equal(t, []string{"a2", "a5"}, held(), "each has a word, also where they agree")
	require.Equal(t, "Rome", view(t, ir, View.Facts)["Bob"]["city"])
	say("a6", "ada", "Bonn", Functional)
	require.Equal(t, []string{"a5", "a6"}, held())
	say("a7", "ada", "Bonn", Functional)
	require.Equal(t, []string{"a5", "a6"}, held())
	ended := view(t, ir, func(v View) (Assertion, error) { a, _, err := v.Assertion("a2"); return a, err })
	require.NotZero(t, ended.Until)
	require.Equal(t, "eve", view(t, ir, func(v View) (string, error) { return v.Actor("s-a4") }))
}

// A step keeps the last of what it wrote to each row, and reads it as it is then.
func TestTheLastRowOfAStepCounts(t *testing.T) {
	outer := t
	type write struct {
		id, what string
		reads    bool
	}
	rapid.Check(t, func(t *rapid.T) {
		writes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) write {
			id := rapid.SampledFrom([]string{"o1", "o2", "o3"}).Draw(t, "id")
			return write{id, rapid.StringN(0, 3, -1).Draw(t, "what"), rapid.Bool().Draw(t, "reads")}
		}), 1, 20).Draw(t, "writes")
		ir, l := opened(outer)
		want := map[string]string{}
		require.NoError(t, ir.Step(t.Context(), "r1", "ended", ada, func(w *Writer) error {
			clear(want)
			for _, next := range writes {
				if next.reads {
					raw, err := w.get(kindEvent, "r1", next.id)
					require.NoError(t, err)
					require.Equal(t, want[key(kindEvent, "r1", next.id)], string(raw))
				}
				e := Event{ID: next.id, What: next.what}
				require.NoError(t, w.Event(e))
				e.Run, e.At = w.Run, w.At
				encoded, err := ledger.Encode(e)
				require.NoError(t, err)
				want[key(kindEvent, "r1", next.id)] = string(encoded)
			}
			return nil
		}))
		got := map[string]string{}
		require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
			return r.Scan(Table.Name, "", "", func(key string, raw []byte) error { got[key] = string(raw); return nil })
		}))
		require.Len(t, got, len(want))
		for key, row := range want {
			require.Equal(t, row, got[placeOf(key)])
		}
	})
}

// Rows are put as they were encoded, small or packed: encoding them again would change nothing.
func TestRowsAreEncodedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.Map(rapid.String(), func(s string) any { return strings.Repeat(s, 1000) })
		value := rapid.MapOf(rapid.StringMatching(`\$?[<é"]?[a-z]?`), rapid.OneOf(texts, rapid.Float64().AsAny(), rapid.Bool().AsAny())).Draw(t, "value")
		encoded, err := ledger.Encode(map[string]any{"result": value})
		require.NoError(t, err)
		p := packer{values: map[string]jsontext.Value{}, find: func(string) (uint64, bool, error) { return 0, false, nil }}
		row, err := p.row(encoded)
		require.NoError(t, err)
		again, err := ledger.Encode(row)
		require.NoError(t, err)
		require.Equal(t, string(again), string(row))
	})
}

// A step is encoded as every stored value is.
func TestAStepIsEncodedAsItsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Custom(func(t *rapid.T) jsontext.Value {
			raw, err := ledger.Encode(map[string]any{rapid.String().Draw(t, "name"): rapid.SampledFrom(
				[]any{nil, 1.5, "<é>", []any{}}).Draw(t, "value")})
			require.NoError(t, err)
			return raw
		})
		s := Stepped{Run: rapid.String().Draw(t, "run"), Step: rapid.String().Draw(t, "step"), Values: rapid.MapOf(rapid.String(), value).Draw(t, "values")}
		s.Rows = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Row { return Row{rapid.String().Draw(t, "key"), value.Draw(t, "row")} }), 1, 5).Draw(t, "rows")
		want, err := ledger.Encode(s)
		require.NoError(t, err)
		got, err := s.encoded()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
	_, err := Stepped{Run: "\xff"}.encoded()
	require.Error(t, err, "which is no text")
}
