package conductor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/contract"
	"orchestrator/internal/fault"
	"orchestrator/internal/ir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/store"
	"orchestrator/internal/tools"
	"orchestrator/schemas"
)

var ada = Caller{Name: "ada", Role: "coder"}

// fake is a tool of a test, which counts its runs.
type fake struct {
	contract planning.Contract
	run      func(in tools.In) (map[string]any, error)
	again    func(result map[string]any) error
	runs     *int
}

func named(name, satisfies string, change ...func(*fake)) fake {
	f := fake{
		contract: planning.Contract{
			Name: name, Version: "1", Description: "A tool of a test.", Satisfies: []string{satisfies}, Produces: map[string]any{"type": "object"},
			Reliability: planning.High, Cost: planning.CostTiny, LatencyMS: 1, TimeoutMS: 1000, Verify: planning.CheckOff,
			Implementation: planning.Implementation{Means: planning.Builtin, Name: name},
		},
		run:  func(tools.In) (map[string]any, error) { return map[string]any{"value": name}, nil },
		runs: new(int),
	}
	for _, c := range change {
		c(&f)
	}
	return f
}

func outOfOrder(why string) func(*fake) {
	return func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) { return nil, fault.New(fault.Invalid, "no_luck", "%s", why) }
	}
}

// bench is a conductor over a ledger in memory.
type bench struct {
	*Conductor
	t      *testing.T
	store  *store.Memory
	ledger *ledger.Ledger
}

func conductorOf(t *testing.T, s *store.Memory, fakes ...fake) bench {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l, err := ledger.Open(t.Context(), s, func() time.Time { return now })
	require.NoError(t, err)
	box := tools.Box()
	for _, f := range fakes {
		box = append(box, tools.Tool{Contract: f.contract, Run: func(_ context.Context, in tools.In) (map[string]any, error) { *f.runs++; return f.run(in) }})
		if f.again != nil {
			box[len(box)-1].Again = func(_ context.Context, _ tools.In, result map[string]any) error { return f.again(result) }
		}
	}
	contracts := Contracts()
	for _, b := range box {
		contracts = append(contracts, b.Contract)
	}
	registry, err := contract.Load(t.TempDir(), contracts)
	require.NoError(t, err)
	return bench{New(l, Options{Tools: registry, Box: box, Root: t.TempDir(), Clock: func() time.Time { return now }, Deterministic: true}), t, s, l}
}

func ob(typ planning.Type, kind string, more ...any) planning.Obligation {
	payload := map[string]any{"kind": kind}
	for i := 0; i < len(more); i += 2 {
		payload[more[i].(string)] = more[i+1]
	}
	return planning.Obligation{Type: typ, Payload: payload}
}

// conduct runs obligations, and holds what every trace has to be.
func (b bench) conduct(all ...planning.Obligation) Trace {
	b.t.Helper()
	trace, err := b.Conduct(b.t.Context(), ada, planning.Request{Obligations: all})
	require.NoError(b.t, err)
	raw, err := b.Trace(b.t.Context(), trace.ID)
	require.NoError(b.t, err)
	answered, err := ledger.Encode(trace)
	require.NoError(b.t, err)
	require.Equal(b.t, string(answered), string(raw), "the trace is kept as it was answered")
	var value any
	require.NoError(b.t, jsonv2.Unmarshal(raw, &value))
	require.Empty(b.t, schemas.Violations(schemas.Trace, value))
	listed, err := b.Run(b.t.Context(), trace.ID)
	require.NoError(b.t, err)
	require.True(b.t, listed.Ended)
	for _, o := range listed.Obligations {
		i := slices.IndexFunc(trace.Obligations, func(t Traced) bool { return t.ID == o.ID })
		require.True(b.t, o.Status != planning.Active || i >= 0 && trace.Obligations[i].Outcome == planning.OutClarify, "only what waits for a CLARIFY stays active: %v", o)
	}
	return trace
}

func texts(trace Trace) []string {
	all := []string{}
	for _, a := range trace.Answers {
		all = append(all, a.Text)
	}
	return all
}

