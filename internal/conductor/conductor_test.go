package conductor

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

func TestAnswersOfTheBox(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace := b.conduct(ob(planning.Report, "query.math", "expr", "2+2"), ob(planning.Report, "query.count_letters", "text", "strawberry", "letter", "r"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Len(t, trace.Answers, 2, "one answer for each REPORT, in order")
	require.Equal(t, "4", trace.Answers[0].Result["value"])
	require.EqualValues(t, 3, trace.Answers[1].Result["value"])
	for _, o := range trace.Obligations {
		require.Equal(t, &Verification{By: "again", With: []string{o.Runs[0].Tool}, Verified: true}, o.Verified)
	}
	trace = b.conduct(ob(planning.Report, "query.math", "expr", "1/0"))
	require.Equal(t, planning.OutFailed, trace.Status)
	require.Equal(t, "division_by_zero", string(trace.Obligations[0].Runs[0].Error.Code), "which is the caller's data, and no fault of ours")
	require.Empty(t, trace.Answers)
}

func TestDeduction(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	ask := func(facts ...any) map[string]any {
		return b.conduct(ob(planning.Report, "rules.deduce", "facts", facts, "rules", []any{"grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."}, "query", "grandparent(ann, cid)")).Answers[0].Result
	}
	result := ask("parent(ann, bob)", "parent(bob, cid)")
	require.Equal(t, true, result["holds"])
	require.NotEmpty(t, result["proof"])
	require.Equal(t, false, ask("parent(ann, bob)")["holds"])
}

// Verifies: ORC-279
func TestNoTool(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace := b.conduct(ob(planning.Report, "query.astronauts"), ob(planning.Report, "query.math", "expr", "1+1"))
	require.Equal(t, []string{"REPORT(query.astronauts)"}, trace.Missing)
	require.Len(t, trace.Obligations[0].Emitted, 1)
	require.Equal(t, planning.Obligation{Type: planning.DiscoverOp, Payload: map[string]any{"capability": "REPORT(query.astronauts)"}}, trace.Obligations[0].Emitted[0].Obligation)
	require.Equal(t, []string{"1+1 = 2"}, texts(trace), "the others are run")
}

// Verifies: ORC-277
func TestTheChoice(t *testing.T) {
	for name, c := range map[string]struct {
		fakes []fake
		want  string
	}{
		"the faster": {[]fake{named("t.a", "REPORT(k.x)", func(f *fake) { f.contract.LatencyMS = 9 }), named("t.b", "REPORT(k.x)")}, "t.b"},
		"the first":  {[]fake{named("t.b", "REPORT(k.x)"), named("t.a", "REPORT(k.x)")}, "t.a"},
		"the second, whose postcondition holds": {[]fake{
			named("t.a", "REPORT(k.x)", func(f *fake) { f.contract.Postconditions = []string{"result.value == 'other'"} }), named("t.b", "REPORT(k.x)"),
		}, "t.b"},
		"the second, as the first fails":         {[]fake{named("t.a", "REPORT(k.x)", outOfOrder("no")), named("t.b", "REPORT(k.x)")}, "t.b"},
		"the second, whose precondition holds":   {[]fake{named("t.a", "REPORT(k.x)", func(f *fake) { f.contract.Preconditions = []string{"caller.role == 'pm'"} }), named("t.b", "REPORT(k.x)")}, "t.b"},
		"the second, whose result is as it said": {[]fake{named("t.a", "REPORT(k.x)", func(f *fake) { f.contract.Produces = map[string]any{"type": "object", "required": []any{"proof"}} }), named("t.b", "REPORT(k.x)")}, "t.b"},
	} {
		t.Run(name, func(t *testing.T) {
			trace := conductorOf(t, store.NewMemory(), c.fakes...).conduct(ob(planning.Report, "k.x"))
			require.Equal(t, planning.OutResolved, trace.Status)
			require.Equal(t, c.want, trace.Answers[0].Result["value"])
			require.Len(t, trace.Obligations[0].Candidates, 2, "each candidate has its reason")
		})
	}
}

// Verifies: ORC-279
func TestAllFail(t *testing.T) {
	trace := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", outOfOrder("the first is out of order")),
		named("t.b", "REPORT(k.x)", func(f *fake) { f.contract.Postconditions = []string{"false"} })).conduct(ob(planning.Report, "k.x"))
	require.Equal(t, planning.OutFailed, trace.Status)
	require.Equal(t, planning.Escalated, trace.Obligations[0].Status)
	justify := trace.Obligations[0].Emitted[0].Obligation
	require.Equal(t, planning.Justify, justify.Type)
	attempts := justify.Payload["attempts"].([]any)
	require.Len(t, attempts, 2)
	require.Contains(t, fmt.Sprint(attempts[0]), "the first is out of order")
	require.Contains(t, fmt.Sprint(attempts[1]), "the postcondition false does not hold")
	require.Empty(t, trace.Answers)
}

// Verifies: ORC-070
func TestTheSameRequestGivesTheSameBytes(t *testing.T) {
	raw := map[string]bool{}
	for range 3 {
		b := conductorOf(t, store.NewMemory(), named("t.b", "REPORT(k.x)", outOfOrder("no")), named("t.a", "REPORT(k.x)", outOfOrder("no")))
		trace := b.conduct(ob(planning.Report, "k.x"), ob(planning.Report, "query.math", "expr", "2**10"), ob(planning.Report, "status.name"))
		bytes, err := b.Trace(t.Context(), trace.ID)
		require.NoError(t, err)
		raw[string(bytes)] = true
	}
	require.Len(t, raw, 1, slices.Collect(maps.Keys(raw)))
}
