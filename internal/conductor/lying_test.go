package conductor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/evaluating"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// wholeOf is a conductor with the whole box, a project and fakes, which are not of the box.
func wholeOf(t *testing.T, p *project, fakes ...fake) bench {
	t.Helper()
	return wholeIn(t, t.TempDir(), p, fakes...)
}

// wholeIn has the contracts of a folder as well.
func wholeIn(t *testing.T, folder string, p *project, fakes ...fake) bench {
	t.Helper()
	p.requirement = builtin.Requirement{ID: "REQ-1", Status: "not_started", Title: "Log in"}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	s := store.NewMemory()
	l, err := ledger.Open(t.Context(), s, clock)
	require.NoError(t, err)
	box, contracts := tools.Box(), slices.Concat(builtin.FactContracts(), builtin.ProjectContracts())
	for _, f := range fakes {
		box = append(box, f.tool())
	}
	for _, b := range box {
		contracts = append(contracts, b.Contract)
	}
	registry, err := contract.Load(folder, contracts)
	require.NoError(t, err)
	c := New(l, Options{Tools: registry, Box: box, Project: p, Root: t.TempDir(), Clock: clock, Deterministic: true})
	c.evaluators = evaluating.New(registry, tools.Box(), c.stateTools)
	return bench{c, t, s, l, &now}
}

// examples has an obligation for each kind that the box evaluates.
var examples = map[string]planning.Obligation{
	"REPORT(query.math)":          ob(planning.Report, "query.math", "expr", "2+2"),
	"REPORT(query.count_letters)": ob(planning.Report, "query.count_letters", "text", "strawberry", "letter", "r"),
	"REPORT(rules.deduce)": ob(planning.Report, "rules.deduce", "facts", []any{"parent(ann, bob)", "parent(ann, cid)"},
		"rules", []any{"child(X, Y) :- parent(Y, X)."}, "query", "child(X, ann)"),
	"REPORT(normalize.email)":                 ob(planning.Report, "normalize.email", "email", "Jeff@Example.COM"),
	"REPORT(normalize.url)":                   ob(planning.Report, "normalize.url", "url", "HTTP://Example.com:80"),
	"REPORT(time.now)":                        ob(planning.Report, "time.now"),
	"REPORT(status.name)":                     ob(planning.Report, "status.name"),
	"REPORT(query.facts)":                     ob(planning.Report, "query.facts", "subject", "Alice"),
	"REPORT(query.people)":                    ob(planning.Report, "query.people", "filters", map[string]any{"city": "Seattle"}),
	"REPORT(project.status)":                  ob(planning.Report, "project.status"),
	"REPORT(requirement.status)":              ob(planning.Report, "requirement.status", "id", "REQ-1"),
	"REPORT(requirement.missing)":             ob(planning.Report, "requirement.missing", "id", "REQ-1"),
	"REPORT(requirement.next)":                ob(planning.Report, "requirement.next", "role", "coder"),
	"REPORT(requirement.history)":             ob(planning.Report, "requirement.history", "id", "REQ-1"),
	"REPORT(requirement.acts)":                ob(planning.Report, "requirement.acts", "id", "REQ-1", "did", "approved"),
	"REPORT(query.refusals)":                  ob(planning.Report, "query.refusals", "id", "REQ-1", "since", "2026-01-01T00:00:00Z"),
	"REPORT(query.requirements)":              ob(planning.Report, "query.requirements"),
	"ACHIEVE(ir.assert)":                      ob(planning.Achieve, "ir.assert", "facts", []any{fact("Dan", "city", "Lima"), fact("Eve", "relation", "friend")}),
	"ACHIEVE(ir.retract)":                     ob(planning.Achieve, "ir.retract", "subject", "Alice", "predicate", "city", "object", "Seattle"),
	"ACHIEVE(status.name)":                    ob(planning.Achieve, "status.name", "value", "Geoffrey"),
	"ACHIEVE(requirement.status)":             ob(planning.Achieve, "requirement.status", "id", "REQ-1", "status", "done"),
	"ACHIEVE(requirement.design_spec)":        ob(planning.Achieve, "requirement.design_spec", "id", "REQ-1"),
	"ACHIEVE(requirement.implementation)":     ob(planning.Achieve, "requirement.implementation", "id", "REQ-1"),
	"ACHIEVE(requirement.test)":               ob(planning.Achieve, "requirement.test", "id", "REQ-1"),
	"ACHIEVE(requirement.signoff)":            ob(planning.Achieve, "requirement.signoff", "id", "REQ-1"),
	"ACHIEVE(requirement.pm_notes)":           ob(planning.Achieve, "requirement.pm_notes", "id", "REQ-1"),
	"ACHIEVE(requirement.deviations)":         ob(planning.Achieve, "requirement.deviations", "id", "REQ-1"),
	"ACHIEVE(requirement.accept_fingerprint)": ob(planning.Achieve, "requirement.accept_fingerprint", "id", "REQ-1"),
	"VERIFY(requirement.evidence)":            ob(planning.Verify, "requirement.evidence", "id", "REQ-1"),
	"VERIFY(audit)":                           ob(planning.Verify, "audit"),
}