func TestAnswersOfTheBox(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace := b.conduct(ob(planning.Report, "query.math", "expr", "2+2"), ob(planning.Report, "query.count_letters", "text", "strawberry", "letter", "r"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Len(t, trace.Answers, 2, "one answer for each REPORT, in order")
	require.Equal(t, "4", trace.Answers[0].Result["value"])
	require.EqualValues(t, 3, trace.Answers[1].Result["value"])
	for _, o := range trace.Obligations {
		require.Equal(t, &Verification{By: "again", Verified: true}, o.Verified)
	}
	trace = b.conduct(ob(planning.Report, "query.math", "expr", "1/0"))
	require.Equal(t, planning.OutFailed, trace.Status)
	require.Equal(t, "division_by_zero", trace.Obligations[0].Runs[0].Error.Code, "which is the caller's data, and no fault of ours")
	require.Empty(t, trace.Answers)
}

func TestWhatIsKnown(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace := b.conduct(ob(planning.Report, "status.name"))
	require.Equal(t, planning.OutClarify, trace.Status)
	require.Empty(t, trace.Answers)
	require.Equal(t, planning.Active, trace.Obligations[0].Status)
	require.Equal(t, planning.Clarify, trace.Obligations[0].Emitted[0].Obligation.Type)
	require.Equal(t, "name", trace.Obligations[0].Emitted[0].Obligation.Payload["slot"])

	trace = b.conduct(ob(planning.Achieve, "status.name", "value", "Jeff"), ob(planning.Report, "status.name"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, "Jeff", trace.Answers[0].Result["value"])
	trace = b.conduct(ob(planning.Achieve, "status.name", "value", "Geoffrey"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, "Geoffrey", b.conduct(ob(planning.Report, "status.name")).Answers[0].Result["value"], "what is said last is held")

	fact := func(subject, predicate, object string) map[string]any {
		return map[string]any{"subject": subject, "predicate": predicate, "object": object}
	}
	b.conduct(ob(planning.Achieve, "ir.assert", "facts", []any{
		fact("Bob Johnson", "relation", "friend"), fact("Bob Johnson", "city", "Seattle"), fact("Alice Smith", "city", "Seattle"),
		fact("Alice Smith", "relation", "friend"), fact("Carol", "relation", "friend"), fact("Carol", "city", "Oslo"), fact("Dan", "city", "Seattle"),
	}))
	trace = b.conduct(ob(planning.Report, "query.people", "filters", map[string]any{"relation": "friend", "city": "Seattle"}))
	require.Equal(t, []any{"Alice Smith", "Bob Johnson"}, trace.Answers[0].Result["values"])
}

// A run that only reads is one record, whatever it reads.
func TestARunThatOnlyReadsIsOneStep(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	b.conduct(ob(planning.Achieve, "status.name", "value", "Jeff"))
	before := b.ledger.Head().Size
	b.conduct(ob(planning.Report, "status.name"), ob(planning.Report, "query.people", "filters", map[string]any{"name": "Jeff"}), ob(planning.Maintain, "g", "condition", `size(ir) == 1`))
	require.Equal(t, before+1, b.ledger.Head().Size)
}

func TestFactsOnOthers(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	say := func(caller Caller, subject string) Trace {
		trace, err := b.Conduct(t.Context(), caller, planning.Request{Obligations: []planning.Obligation{
			ob(planning.Achieve, "ir.assert", "facts", []any{map[string]any{"subject": subject, "predicate": "name", "object": "Mallory"}}),
		}})
		require.NoError(t, err)
		return trace
	}
	for subject, want := range map[string]planning.Outcome{
		"user": planning.OutResolved, "user:ada": planning.OutResolved, "user:bob": planning.OutFailed, "run:0000000000000000": planning.OutFailed, "Carol": planning.OutResolved,
	} {
		require.Equal(t, want, say(ada, subject).Status, subject)
	}
	require.Equal(t, planning.OutFailed, say(Caller{Name: "vera", Role: "viewer"}, "Carol").Status, "a viewer changes nothing that others see")
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

func TestNoTool(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace := b.conduct(ob(planning.Report, "query.astronauts"), ob(planning.Report, "query.math", "expr", "1+1"))
	require.Equal(t, []string{"REPORT(query.astronauts)"}, trace.Missing)
	require.Len(t, trace.Obligations[0].Emitted, 1)
	require.Equal(t, planning.Obligation{Type: planning.DiscoverOp, Payload: map[string]any{"capability": "REPORT(query.astronauts)"}}, trace.Obligations[0].Emitted[0].Obligation)
	require.Equal(t, []string{"1+1 = 2"}, texts(trace), "the others are run")
}

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

func TestGuardrails(t *testing.T) {
	for name, c := range map[string]struct {
		typ       planning.Type
		condition string
		runs      int
		outcome   planning.Outcome
	}{
		"a MAINTAIN that does not hold": {planning.Maintain, "caller.role == 'pm'", 0, planning.OutGuardrail},
		"a MAINTAIN that holds":         {planning.Maintain, "caller.role == 'coder'", 1, planning.OutResolved},
		"an AVOID that holds":           {planning.Avoid, "caller.role == 'coder'", 0, planning.OutGuardrail},
		"an AVOID that does not hold":   {planning.Avoid, "caller.role == 'pm'", 1, planning.OutResolved},
		"one about the inputs":          {planning.Avoid, "payload.kind == 'k.x'", 0, planning.OutGuardrail},
	} {
		t.Run(name, func(t *testing.T) {
			f := named("t.a", "REPORT(k.x)")
			trace := conductorOf(t, store.NewMemory(), f).conduct(ob(planning.Report, "k.x"), ob(c.typ, "guard", "condition", c.condition))
			require.Equal(t, c.runs, *f.runs)
			require.Equal(t, c.outcome, trace.Status)
			require.Len(t, trace.Answers, c.runs)
		})
	}
	_, err := conductorOf(t, store.NewMemory()).Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Avoid, "g", "condition", "nobody(")}})
	require.ErrorIs(t, err, fault.Invalid)
}

func TestVerification(t *testing.T) {
	differs := func(map[string]any) error { return fault.New(fault.Conflict, "answer_differs", "it is 5") }
	lying := func(check planning.Checking, again func(map[string]any) error) func(*fake) {
		return func(f *fake) { f.contract.Verify, f.again = check, again }
	}
	trace := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", lying(planning.CheckBlocking, differs))).conduct(ob(planning.Report, "k.x"), ob(planning.Verify, "answers"))
	require.Equal(t, planning.OutFailed, trace.Status)
	require.True(t, trace.Answers[0].Uncertain)
	require.Nil(t, trace.Answers[0].Result, "what is not confirmed never gets out")
	require.NotContains(t, trace.Answers[0].Text, "t.a")
	require.Equal(t, planning.Justify, trace.Obligations[0].Emitted[0].Obligation.Type)
	require.Equal(t, planning.Failed, trace.Obligations[1].Status, "the VERIFY is this pass")

	trace = conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", lying(planning.CheckNonBlocking, differs))).conduct(ob(planning.Report, "k.x"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.True(t, trace.Answers[0].Uncertain)
	require.NotNil(t, trace.Answers[0].Result, "it is given with its doubt")

	trace = conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", lying(planning.CheckBlocking, nil))).conduct(ob(planning.Report, "k.x"), ob(planning.Verify, "answers"))
	require.Equal(t, &Verification{By: "facts", Verified: true}, trace.Obligations[0].Verified)
	require.Equal(t, planning.Resolved, trace.Obligations[1].Status)
}

func TestBudgets(t *testing.T) {
	for name, budgets := range map[string]planning.Budgets{"runs": {MaxToolRuns: 1}, "cost": {MaxCost: 1}} {
		t.Run(name, func(t *testing.T) {
			b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)"), named("t.b", "REPORT(k.y)"))
			trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x"), ob(planning.Report, "k.y")}, Budgets: budgets})
			require.NoError(t, err)
			require.Equal(t, planning.OutTruncated, trace.Status)
			require.Len(t, trace.Answers, 1)
		})
	}
	t.Run("depth", func(t *testing.T) {
		depends := func(on string) func(*fake) { return func(f *fake) { f.contract.DependsOn = []string{on} } }
		b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", depends("t.b")), named("t.b", "ACHIEVE(k.b)", depends("t.c")), named("t.c", "ACHIEVE(k.c)"))
		trace := b.conduct(ob(planning.Report, "k.x"))
		require.Equal(t, planning.OutResolved, trace.Status)
		require.Equal(t, []string{"t.c", "t.b", "t.a"}, []string{trace.Obligations[0].Runs[0].Tool, trace.Obligations[0].Runs[1].Tool, trace.Obligations[0].Runs[2].Tool})
		trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x")}, Budgets: planning.Budgets{MaxDepth: 1}})
		require.NoError(t, err)
		require.Equal(t, planning.OutTruncated, trace.Status)
	})
}

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

