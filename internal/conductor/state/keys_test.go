package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

func TestPlaces(t *testing.T) {
	for key, want := range map[string]string{
		key(kindNumber, numberKey(42)):                "run/0000002a",
		key(kindNumber, numberKey(1<<32)):             "number/0000000100000000",
		key(kindNumber, "0000002a"):                   "number/0000002a",
		key(kindCount, kindRequest):                   "run0/count/request",
		key(kindOpen, kindRequest):                    "run0/open/request",
		key(kindOpen, kindSchedule):                   "open/schedule",
		key(kindOpen, kindSchedule, "request"):        "open/schedule/request",
		key(kindRequest, "1f"):                        "run/1f/request",
		key(kindTrace, "1f"):                          "run/1f/trace",
		key(kindEvent, "1f", "end"):                   "run/1f/event/end",
		key(kindObligation, "1f", "o1"):               "run/1f/obligation/o1",
		key(kindToolRun, "1f", "o1/1"):                "run/1f/toolrun/o1%2F1",
		key(kindEvidence, "1f", "o1"):                 "run/1f/evidence/o1",
		key(kindQuestion, "1f", "o1.1"):               "run/1f/question/o1.1",
		key(kindAssertion, "1f/o1/1"):                 "run/1f/assertion%2Fo1%2F1",
		key(kindSource, "1f/o1/1/caller"):             "run/1f/source%2Fo1%2F1%2Fcaller",
		key(kindHeld, "run:1f", "o1"):                 "run/1f/held/o1",
		key(kindEntity, "run:1f"):                     "run/1f/entity",
		key(kindRelation, "run:1f", "o1", "user:ada"): "run/1f/relation/o1/user:ada",
		key(kindHeld, "user:ada", "name"):             "held/user:ada/name",
		key(kindHeld, "run", "name"):                  "held/run/name",
		key(kindEntity, "thing"):                      "entity/thing",
		key(kindRelation, "a", "knows", "run:1f"):     "relation/a/knows/run:1f",
		key(kindKey, "ada", "once"):                   "key/ada/once",
		key(kindLarge, "e3b0"):                        "large/e3b0",
		key(kindSchedule, "1f-o1"):                    "schedule/1f-o1",
		key(kindSought, "REPORT(query.astronauts)"):   "sought/REPORT%28query.astronauts%29",
	} {
		require.Equal(t, want, placeOf(key))
	}
}

// keyAt returns the key of the row at a place.
func keyAt(place string) string {
	if key, is := strings.CutPrefix(place, afterRuns); is {
		return key
	}
	rest, is := strings.CutPrefix(place, placeRuns)
	if !is {
		return place
	}
	run, row, of := strings.Cut(rest, "/")
	if !of {
		return kindNumber + "/" + highDigits + rest
	}
	end := strings.IndexAny(row, "/%")
	if end < 0 {
		end = len(row)
	}
	kind := row[:end]
	if slices.Contains([]string{kindEntity, kindRelation, kindHeld}, kind) {
		run = RunPrefix + run
	}
	return kind + "/" + run + row[end:]
}

// anyKey draws the key of a row, such as a step may have.
func anyKey(t *rapid.T) string {
	kinds := []string{kindAssertion, kindEntity, kindRelation, kindSource, kindEvent, kindObligation, kindToolRun,
		kindEvidence, kindQuestion, kindRequest, kindTrace, kindKey, kindCount, kindNumber, kindOpen, kindHeld,
		kindLarge, kindSchedule, kindSought, "run", "run0", "x"}
	part := rapid.OneOf(rapid.SampledFrom([]string{"", "r", "r/o", "r%2Fo", "run:", "run:r", "request",
		highDigits, highDigits + "0000002a", "0000002a", "%", "/"}),
		rapid.String())
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	if rapid.Bool().Draw(t, "raw") {
		return kind + "/" + rapid.StringMatching(`(r|run:|%2F|%|/|request|0{8}){0,6}`).Draw(t, "id")
	}
	return key(kind, rapid.SliceOfN(part, 1, 3).Draw(t, "parts")...)
}

// From its place the key of a row can be told, so that no two rows of a log share one.
func TestNoTwoKeysHaveTheSamePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := anyKey(t)
		if amongRuns(key) {
			s := Stepped{Run: "r", Step: "s", Rows: []Row{{key, []byte(`1`)}}}
			require.ErrorContains(t, s.Apply(audit.Record{Subject: SubjectOf("r")}, nil), "cannot be")
			return
		}
		require.Equal(t, key, keyAt(placeOf(key)))
	})
}

// A row of a run and what only looks like the number of one are apart.
func TestWhatIsNoNumberIsNotAmongRuns(t *testing.T) {
	for _, key := range []string{"number/" + highDigits + "a/source", "number/" + highDigits + "/request"} {
		require.Equal(t, key, placeOf(key))
	}
	require.Equal(t, placeRuns+"0000002a", placeOf("number/"+highDigits+"0000002a"))
}

