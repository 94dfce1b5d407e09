package conductor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// byPlan is a tool whose plan has steps.
func byPlan(name, satisfies string, inputs []string, steps ...planning.Obligation) fake {
	f := named(name, satisfies)
	f.contract.Implementation = planning.Implementation{Means: planning.Steps, Steps: steps}
	for _, in := range inputs {
		f.contract.Consumes = append(f.contract.Consumes, planning.Input{Name: in, Schema: map[string]any{"type": "string"}, Required: true})
	}
	return f
}

// welcome greets a person, and says how long the greeting is.
func welcome() []fake {
	return []fake{
		byPlan("t.welcome", "ACHIEVE(k.welcome)", []string{"person"},
			called("greeting", ob(planning.Report, "k.say", "n", "Dear {{input.person}},")), ob(planning.Achieve, "k.sent", "n", take("greeting.value"), "to", take("input.person"))),
		echoing("t.say", "REPORT(k.say)"), echoing("t.send", "ACHIEVE(k.sent)"),
	}
}

// Verifies: ORC-254
func TestAContractWithSteps(t *testing.T) {
	all := welcome()
	b := conductorOf(t, store.NewMemory(), all...)
	trace := b.conduct(ob(planning.Achieve, "k.welcome", "person", "Ann {{\"{{\"}}o1}}"), ob(planning.Report, "k.say", "n", take("o1.o2.value")))
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	require.Equal(t, "k.say: Dear Ann {{o1}}, (not verified)", texts(trace)[1], "what is given is no template")
	require.Equal(t, []string{"o1.1", "o1.2"}, []string{trace.Obligations[0].Steps[0].ID, trace.Obligations[0].Steps[1].ID})
	require.Equal(t, map[string]any{"n": "Dear Ann {{o1}},"}, trace.Obligations[0].Steps[1].Runs[0].Inputs)
	require.Equal(t, map[string]any{"person": "Ann {{o1}}"}, trace.Obligations[0].Runs[0].Inputs)
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		source, found, err := v.Source(trace.ID + "/o1.2/1")
		require.True(t, found)
		require.Equal(t, []string{"o1.1"}, source.From)
		listed, listErr := v.Obligations(trace.ID)
		require.NoError(t, listErr)
		require.Len(t, listed, 4)
		return err
	}))
}

// Case 17: what a step lacks is asked for, and nothing is run.
//
// Verifies: ORC-255
func TestWhatAPlanLacksIsAskedForFirst(t *testing.T) {
	all := welcome()
	runs := func() (n int) {
		for _, f := range all {
			n += *f.runs
		}
		return n
	}
	b := conductorOf(t, store.NewMemory(), all...)
	for name, o := range map[string]planning.Obligation{
		"a contract":                ob(planning.Achieve, "k.welcome"),
		"a step":                    plan(ob(planning.Report, "k.say", "n", "x"), ob(planning.Achieve, "k.welcome")),
		"a step of a step":          plan(ob(planning.Report, "k.say", "n", "x"), plan(ob(planning.Achieve, "k.welcome"), ob(planning.Achieve, "k.welcome"))),
		"a step that takes another": plan(called("a", ob(planning.Report, "k.say", "n", "x")), ob(planning.Achieve, "k.welcome", "other", take("a.value"))),
	} {
		t.Run(name, func(t *testing.T) {
			one := b
			one.t = t
			trace := one.conduct(o)
			require.Equal(t, planning.OutClarify, trace.Status)
			require.Equal(t, planning.Active, trace.Obligations[0].Status)
			require.Len(t, trace.Obligations[0].Emitted, 1, "one question for person")
			require.Equal(t, "person", trace.Obligations[0].Emitted[0].Obligation.Payload["slot"])
			require.Zero(t, runs())
		})
	}
	trace := b.conduct(plan(ob(planning.Achieve, "status.name", "value", "Jeff"), ob(planning.Report, "status.name")))
	require.Equal(t, planning.OutResolved, trace.Status, "an earlier step says it")
}

