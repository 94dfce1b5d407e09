package provenance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

func by(name string, value any) Said {
	return Said{value, Source{ID: "s-" + name, Kind: state.SourceCaller, By: name, Run: "r1", At: time.Unix(0, 0)}}
}

// asking is the question k.city about Bob, answered with Oslo, of which nothing is known.
func asking(change func(q *Question)) Question {
	q := Question{
		Obligation: planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "k.city", "who": "Bob"}}, User: "user:ada",
		Answered: planning.Inputs{"value": "Oslo"}, Required: []string{"value"}, Stated: func(string) []Said { return nil },
		Held:       func(string, string) ([]Said, error) { return nil, nil },
		Functional: func(string, string) bool { return false },
	}
	change(&q)
	return q
}

func holding(subject, predicate string, said ...Said) func(string, string) ([]Said, error) {
	return func(s, p string) ([]Said, error) {
		if s != subject || p != predicate {
			return nil, nil
		}
		return said, nil
	}
}

// Verifies: ORC-241
func TestSourcesOfAnAnswer(t *testing.T) {
	functional := func(string, string) bool { return true }
	for name, c := range map[string]struct {
		change  func(q *Question)
		why     string
		sources []string
	}{
		"nobody":         {func(*Question) {}, "no source states value", nil},
		"a fact":         {func(q *Question) { q.Held = holding("Bob", "city", by("eve", "Oslo")) }, "", []string{"s-eve"}},
		"of another one": {func(q *Question) { q.Held = holding("Carol", "city", by("eve", "Oslo")) }, "no source", nil},
		"of the caller":  {func(q *Question) { q.Held = holding("user:ada", "city", by("eve", "Oslo")) }, "no source", nil},
		"another value":  {func(q *Question) { q.Held = holding("Bob", "city", by("eve", "Lima")) }, `value is "Oslo", but stated is "Lima" (eve, on 1970-01-01T00:00:00Z in the run r1)`, []string{"s-eve"}},
		"one of two":     {func(q *Question) { q.Held = holding("Bob", "city", by("eve", "Lima"), by("ada", "Oslo")) }, "", []string{"s-ada"}},
		"two, where there can be one": {func(q *Question) {
			q.Functional, q.Held = functional, holding("Bob", "city", by("eve", "Lima"), by("ada", "Oslo"))
		}, "city of Bob is functional, and contradicted", []string{"s-ada", "s-eve"}},
		"two who say the same": {func(q *Question) {
			q.Functional, q.Held = functional, holding("Bob", "city", by("eve", "Oslo"), by("ada", "Oslo"))
		}, "", []string{"s-ada", "s-eve"}},
		"a newer word": {func(q *Question) {
			q.Functional, q.Held = functional, holding("Bob", "city", by("eve", "Lima"), by("eve", "Oslo"))
		}, "", []string{"s-eve"}},
		"the request":        {func(q *Question) { q.Stated = func(m string) []Said { return []Said{by(m, "Oslo")} } }, "", []string{"s-value"}},
		"nothing to confirm": {func(q *Question) { q.Answered, q.Required = planning.Inputs{}, nil }, "the answer says nothing", nil},
		"all of a list": {func(q *Question) {
			q.Answered, q.Required = planning.Inputs{"values": []any{"Oslo", "Lima"}}, nil
			q.Held = holding("Bob", "city", by("eve", "Oslo"), by("ada", "Lima"))
		}, "", []string{"s-ada", "s-eve"}},
		"a part of a list": {func(q *Question) {
			q.Answered, q.Required = planning.Inputs{"values": []any{"Oslo", "Lima"}}, nil
			q.Held = holding("Bob", "city", by("eve", "Oslo"))
		}, "values is", []string{"s-eve"}},
		"the caller, where nobody is named": {func(q *Question) {
			q.Obligation.Payload = map[string]any{"kind": "k.city", "n": 7}
			q.Held = holding("user:ada", "city", by("ada", "Oslo"))
		}, "", []string{"s-ada"}},
		"the caller by name": {func(q *Question) {
			q.Obligation.Payload = map[string]any{"kind": "k.city", "who": "user"}
			q.Held = holding("user:ada", "city", by("ada", "Oslo"))
		}, "", []string{"s-ada"}},
		"of somebody else beside": {func(q *Question) {
			q.Obligation.Payload["note"], q.Held = "Alice", holding("Alice", "city", by("eve", "Oslo"))
		}, "the payload has note and who, and the contract does not say about which", nil},
		"of one of two": {func(q *Question) {
			q.Obligation.Payload["note"], q.Held = "Alice", holding("Bob", "city", by("eve", "Oslo"))
		}, "whom it is about is not clear", nil},
		"of somebody else, for the caller": {func(q *Question) {
			q.Obligation.Payload = map[string]any{"kind": "k.city", "near": "Alice", "person": "user"}
			q.Held = holding("Alice", "city", by("eve", "Oslo"))
		}, "the payload has near and person", nil},
		"of whom the contract says": {func(q *Question) {
			q.Obligation.Payload["note"], q.About, q.Held = "Alice", "who", holding("Bob", "city", by("eve", "Oslo"))
		}, "", []string{"s-eve"}},
		"not of whom the contract says": {func(q *Question) {
			q.Obligation.Payload["note"], q.About, q.Held = "Alice", "who", holding("Alice", "city", by("eve", "Oslo"))
		}, "no source states value", nil},
		"the contract says, and the payload does not": {func(q *Question) {
			q.About, q.Held = "person", holding("user:ada", "city", by("ada", "Oslo"))
		}, "", []string{"s-ada"}},
		"the contract says, and it is the caller": {func(q *Question) {
			q.Obligation.Payload = map[string]any{"kind": "k.city", "near": "Alice", "person": "user"}
			q.About, q.Held = "person", holding("user:ada", "city", by("ada", "Oslo"))
		}, "", []string{"s-ada"}},
		"status is of the caller": {func(q *Question) {
			q.Obligation.Payload = map[string]any{"kind": "status.city", "who": "Bob"}
			q.Held = holding("user:ada", "city", by("ada", "Oslo"))
		}, "", []string{"s-ada"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Confirm(asking(c.change))
			require.NoError(t, err)
			var ids []string
			for _, s := range f.Sources {
				ids = append(ids, s.ID)
			}
			require.Equal(t, c.sources, ids)
			if c.why != "" {
				require.Contains(t, f.Why, c.why)
				require.Nil(t, f.Kept["value"])
				return
			}
			require.Empty(t, f.Why)
			require.NotEmpty(t, f.Kept)
		})
	}
	f, err := Confirm(asking(func(q *Question) {
		q.Answered = planning.Inputs{"value": "Oslo", "since": "1999", "name": "Bob Ross"}
		q.Held = func(_, predicate string) ([]Said, error) {
			return map[string][]Said{"city": {by("eve", "Oslo")}, "name": {by("eve", "Bob Ross")}}[predicate], nil
		}
	}))
	require.NoError(t, err)
	require.Equal(t, planning.Inputs{"value": "Oslo", "name": "Bob Ross"}, f.Kept, "what nobody states is not answered")
	_, err = Confirm(asking(func(q *Question) { q.Held = func(string, string) ([]Said, error) { return nil, store.ErrClosed } }))
	require.ErrorIs(t, err, store.ErrClosed)
}