// notCompared are the members that may be found in several ways.
var notCompared = []string{"proof"}

// known is what is said before the questions.
var known = []planning.Obligation{
	ob(planning.Achieve, "status.name", "value", "Jeff"),
	ob(planning.Achieve, "ir.assert", "facts", []any{fact("Alice", "city", "Seattle"), fact("Bob", "city", "Seattle")}),
}

// first is a tool of a project that is asked before those of the box, and wants no verification.
func first(satisfies string, run func() map[string]any) fake {
	return named("a.liar", satisfies, func(f *fake) {
		f.contract.LatencyMS = 0
		f.run = func(tools.In) (map[string]any, error) { return run(), nil }
	})
}

// eachKind visits all that the built-in contracts satisfy, so that a new kind cannot be left out.
func eachKind(t *testing.T, typ planning.Type, visit func(t *testing.T, pattern string, o planning.Obligation)) {
	t.Helper()
	for _, c := range wholeOf(t, &project{}).Tools.Contracts() {
		for _, pattern := range c.Satisfies {
			if !strings.HasPrefix(pattern, string(typ)) {
				continue
			}
			o, has := examples[pattern]
			require.True(t, has, "%s has no example here", pattern)
			if o.Type == typ {
				t.Run(pattern, func(t *testing.T) { visit(t, pattern, o) })
			}
		}
	}
}

// truth is what the box answers, and the members that its contract requires.
func truth(t *testing.T, pattern string, o planning.Obligation) (map[string]any, []string) {
	t.Helper()
	b := wholeOf(t, &project{})
	b.conduct(known...)
	trace := b.conduct(o)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	by, is := b.evaluators.For(o)
	require.True(t, is, pattern)
	require.Equal(t, &Verification{By: byAgain, With: []string{by.Contract.Name}, Verified: true}, trace.Obligations[0].Verified)
	return trace.Answers[0].Result, evaluating.Required(by.Contract.Produces)
}

// lies changes a value into one that is not true.
func lies(value any) any {
	switch v := value.(type) {
	case bool:
		return !v
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return at.Add(3 * time.Second).Format(time.RFC3339)
		}
		return v + "5"
	case []any:
		return append(slices.Clone(v), "Mallory")
	case map[string]any:
		changed := maps.Clone(v)
		changed["done"] = 17.0
		return changed
	}
	return fmt.Sprint(value) + "5"
}

// otherwise says the same in another notation.
func otherwise(value any) any {
	switch v := value.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return at.Add(time.Second).Format(time.RFC3339Nano)
		}
		if v == "4" {
			return "8/2"
		}
	case float64, int:
		return fmt.Sprint(v) + ".0"
	case map[string]any:
		changed := map[string]any{}
		for name, of := range v {
			changed[name] = otherwise(of)
		}
		return changed
	}
	return value
}

// A tool of a project that lies about what the box can find out is caught, whatever its contract says of verification.
//
// Verifies: ORC-240
func TestALiarOfEachKind(t *testing.T) {
	eachKind(t, planning.Report, func(t *testing.T, pattern string, o planning.Obligation) {
		honest, required := truth(t, pattern, o)
		ask := func(check planning.Checking, said map[string]any) (ObligationTrace, Answer) {
			liar := first(pattern, func() map[string]any { return said })
			liar.contract.Verify = check
			b := wholeOf(t, &project{}, liar)
			b.conduct(known...)
			trace := b.conduct(o)
			require.Equal(t, "a.liar", trace.Obligations[0].Runs[0].Tool)
			require.Len(t, trace.Answers, 1)
			return trace.Obligations[0], trace.Answers[0]
		}
		for _, member := range required {
			if slices.Contains(notCompared, member) {
				continue
			}
			for _, check := range []planning.Checking{planning.CheckOff, planning.CheckNonBlocking, planning.CheckBlocking} {
				said := maps.Clone(honest)
				said[member] = lies(honest[member])
				of, answer := ask(check, said)
				withheld(t, of, answer)
				require.Contains(t, of.Verified.Why, agreement.Shown(said[member]), "the value of the liar")
				require.Contains(t, of.Verified.Why, agreement.Shown(honest[member]), "and the other one")
			}
			said := maps.Clone(honest)
			delete(said, member)
			withheld2, answer := ask(planning.CheckOff, said)
			withheld(t, withheld2, answer)
		}
		said := map[string]any{"extra": "nobody has confirmed this"}
		for member, value := range honest {
			said[member] = otherwise(value)
		}
		for _, member := range notCompared {
			delete(said, member)
		}
		for member, value := range honest {
			if slices.Contains(required, member) {
				continue
			}
			lie := maps.Clone(honest)
			lie[member] = lies(value)
			caught, answer := ask(planning.CheckOff, lie)
			withheld(t, caught, answer)
			delete(lie, member)
			_, answer = ask(planning.CheckOff, lie)
			require.True(t, agreement.Equal(value, answer.Result[member]), "%s was left out, and is answered", member)
		}
		of, answer := ask(planning.CheckOff, said)
		require.True(t, of.Verified.Verified, of.Verified.Why)
		require.NotContains(t, answer.Result, "extra")
		for _, member := range required {
			require.True(t, member == "value" && o.Kind() == "time.now" || agreement.Equal(honest[member], answer.Result[member]), member)
		}
	})
}

