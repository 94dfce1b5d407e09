package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// What was asserted before there were scopes is everybody's, but for what is about a caller.
//
// Verifies: ORC-268
func TestScopes(t *testing.T) {
	for _, c := range []struct {
		of  Assertion
		own bool
	}{
		{Assertion{Subject: "Bob"}, false}, {Assertion{Subject: "user:ada"}, true}, {Assertion{Subject: "Bob", Scope: ScopeOwn}, true},
		{Assertion{Subject: "user:ada", Scope: ScopeProject}, false}, {Assertion{Subject: RunPrefix + "1"}, false},
	} {
		require.Equal(t, c.own, c.of.Own(), c.of)
	}
}

func TestWhatIsOwnedIsHeldApart(t *testing.T) {
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	ir := New(l)
	say := func(id, who, scope, object string, holding Holding) {
		actor := audit.Actor{Name: who, Role: "coder"}
		require.NoError(t, ir.Step(t.Context(), id, "known", actor, func(w *Writer) error {
			require.NoError(t, w.Request(Request{ID: id, Number: 1, Caller: actor}))
			source, err := w.Source(Source{ID: "s" + id, Kind: SourceCaller, Name: who})
			require.NoError(t, err)
			return w.Assert(Assertion{ID: id, Subject: "Bob", Predicate: "city", Object: object, Confidence: 1, Source: source, Scope: scope}, holding)
		}))
	}
	held := func(who string) (ids []string) {
		require.NoError(t, ir.View(t.Context(), func(v View) error {
			all, err := v.For(who).Held("Bob", "city")
			for _, a := range all {
				ids = append(ids, a.ID)
			}
			return err
		}))
		return ids
	}
	say("1", "ada", "", "Oslo", Many)
	say("2", "ada", ScopeOwn, "Oslo", Many)
	say("3", "eve", ScopeOwn, "Oslo", Many)
	say("4", "eve", ScopeOwn, "Oslo", Many) // which is held already
	require.Equal(t, []string{"1", "2", "3"}, held(""))
	require.Equal(t, []string{"1", "2"}, held("ada"))
	require.Equal(t, []string{"1", "3"}, held("eve"))
	require.Equal(t, []string{"1"}, held("pat"))
	say("5", "ada", ScopeOwn, "Lima", Functional)
	require.Equal(t, []string{"1", "5"}, held("ada"), "what is one's own takes the place of that alone")
	require.Equal(t, []string{"1", "3"}, held("eve"))

	require.NoError(t, ir.Step(t.Context(), "6", "known", audit.Actor{Name: "ada", Role: "coder"}, func(w *Writer) error {
		return w.End("Bob", "city", []string{"1", "3", "nobody's"})
	}))
	require.Equal(t, []string{"5"}, held(""))
	require.NoError(t, ir.View(t.Context(), func(v View) error {
		a, found, err := v.Assertion("1")
		require.True(t, found)
		require.False(t, a.Until.IsZero(), "it was held until then")
		known, err2 := v.For("eve").Facts()
		require.Empty(t, known)
		require.NoError(t, err2)
		return err
	}))
}
