package evaluating

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

func obligation(typ planning.Type, kind string) planning.Obligation {
	return planning.Obligation{Type: typ, Payload: map[string]any{"kind": kind}}
}

// setOf evaluates with a whole box, and what the store shows of a requirement.
func setOf(t *testing.T, over map[string]builtin.Tool) Set {
	t.Helper()
	contracts := append(builtin.FactContracts(), builtin.ProjectContracts()...)
	for _, b := range tools.Box() {
		contracts = append(contracts, b.Contract)
	}
	registry, err := contract.Load(t.TempDir(), contracts)
	require.NoError(t, err)
	return New(registry, tools.Box(), over)
}

// Verifies: ORC-240
func TestAnAnswerIsJudgedByItsKind(t *testing.T) {
	sums, is := setOf(t, nil).For(obligation(planning.Report, "query.math"))
	require.True(t, is)
	_, is = setOf(t, nil).For(obligation(planning.Report, "shop.price"))
	require.False(t, is)
	_, is = setOf(t, nil).For(obligation(planning.Report, "requirement.status"))
	require.False(t, is, "without a project nothing evaluates it")

	found, err := sums.Evaluate(t.Context(), builtin.Call{Inputs: map[string]any{"expr": "2+2"}}, time.Time{})
	require.NoError(t, err)
	kept, why := sums.Judge("shop.math", map[string]any{"value": 4.0, "more": "x"}, found)
	require.Empty(t, why)
	require.Equal(t, found, kept, "what the box found, and nothing else")
	_, why = sums.Judge("shop.math", map[string]any{"value": "5"}, found)
	require.Equal(t, `shop.math says that value is "5", and math.eval finds "4"`, why)
	_, why = sums.Judge("math.eval", map[string]any{"value": "4", "more": "x"}, found)
	require.Contains(t, why, "a second evaluation", "an answer of its own has to be the same in every member")
	_, err = sums.Evaluate(t.Context(), builtin.Call{Inputs: map[string]any{"expr": 7.0}}, time.Time{})
	require.Error(t, err, "an input of another type is not evaluated")
}

// Neither a defect nor the time of a built-in tool is more than an error.
func TestAnEvaluationThatFails(t *testing.T) {
	read := func(run func(ctx context.Context) error) *Tool {
		set := setOf(t, map[string]builtin.Tool{"requirement.status": {
			Run: func(ctx context.Context, _ builtin.Call) (map[string]any, []builtin.Effect, error) {
				return nil, nil, run(ctx)
			}}})
		one, _ := set.For(obligation(planning.Report, "requirement.status"))
		return one
	}
	_, err := read(func(context.Context) error { panic("out of its range") }).Evaluate(t.Context(), builtin.Call{}, time.Time{})
	require.ErrorContains(t, err, "the tool panicked: out of its range")
	slow := read(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	slow.Contract.TimeoutMS = 1
	_, err = slow.Evaluate(t.Context(), builtin.Call{}, time.Time{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// An ACHIEVE is met where the store shows it, and the reason is said where it does not.
func TestWhatTheStoreShowsIsMet(t *testing.T) {
	var shown map[string]any
	var failed error
	set := setOf(t, map[string]builtin.Tool{"requirement.change": {
		Shown: func(context.Context, builtin.Call) (map[string]any, error) { return shown, failed }}})
	change, _ := set.For(obligation(planning.Achieve, "requirement.status"))
	call := builtin.Call{Inputs: map[string]any{"id": "REQ-1"}, Obligation: planning.Obligation{Type: planning.Achieve,
		Payload: map[string]any{"kind": "requirement.status", "id": "REQ-1", "status": "done"}}}
	shown = map[string]any{"id": "REQ-1", "status": "done", "title": "Log in"}
	require.Empty(t, change.Unmet(t.Context(), call, "a.liar", nil))
	shown["status"] = "planned"
	require.Contains(t, change.Unmet(t.Context(), call, "a.liar", nil), `requirement.change finds {"id":"REQ-1","status":"planned"}, where `)
	failed = fault.New(fault.Conflict, builtin.CodeNotShown, "the store does not show a test of REQ-1")
	require.Equal(t, "the store does not show a test of REQ-1", change.Unmet(t.Context(), call, "a.liar", nil))
	failed = fault.New(fault.NotFound, "unknown_requirement", "there is no requirement REQ-1")
	require.Equal(t, "it cannot tell: there is no requirement REQ-1", change.Unmet(t.Context(), call, "a.liar", nil))
}

// A VERIFY is made once more, and what a tool says of it has to agree.
func TestACheckIsMadeAgain(t *testing.T) {
	found := map[string]any{"ok": false, "problems": []any{"record 7 is not signed"}}
	set := setOf(t, map[string]builtin.Tool{"audit.verify": {
		Run: func(context.Context, builtin.Call) (map[string]any, []builtin.Effect, error) { return found, nil, nil }}})
	check, _ := set.For(obligation(planning.Verify, "audit"))
	call := builtin.Call{Obligation: obligation(planning.Verify, "audit")}
	why := check.Unmet(t.Context(), call, "a.liar", map[string]any{"ok": true, "problems": []any{}})
	require.Contains(t, why, "a.liar says that ok is true, and audit.verify finds false: record 7 is not signed")
	require.NotEmpty(t, check.Unmet(t.Context(), call, "a.liar", found), "what does not hold is not met")
	found = map[string]any{"ok": true, "problems": []any{}}
	require.Empty(t, check.Unmet(t.Context(), call, "a.liar", found))
}