// withheld holds that an answer was not given, and that the trace says why.
func withheld(t *testing.T, of ObligationTrace, answer Answer) {
	t.Helper()
	require.Equal(t, planning.Failed, of.Status)
	require.False(t, of.Verified.Verified)
	require.True(t, answer.Uncertain)
	require.Nil(t, answer.Result)
	justify := of.Emitted[len(of.Emitted)-1].Obligation
	require.Equal(t, planning.Justify, justify.Type)
	require.Equal(t, of.Verified.Why, justify.Payload["evidence"].(map[string]any)["why"])
}

// A tool that panics or does not end has failed, and the box answers.
func TestABrokenToolOfEachKind(t *testing.T) {
	eachKind(t, planning.Report, func(t *testing.T, pattern string, o planning.Obligation) {
		honest, _ := truth(t, pattern, o)
		hangs := first(pattern, nil)
		hangs.hangs, hangs.contract.TimeoutMS = true, 10
		for _, broken := range []fake{first(pattern, func() map[string]any { panic("out of its range") }), hangs} {
			b := wholeOf(t, &project{}, broken)
			b.conduct(known...)
			trace := b.conduct(o)
			require.Equal(t, []string{"a.liar", "failed"}, []string{trace.Obligations[0].Runs[0].Tool, trace.Obligations[0].Runs[0].Status})
			require.True(t, agreement.Equal(honest, trace.Answers[0].Result))
		}
	})
}

// A tool that says that it has done what the store does not show is not believed, and the box does it instead if it can.
func TestALiarThatSaysItIsDone(t *testing.T) {
	for _, typ := range []planning.Type{planning.Achieve, planning.Verify} {
		eachKind(t, typ, func(t *testing.T, pattern string, o planning.Obligation) {
			liar := first(pattern, func() map[string]any {
				return map[string]any{"id": "REQ-1", "status": "done", "parts": []any{"test"}, "value": "Geoffrey", "asserted": 2.0, "ok": true, "problems": []any{}}
			})
			p := &project{log: builtin.LogCheck{Problems: []string{"record 7 is not signed"}}}
			b := wholeOf(t, p, liar)
			p.requirement.Suspect = true
			b.conduct(known...)
			of := b.conduct(o).Obligations[0]
			require.Equal(t, []string{"a.liar", "refused"}, []string{of.Runs[0].Tool, of.Runs[0].Status})
			by, _ := b.evaluators.For(o)
			verdict := of.Runs[0].Postconditions[len(of.Runs[0].Postconditions)-1]
			require.Equal(t, by.Contract.Name+" confirms "+pattern, verdict.Condition)
			require.False(t, verdict.Holds)
			require.NotEmpty(t, verdict.Why)
			if of.Status.Resolved() {
				require.Equal(t, by.Contract.Name, of.Runs[1].Tool, "the box has done it")
			}
		})
	}
	b := wholeOf(t, &project{}, first("VERIFY(audit)", func() map[string]any { return map[string]any{"ok": true, "problems": []any{}} }),
		named("a.namer", "ACHIEVE(status.name)", func(f *fake) { f.contract.LatencyMS = 0 }))
	require.Equal(t, "a.liar", b.conduct(ob(planning.Verify, "audit")).Obligations[0].Candidates[0].Tool)
	require.Equal(t, planning.OutResolved, b.conduct(ob(planning.Verify, "audit")).Status, "which is true")
	require.Equal(t, "refused", b.conduct(ob(planning.Achieve, "status.name", "value", "Jeff")).Obligations[0].Runs[0].Status)
	again := b.conduct(ob(planning.Achieve, "status.name", "value", "Jeff")).Obligations[0]
	require.Len(t, again.Runs, 1, "it is so already")
	require.Equal(t, planning.Resolved, again.Status)
}