// The first step that is not resolved stops those after it. What was reached is on record.
func TestAStepThatFails(t *testing.T) {
	bad := named("t.bad", "REPORT(k.bad)", outOfOrder("no luck"))
	last := named("t.last", "REPORT(k.last)")
	all := []fake{
		bad, last, named("t.first", "REPORT(k.first)"),
		byPlan("t.p", "ACHIEVE(k.p)", nil, ob(planning.Report, "k.first"), ob(planning.Report, "k.bad"), ob(planning.Report, "k.last")),
		byPlan("t.q", "ACHIEVE(k.p)", nil, ob(planning.Report, "k.first")),
	}
	trace := conductorOf(t, store.NewMemory(), all...).conduct(plan(ob(planning.Report, "k.first"), ob(planning.Report, "k.bad"), ob(planning.Report, "k.last")))
	require.Equal(t, planning.OutFailed, trace.Status)
	steps := trace.Obligations[0].Steps
	require.Equal(t, []planning.Status{planning.Resolved, planning.Escalated, planning.Failed}, []planning.Status{steps[0].Status, steps[1].Status, steps[2].Status})
	require.Equal(t, "o1.2 before it is failed", steps[2].Why)
	require.Zero(t, *last.runs)
	require.Len(t, trace.Answers, 1)

	trace = conductorOf(t, store.NewMemory(), all...).conduct(ob(planning.Achieve, "k.p"))
	require.Equal(t, planning.OutResolved, trace.Status, "another plan is tried")
	require.Equal(t, []string{state.RunFailed, state.RunDone}, []string{trace.Obligations[0].Runs[0].Status, trace.Obligations[0].Runs[1].Status})
	require.Equal(t, "o1.4", trace.Obligations[0].Steps[3].ID)

	waits := conductorOf(t, store.NewMemory(), all...).conduct(plan(planning.Obligation{Type: planning.Clarify, Payload: map[string]any{"slot": "when"}}, ob(planning.Report, "k.last")))
	require.Equal(t, planning.OutClarify, waits.Status)
	require.Equal(t, "it waits for o1.1", waits.Obligations[0].Steps[1].Why)
}

// A result that is not confirmed fails its step, and its plan.
func TestAStepThatIsNotConfirmed(t *testing.T) {
	liar := named("t.liar", "REPORT(k.x)", func(f *fake) {
		f.contract.Verify, f.contract.Postconditions = planning.CheckBlocking, []string{"true"}
		f.again = func(_ context.Context, _ map[string]any) error { return fmt.Errorf("it is 4") }
	})
	trace := conductorOf(t, store.NewMemory(), liar).conduct(plan(ob(planning.Report, "k.x"), ob(planning.Report, "query.math", "expr", "1")))
	require.Equal(t, planning.OutFailed, trace.Status)
	require.Equal(t, planning.Failed, trace.Obligations[0].Status)
	require.Len(t, trace.Answers, 1)
	require.True(t, trace.Answers[0].Uncertain)
}

func TestPlansShowAllSteps(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), welcome()...)
	before := b.ledger.Head().Size
	shown, err := b.Plan(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{plan(ob(planning.Achieve, "k.welcome", "person", "Ann"), ob(planning.Achieve, "k.welcome"))}})
	require.NoError(t, err)
	first := shown.Obligations[0].Steps[0]
	require.Equal(t, []Candidate{{Tool: "t.welcome", Taken: true, Reason: "it would run"}}, first.Candidates)
	require.Equal(t, "o1.1.2", first.Steps[1].ID)
	require.Equal(t, []Candidate{{Tool: "t.send", Taken: true, Reason: "it would run with greeting.value"}}, first.Steps[1].Candidates)
	require.Equal(t, []string{"person"}, shown.Obligations[0].Steps[1].Missing)
	require.Equal(t, before, b.ledger.Head().Size)
}

// A run that is cut off in the middle of a plan goes on there: what is on record does not run again.
func TestAPlanThatWasCutOff(t *testing.T) {
	for _, inContract := range []bool{false, true} {
		for at := range 3 {
			t.Run(fmt.Sprint(inContract, at), func(t *testing.T) {
				s := store.NewMemory()
				var b bench
				var all []fake
				var steps []planning.Obligation
				cut := true
				for i := range 3 {
					kind := fmt.Sprintf("k.s%d", i)
					f := echoing("t."+kind[2:], "ACHIEVE("+kind+")", func(f *fake) { f.contract.Idempotent = true })
					echo := f.run
					f.run = func(in tools.In) (map[string]any, error) {
						if cut && i == at {
							b.stop()
							return nil, b.stopping().Err()
						}
						return echo(in)
					}
					all = append(all, f)
					n := any("x")
					if i > 0 {
						n = fmt.Sprintf("{{o%d.value}}y", i)
					}
					steps = append(steps, ob(planning.Achieve, kind, "n", n))
				}
				asked := plan(plan(steps...))
				if inContract {
					first := byPlan("t.p", "ACHIEVE(k.p)", nil, steps...)
					first.contract.Preconditions = []string{"!('user:ada' in ir)"}
					all = append(all, first)
					asked = plan(ob(planning.Achieve, "k.p"))
				}
				b = conductorOf(t, s, all...)
				_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{asked}})
				require.Error(t, err)
				cut = false
				b = conductorOf(t, s, all...)
				left, err := b.Unfinished(t.Context())
				require.NoError(t, err)
				require.Len(t, left, 1)
				trace, err := b.Resume(t.Context(), left[0])
				require.NoError(t, err)
				require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
				for i, f := range all[:3] {
					want := 1
					if i == at {
						want = 2
					}
					require.Equal(t, want, *f.runs, "step %d", i)
				}
				last := trace.Obligations[0].Steps[0].Steps[2]
				require.Equal(t, "xyy", last.Runs[0].Result["value"])
			})
		}
	}
}

// graph is a random request: what each obligation takes from others, by name.
type graph struct {
	takes [][]int // by place; a place outside of the list is unknown
	fails []bool
}