func TestIdempotencyKeys(t *testing.T) {
	f := named("t.a", "ACHIEVE(k.x)")
	b := conductorOf(t, store.NewMemory(), f)
	request := planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x")}, IdempotencyKey: "once"}
	first, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	again, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	require.Equal(t, 1, *f.runs)
	_, err = b.Conduct(t.Context(), Caller{Name: "bob", Role: "coder"}, request)
	require.NoError(t, err)
	require.Equal(t, 2, *f.runs, "the key is the caller's own")
	request.Obligations = append(request.Obligations, ob(planning.Achieve, "k.x"))
	_, err = b.Conduct(t.Context(), ada, request)
	require.ErrorIs(t, err, fault.Conflict)
	_, err = b.Conduct(t.Context(), ada, planning.Request{})
	require.ErrorIs(t, err, fault.Malformed)
	_, err = b.Trace(t.Context(), "nobody")
	require.ErrorIs(t, err, fault.NotFound)
}

func TestARunThatWasCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		idempotent  bool
		first, last int // runs of the first tool, and of the one that was cut off
		outcome     planning.Outcome
	}{
		"one that may run twice":     {true, 1, 2, planning.OutResolved},
		"one that may not run twice": {false, 1, 1, planning.OutFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			first, cut := named("t.a", "ACHIEVE(k.x)"), named("t.b", "ACHIEVE(k.y)", func(f *fake) { f.contract.Idempotent = c.idempotent })
			alive := cut.run
			var b bench
			cut.run = func(tools.In) (map[string]any, error) { b.end(); return nil, b.ending.Err() } // the service ends while it runs
			b = conductorOf(t, s, first, cut)
			_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y")}, IdempotencyKey: "k"})
			require.ErrorIs(t, err, fault.Unavailable)
			b.Stop()

			cut.run = alive
			b = conductorOf(t, s, first, cut)
			left, err := b.CutOff(t.Context())
			require.NoError(t, err)
			require.Len(t, left, 1)
			_, err = b.Conduct(t.Context(), ada, left[0].Request)
			require.ErrorIs(t, err, fault.Conflict, "it has not ended")
			trace, err := b.Resume(t.Context(), left[0])
			require.NoError(t, err)
			require.Equal(t, c.outcome, trace.Status)
			require.Equal(t, []int{c.first, c.last}, []int{*first.runs, *cut.runs}, "what is recorded as finished never runs twice")
			left, err = b.CutOff(t.Context())
			require.NoError(t, err)
			require.Empty(t, left)
			again, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y")}, IdempotencyKey: "k"})
			require.NoError(t, err)
			require.Equal(t, trace.ID, again.ID)
		})
	}
}