func TestWhoSaidWhatIsHeld(t *testing.T) {
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	ir := state.New(l)
	say := func(run, who string, source state.Source, object string) {
		actor := audit.Actor{Name: who, Role: "coder"}
		require.NoError(t, ir.Step(t.Context(), run, "known", actor, func(w *state.Writer) error {
			require.NoError(t, w.Request(state.Request{ID: run, Number: 1, Caller: actor}))
			id, err := w.Source(source)
			require.NoError(t, err)
			return w.Assert(state.Assertion{ID: "a-" + source.ID, Subject: "Bob", Predicate: "city", Object: object, Confidence: 1, Source: id}, state.Many)
		}))
	}
	say("r1", "eve", state.Source{ID: "s1", Kind: state.SourceTool, Name: "ir.assert"}, "Oslo") // as older programs wrote it
	say("r2", "ada", state.Source{ID: "s2", Kind: state.SourceCaller, Name: "ada"}, "Lima")
	say("r3", "bob", state.Source{ID: "s3", Kind: state.SourceAnswer, Name: "pat"}, "Bonn")
	say("r4", "zed", state.Source{ID: "s4", Kind: state.SourceTool, Name: "a.liar"}, "Rome")
	require.NoError(t, ir.View(t.Context(), func(v state.View) error {
		held, err := Held(v, "r4", "Bob", "city")
		require.NoError(t, err)
		require.Len(t, held, 3, "what a tool of the run itself asserted is no source")
		for i, want := range []Source{{ID: "s1", Kind: "tool", By: "eve", Tool: "ir.assert", Run: "r1"}, {ID: "s2", Kind: "caller", By: "ada", Run: "r2"}, {ID: "s3", Kind: "answer", By: "pat", Run: "r3"}} {
			require.NotZero(t, held[i].Source.At)
			want.At = held[i].Source.At
			require.Equal(t, want, held[i].Source)
		}
		require.Contains(t, held[2].String(), `"Bonn" (pat, in answer to a question, on `)
		held, err = Held(v, "r2", "Bob", "city")
		require.NoError(t, err)
		require.Equal(t, `"Lima" (ada, in this request)`, held[1].String(), "without a time, which would differ from run to run")
		return nil
	}))
}
