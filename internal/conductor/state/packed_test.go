package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// tableBytes is what a store takes.
func tableBytes(t testing.TB, s store.Store) (total int) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for _, table := range []string{"audit", "blobs", "ir", "subjects", "hashes"} {
			if err := r.Scan(table, "", "", func(key string, value []byte) error { total += len(key) + len(value); return nil }); err != nil {
				return err
			}
		}
		return nil
	}))
	return total
}

// TestALargeValueIsKeptOnce: a run has its payload in five rows and the record of its steps; the database grows by it once.
func TestALargeValueIsKeptOnce(t *testing.T) {
	for name, payload := range map[string]any{
		"a text":       strings.Repeat("ä\"\\ ", 200_000),
		"many facts":   manyFacts(5000, 0),
		"some large":   manyFacts(300, 5000),
		"odd names":    map[string]any{"$large": strings.Repeat("x", 9000), "$": []any{map[string]any{"$large": "y", "record": 1}}, "$$a": "b", "<&\u2028é": strings.Repeat("z", 600_000)},
		"looks packed": []any{"packed", map[string]any{"$large": strings.Repeat("0", 64), "record": 1, "pad": strings.Repeat("x", 700_000)}},
	} {
		t.Run(name, func(t *testing.T) {
			memory := store.NewMemory()
			ir, _ := openedIn(t, memory)
			o := planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "k", "input": payload}}
			body, err := ledger.Encode(o)
			require.NoError(t, err)
			trace := jsontext.Value(fmt.Sprintf(`{"id":"r1","obligations":[%s],"runs":[{"inputs":%s}]}`, body, body))
			request := Request{ID: "r1", Number: 1, Caller: ada, Request: planning.Request{Obligations: []planning.Obligation{o}}}
			run := ToolRun{ID: "o1/1", Tool: "t", Status: RunStarted, Inputs: o.Payload}
			before := tableBytes(t, memory)
			steps := func(id string) {
				request, trace := request, trace
				request.ID = id
				require.NoError(t, ir.Step(t.Context(), id, "tool started", ada, func(w *Writer) error {
					return errors.Join(w.Obligation(Obligation{ID: "o1", Status: planning.Active, Of: o}), w.Request(request), w.ToolRun(run))
				}))
				done := run
				done.Status = RunDone
				require.NoError(t, ir.Step(t.Context(), id, "ended", ada, func(w *Writer) error {
					return errors.Join(w.ToolRun(done), w.Obligation(Obligation{ID: "o1", Status: planning.Resolved, Of: o}), w.Trace(trace), w.Ended(request))
				}))
			}
			steps("r1")
			grown := tableBytes(t, memory) - before
			require.LessOrEqual(t, float64(grown), 1.3*float64(len(body)), "%d for a body of %d", grown, len(body))

			require.Equal(t, string(trace), string(view(t, ir, func(v View) (jsontext.Value, error) { return v.Trace("r1") })))
			got := view(t, ir, func(v View) (Request, error) { r, _, err := v.Request("r1"); return r, err })
			require.True(t, got.Ended)
			require.True(t, Equal(request.Request, got.Request))
			require.True(t, Equal(o, view(t, ir, func(v View) ([]Obligation, error) { return v.Obligations("r1") })[0].Of))
			require.True(t, Equal(run.Inputs, view(t, ir, func(v View) (ToolRun, error) { r, _, err := v.ToolRun("r1", "o1/1"); return r, err }).Inputs))

			before = tableBytes(t, memory)
			steps("r2")
			require.Less(t, tableBytes(t, memory)-before, len(body)/5, "another run of the same")
		})
	}
}

func manyFacts(n, size int) (facts []any) {
	for i := range n {
		facts = append(facts, map[string]any{"subject": fmt.Sprintf("subject %d", i), "predicate": "p", "object": fmt.Sprint(i) + strings.Repeat("o", size)})
	}
	return facts
}

// TestRowsOfEarlierVersionsAreRead: they have their large values in them.
func TestRowsOfEarlierVersionsAreRead(t *testing.T) {
	ir, l := opened(t)
	trace := jsontext.Value(`{"id":"r1","text":"` + strings.Repeat("x", 100_000) + `"}`)
	require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
		data := Stepped{Run: "r1", Step: "ended", Rows: []Row{{"trace/r1", trace}}}
		_, err := Table.Put(tx, placeOf("trace/r1"), trace)
		return errors.Join(err, tx.Append(ledger.Event{Kind: KindStepped, Actor: ada, Subject: SubjectOf("r1"), Data: data}))
	}))
	require.Equal(t, string(trace), string(view(t, ir, func(v View) (jsontext.Value, error) { return v.Trace("r1") })))
}

func FuzzPacked(f *testing.F) {
	f.Add(`{"a":["` + strings.Repeat("x", largeValue) + `",{"$large":"y"}],"$$":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		raw, err := ledger.Encode(map[string]any{"short": value, "long": []any{value, strings.Repeat("x", largeValue), value}})
		require.NoError(t, err)
		ir, _ := opened(t)
		require.NoError(t, ir.Step(t.Context(), "r1", "ended", ada, func(w *Writer) error { return w.Trace(raw) }))
		require.Equal(t, string(raw), string(view(t, ir, func(v View) (jsontext.Value, error) { return v.Trace("r1") })))
	})
}