// What a history of runs has written is read by its keys, is what a replay of its log amounts to, and lies run by run.
func TestRowsAreWhereTheLogSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ir, l := opened(t)
		runs := rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9a-f]{4}`), 1, 4, rapid.ID[string]).Draw(rt, "runs")
		for i := range rapid.IntRange(1, 8).Draw(rt, "steps") {
			n := rapid.IntRange(0, len(runs)-1).Draw(rt, "run")
			writes := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 6).Draw(rt, "writes")
			id := rapid.SampledFrom([]string{"o1", "o1/1", "o2", "o1.1"}).Draw(rt, "id")
			require.NoError(rt, ir.Step(t.Context(), runs[n], "s", ada, func(w *Writer) error {
				var failed error
				for _, which := range writes {
					failed = errors.Join(failed, someRow(w, which, id, Request{ID: runs[n], Number: uint64(n + 1), Caller: ada}, i))
				}
				return failed
			}))
		}
		requireReplayed(t, l)
	})
}

// someRow writes a row or several: which says of which kind.
func someRow(w *Writer, which int, id string, r Request, step int) error {
	o := Obligation{ID: id, Status: planning.Active, Why: fmt.Sprint(step)}
	source := w.Run + "/" + id
	switch which {
	case 0:
		return w.Obligation(o)
	case 1:
		return w.Event(Event{ID: id, What: o.Why})
	case 2:
		return w.ToolRun(ToolRun{ID: id, Tool: o.Why})
	case 3:
		return w.Evidence(Evidence{ID: id, Why: o.Why})
	case 4:
		return w.PutQuestion(Question{ID: id, Question: o.Why})
	case 5:
		return errors.Join(w.Request(r), w.Trace([]byte(`"`+o.Why+`"`)))
	case 6:
		return w.Ended(r)
	case 7:
		return w.Key("ada", w.Run)
	case 8:
		_, err := w.Source(Source{ID: source, Kind: SourceTool, Name: "t"})
		return errors.Join(err, w.Assert(Assertion{ID: source, Subject: RunPrefix + w.Run, Predicate: id, Object: o.Why,
			Confidence: 1, Source: source}, Single))
	}
	_, err := w.Source(Source{ID: source, Kind: SourceCaller, Name: "ada"})
	return errors.Join(err, w.Assert(Assertion{ID: source + o.Why, Subject: "run", Predicate: "p", Object: o.Why,
		Confidence: 1, Source: source}, Many))
}

// requireReplayed holds the rows of a ledger against its log.
func requireReplayed(t *testing.T, l *ledger.Ledger) {
	t.Helper()
	var replay Replay
	last := map[string]string{}
	page, err := l.Records(t.Context(), 1, 1000)
	require.NoError(t, err)
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		for _, raw := range page.Records {
			record, err := audit.Decode(raw)
			require.NoError(t, err)
			data, err := replay.Read(r, record)
			require.NoError(t, err)
			require.NoError(t, replay.Apply(record, data))
			for _, row := range data.(Stepped).Rows {
				last[row.Key] = string(row.Value)
			}
		}
		for key, want := range last {
			got, err := stored(r, key)
			require.NoError(t, err)
			require.Equal(t, want, string(got), key)
		}
		tables, err := replay.Tables()
		require.NoError(t, err)
		require.Len(t, tables[0].Sums, len(last))
		return tables[0].Compare(r)
	}))
}

// Ids of runs are in the order of their numbers, and say by whom and for what a run was.
func TestIdsOfRuns(t *testing.T) {
	named := func(r Request, registry string) string {
		require.NoError(t, r.Name(registry))
		require.Regexp(t, `^[0-9a-f]{16}$`, r.ID)
		return r.ID
	}
	before := ""
	for _, n := range []uint64{1, 2, 9, 10, 255, 256, 65_536, 1<<32 - 1} {
		id := named(Request{Number: n, Caller: ada}, "")
		require.Less(t, before, id)
		require.Equal(t, placeOf(key(kindNumber, numberKey(n))), placeOf(key(kindRequest, id))[:len(placeRuns)+len(highDigits)],
			"its number is before its rows")
		before = id
	}
	require.NotEqual(t, before, named(Request{Number: 1 << 33, Caller: ada}, ""))
	one := Request{Number: 7, Caller: ada}
	require.Equal(t, named(one, "a"), named(one, "a"))
	require.NotEqual(t, named(one, "a"), named(one, "b"))
	require.NotEqual(t, named(one, "a"), named(Request{Number: 7, Caller: audit.Actor{Name: "bob"}}, "a"))
	require.NotEqual(t, named(Request{Caller: ada}, "a")[:8], named(Request{Caller: ada}, "b")[:8],
		"what is not kept has no number")
}