// What stands already is not what was to be brought about: the store has to show what the payload gives.
//
// Verifies: ORC-284
func TestALiarThatPointsAtWhatStands(t *testing.T) {
	note := func(text string) []any { return []any{map[string]any{"text": text}} }
	for kind, c := range map[string]struct {
		member       string
		given, stood any
	}{
		"pm_notes":    {"pm_notes", note("X"), note("of last year")},
		"design_spec": {"design_spec", map[string]any{"summary": "X"}, map[string]any{"summary": "of last year"}},
		"signoff": {"approvals", []any{map[string]any{"decision": "rejected"}}, []any{map[string]any{
			"decision": "approved", "by": ada.Name, "role": ada.Role}}},
	} {
		liar := first("ACHIEVE(requirement."+kind+")", func() map[string]any {
			return map[string]any{"id": "REQ-1", "status": "not_started", "parts": []any{kind}}
		})
		p := &project{ignore: true}
		b := wholeOf(t, p, liar)
		p.requirement.Parts, p.stored = []string{kind}, builtin.Parts{c.member: c.stood}
		of := b.conduct(ob(planning.Achieve, "requirement."+kind, "id", "REQ-1", c.member, c.given)).Obligations[0]
		require.Equal(t, []string{"a.liar", "refused"}, []string{of.Runs[0].Tool, of.Runs[0].Status}, kind)
		verdict := of.Runs[0].Postconditions[len(of.Runs[0].Postconditions)-1]
		require.Contains(t, verdict.Why, "the store does not show", kind)
		if kind != "signoff" {
			p.stored[c.member] = c.given
			of = b.conduct(ob(planning.Achieve, "requirement."+kind, "id", "REQ-1", c.member, c.given)).Obligations[0]
			require.Equal(t, []string{"a.liar", "done"}, []string{of.Runs[0].Tool, of.Runs[0].Status}, "it is so")
		}
	}
}

// A contract that has another built-in tool answer a kind of the box is no way round.
func TestTheWrongBuiltinTool(t *testing.T) {
	clock := first("REPORT(query.math)", nil)
	clock.contract.Implementation.Name = "time.now"
	of := wholeOf(t, &project{}, clock).conduct(examples["REPORT(query.math)"])
	require.Contains(t, of.Obligations[0].Verified.Why, `math.eval finds "4"`)
	require.Nil(t, of.Answers[0].Result)
}

// No tool verifies the answers of a run in the place of the conductor.
func TestNoToolVerifiesTheAnswers(t *testing.T) {
	liar := first("VERIFY", func() map[string]any { return map[string]any{} })
	b := wholeOf(t, &project{}, liar, first2("REPORT(query.math)"))
	trace := b.conduct(examples["REPORT(query.math)"], ob(planning.Verify, "answers"))
	require.Equal(t, planning.Failed, trace.Obligations[1].Status)
	require.Empty(t, trace.Obligations[1].Runs)
	plan, err := b.Plan(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Verify, "answers")}})
	require.NoError(t, err)
	require.Empty(t, plan.Obligations[0].Candidates)
}

func first2(satisfies string) fake {
	f := first(satisfies, func() map[string]any { return map[string]any{"value": 5} })
	f.contract.Name, f.contract.Implementation.Name = "a.second", "a.second"
	return f
}

// What cannot be evaluated is not answered, and the reason is said.
func TestAnAnswerThatTheBoxCannotEvaluate(t *testing.T) {
	for expr, why := range map[string]string{"1/0": "divides by zero", "2+": "expected", "import os": "column 1"} {
		of := wholeOf(t, &project{}, first("REPORT(query.math)", func() map[string]any { return map[string]any{"value": "0"} })).
			conduct(ob(planning.Report, "query.math", "expr", expr))
		require.True(t, strings.HasPrefix(of.Obligations[0].Verified.Why, "math.eval cannot evaluate it: "), of.Obligations[0].Verified.Why)
		require.Contains(t, of.Obligations[0].Verified.Why, why)
		withheld(t, of.Obligations[0], of.Answers[0])
	}
}

// tool is a fake as the box has tools.
func (f fake) tool() tools.Tool {
	made := tools.Tool{Contract: f.contract, Run: func(ctx context.Context, in tools.In) (map[string]any, error) {
		*f.runs++
		if f.hangs {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return f.run(in)
	}}
	if f.again != nil {
		made.Again = func(ctx context.Context, _ tools.In, result map[string]any) error { return f.again(ctx, result) }
	}
	return made
}