func TestACallerThatHangsUpEndsNothing(t *testing.T) {
	ctx, hangUp := context.WithCancel(t.Context())
	f := named("t.a", "ACHIEVE(k.x)")
	f.run = func(tools.In) (map[string]any, error) { hangUp(); return map[string]any{}, nil }
	b := conductorOf(t, store.NewMemory(), f, named("t.b", "ACHIEVE(k.y)"))
	trace, err := b.Conduct(ctx, ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y")}})
	require.NoError(t, err)
	require.Equal(t, planning.OutResolved, trace.Status)
	left, err := b.CutOff(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}

// Of many requests with one key one runs; the others wait for it, or are given what it answered.
func TestManyAtOnce(t *testing.T) {
	f := named("t.a", "ACHIEVE(k.x)")
	var mu sync.Mutex
	count := 0
	f.run = func(tools.In) (map[string]any, error) {
		mu.Lock()
		defer mu.Unlock()
		count++
		return map[string]any{"value": count}, nil
	}
	b := conductorOf(t, store.NewMemory(), f)
	ids, refused := map[string]bool{}, 0
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x")}, IdempotencyKey: "once"})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused++
				return
			}
			ids[trace.ID] = true
		})
	}
	all.Wait()
	require.Len(t, ids, 1)
	require.Equal(t, 1, count)
	for range 16 { // without a key each is a run of its own
		all.Go(func() {
			trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "query.math", "expr", "1+1")}})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				ids[trace.ID] = true
			}
		})
	}
	all.Wait()
	require.Len(t, ids, 17)
}

// Every run of a tool leaves an event and a source, and an assertion where it has a result.
func TestWhatARunLeaves(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", outOfOrder("no")), named("t.b", "REPORT(k.x)"))
	trace := b.conduct(ob(planning.Report, "k.x"))
	require.NoError(t, b.ir.View(t.Context(), func(v ir.View) error {
		for i, want := range []bool{false, true} {
			id := trace.ID + "/" + trace.Obligations[0].Runs[i].ID
			source, found, err := v.Source(id)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, []string{"t.a", "t.b"}[i], source.Name)
			event, found, err := v.Event(trace.ID, trace.Obligations[0].Runs[i].ID)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, map[bool]string{true: "tool.succeeded", false: "tool.failed"}[want], event.Kind)
		}
		held, err := v.Held("run:"+trace.ID, "o1")
		require.NoError(t, err)
		require.Len(t, held, 1)
		require.Equal(t, trace.ID+"/o1/2", held[0].Source)
		return nil
	}))
}

func TestPlans(t *testing.T) {
	f := named("t.a", "REPORT(k.x)")
	b := conductorOf(t, store.NewMemory(), f, named("t.b", "REPORT(k.x)", func(f *fake) { f.contract.Preconditions = []string{"caller.role == 'pm'"} }))
	before := b.ledger.Head().Size
	plan, err := b.Plan(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x"), ob(planning.Report, "status.name"), ob(planning.Report, "query.astronauts")}})
	require.NoError(t, err)
	require.Equal(t, []Candidate{{"t.a", true, "it would run"}, {"t.b", false, "the precondition caller.role == 'pm' does not hold: it is false"}}, plan.Obligations[0].Candidates)
	require.Equal(t, []string{"name"}, plan.Obligations[1].Missing)
	require.Empty(t, plan.Obligations[2].Candidates)
	require.Zero(t, *f.runs)
	require.Equal(t, before, b.ledger.Head().Size, "nothing is recorded")
}