// drawn draws a graph, which may have circles and unknown names.
func drawn(t *rapid.T) graph {
	n := rapid.IntRange(1, 8).Draw(t, "n")
	g := graph{make([][]int, n), make([]bool, n)}
	for i := range n {
		g.takes[i] = rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, min(2, n), rapid.ID[int]).Draw(t, "takes")
		if rapid.IntRange(0, 60).Draw(t, "odd") > 0 { // most graphs have an order: down, by a hidden number
			g.takes[i] = slices.DeleteFunc(g.takes[i], func(source int) bool { return (source*5+3)%(n+1) >= (i*5+3)%(n+1) })
		}
		if rapid.IntRange(0, 60).Draw(t, "unknown") == 0 {
			g.takes[i] = append(g.takes[i], n+3)
		}
		g.fails[i] = rapid.IntRange(0, 9).Draw(t, "fails") == 0
	}
	return g
}

func (g graph) request() (all []planning.Obligation) {
	for i, takes := range g.takes {
		text := fmt.Sprintf("%d(", i)
		for _, source := range takes {
			text += fmt.Sprintf("{{o%d.value}}", source+1)
		}
		kind := "k.say"
		if g.fails[i] {
			kind = "k.fail"
		}
		all = append(all, ob(planning.Report, kind, "n", text+")"))
	}
	return all
}

// planner is the plain reference: it goes by rounds over the list, and takes the first that may go.
func (g graph) planner() (order []int, values map[int]string, refused bool) {
	values, done := map[int]string{}, map[int]bool{}
	for {
		next := -1
		for i := len(g.takes) - 1; i >= 0; i-- {
			if !done[i] && !slices.ContainsFunc(g.takes[i], func(source int) bool { return !done[source] }) {
				next = i
			}
		}
		if next < 0 {
			return order, values, len(done) < len(g.takes)
		}
		done[next] = true
		text, has := fmt.Sprintf("%d(", next), true
		for _, source := range g.takes[next] {
			value, is := values[source]
			text, has = text+value, has && is
		}
		if !has {
			continue
		}
		order = append(order, next)
		if !g.fails[next] {
			values[next] = text + ")"
		}
	}
}

// 1,000 random graphs run as a plain planner has them run: the same order, the same answers, the same refusals.
//
// Verifies: ORC-252
func TestRandomGraphs(t *testing.T) {
	var ran []int
	note := func(in tools.In) {
		var place int
		_, err := fmt.Sscanf(in.Input["n"].(string), "%d(", &place)
		require.NoError(t, err)
		ran = append(ran, place)
	}
	say := echoing("t.say", "REPORT(k.say)")
	say.run = func(in tools.In) (map[string]any, error) {
		note(in)
		return map[string]any{"value": in.Input["n"]}, nil
	}
	fail := echoing("t.fail", "REPORT(k.fail)")
	fail.run = func(in tools.In) (map[string]any, error) { note(in); return nil, fmt.Errorf("it fails") }
	b := conductorOf(t, store.NewMemory(), say, fail)
	graphs, refusals, failures := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			g := drawn(t)
			order, values, refused := g.planner()
			ran = nil
			trace, err := b.Conduct(b.t.Context(), Caller{Name: "eve", Role: "viewer"}, planning.Request{Obligations: g.request()})
			graphs++
			if refused {
				refusals++
				require.Error(t, err)
				require.Empty(t, ran)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, order, slices.Clip(ran))
			var want, got []string
			for i := range g.takes {
				if value, has := values[i]; has {
					want = append(want, fmt.Sprintf("o%d %s", i+1, value))
				}
			}
			for _, a := range trace.Answers {
				got = append(got, a.Obligation+" "+a.Result["value"].(string))
			}
			require.Equal(t, want, got)
			if len(values) < len(g.takes) {
				failures++
			}
		}
	})
	require.GreaterOrEqual(t, graphs, 1000)
	require.Greater(t, refusals, graphs/50)
	require.Greater(t, failures, graphs/20)
	t.Log(strings.Join([]string{fmt.Sprint(graphs, " graphs"), fmt.Sprint(refusals, " refused"), fmt.Sprint(failures, " with failures")}, ", "))
}

// The results of a trace that was read back are those of the run.
func TestResultsOfATraceThatIsReadBack(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), welcome()...)
	trace := b.conduct(ob(planning.Report, "k.say", "n", "x"), plan(called("a", ob(planning.Report, "k.say", "n", "y")), plan(ob(planning.Report, "k.say", "n", "z"))), ob(planning.Report, "query.math", "expr", "1/0"))
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		read, err := traceIn(v, trace.ID)
		for i := range read.Obligations {
			require.True(t, state.Equal(trace.Obligations[i].Result(), read.Obligations[i].Result()), "%v", read.Obligations[i].Result())
		}
		require.Equal(t, map[string]any{"a": map[string]any{"value": "y"}, "o2": map[string]any{"o1": map[string]any{"value": "z"}}}, read.Obligations[1].Result())
		return err
	}))
}

var traceIn = trace.In
