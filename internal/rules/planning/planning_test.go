package planning

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func tool(name string, r Reliability, c Cost, latency int, satisfies ...string) Contract {
	return Contract{Name: name, Reliability: r, Cost: c, LatencyMS: latency, Satisfies: satisfies}
}

func report(kind string) Obligation {
	return Obligation{Type: Report, Payload: map[string]any{"kind": kind}}
}

func namesOf(all []*Contract) []string {
	names := []string{}
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// Verifies: ORC-070
func TestTheOrderOfCandidates(t *testing.T) {
	for name, c := range map[string]struct {
		tools []Contract
		want  []string
	}{
		"the surer one, however dear":   {[]Contract{tool("a", Medium, CostTiny, 1, "REPORT"), tool("b", High, CostHigh, 9, "REPORT")}, []string{"b", "a"}},
		"low is last":                   {[]Contract{tool("a", Low, CostTiny, 1, "REPORT"), tool("b", Medium, CostHigh, 9, "REPORT")}, []string{"b", "a"}},
		"the cheaper one, however slow": {[]Contract{tool("a", High, CostLow, 1, "REPORT"), tool("b", High, CostTiny, 9, "REPORT")}, []string{"b", "a"}},
		"each cost":                     {[]Contract{tool("a", High, CostHigh, 1, "REPORT"), tool("b", High, CostMedium, 1, "REPORT"), tool("c", High, CostLow, 1, "REPORT")}, []string{"c", "b", "a"}},
		"the faster one":                {[]Contract{tool("a", High, CostTiny, 2, "REPORT"), tool("b", High, CostTiny, 1, "REPORT")}, []string{"b", "a"}},
		"the name at last":              {[]Contract{tool("b", High, CostTiny, 1, "REPORT"), tool("a", High, CostTiny, 1, "REPORT")}, []string{"a", "b"}},
		"exact and for every kind":      {[]Contract{tool("a", Low, CostTiny, 1, "REPORT(query.math)"), tool("b", High, CostTiny, 1, "REPORT"), tool("c", Low, CostTiny, 2, "REPORT")}, []string{"b", "a", "c"}},
		"one by both is one":            {[]Contract{tool("a", High, CostTiny, 1, "REPORT", "REPORT(query.math)", "REPORT")}, []string{"a"}},
		"another kind":                  {[]Contract{tool("a", High, CostTiny, 1, "REPORT(query.mathematics)", "REPORT(query)")}, []string{}},
		"another type":                  {[]Contract{tool("a", High, CostTiny, 1, "ACHIEVE(query.math)", "ACHIEVE")}, []string{}},
		"none":                          {nil, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, namesOf(NewChoice(c.tools).Candidates(report("query.math"))))
		})
	}
}

// Whatever order contracts are registered in, the choice is the same, and it is the one that the definition gives.
//
// Verifies: ORC-070
func TestTheOrderOfRegistrationChangesNothing(t *testing.T) {
	patterns := []string{"REPORT", "REPORT(k.a)", "REPORT(k.b)", "ACHIEVE", "ACHIEVE(k.a)"}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		var tools []Contract
		for i := range n {
			tools = append(tools, tool(fmt.Sprintf("t%02d", i), rapid.SampledFrom(reliabilities).Draw(t, "reliability"), rapid.SampledFrom(costs).Draw(t, "cost"),
				rapid.IntRange(0, 2).Draw(t, "latency"), rapid.SliceOfN(rapid.SampledFrom(patterns), 1, 3).Draw(t, "satisfies")...))
		}
		o := Obligation{Type: rapid.SampledFrom([]Type{Report, Achieve}).Draw(t, "type"), Payload: map[string]any{"kind": rapid.SampledFrom([]string{"k.a", "k.b", "k.c"}).Draw(t, "kind")}}
		got := namesOf(NewChoice(slices.Clone(tools)).Candidates(o))
		shuffled := rapid.Permutation(tools).Draw(t, "order")
		require.Equal(t, got, namesOf(NewChoice(shuffled).Candidates(o)))
		var want []string
		for _, c := range tools {
			if slices.Contains(c.Satisfies, string(o.Type)) || slices.Contains(c.Satisfies, o.String()) {
				want = append(want, c.Name)
			}
		}
		require.ElementsMatch(t, want, got)
	})
}

func TestFill(t *testing.T) {
	c := Contract{Consumes: []Input{{Name: "city", Required: true}, {Name: "age", Required: true}, {Name: "note"}, {Name: "name", Required: true}}}
	o := Obligation{Type: Report, Payload: map[string]any{"kind": "k", "city": "Seattle"}}
	values, missing := Fill(&c, o, func(slot string) (any, bool) { return "Jeff", slot == "name" || slot == "city" })
	require.Equal(t, Inputs{"city": "Seattle", "name": "Jeff"}, values, "the payload comes before what is known")
	require.Equal(t, []string{"age"}, missing)
	values, missing = Fill(&c, o, func(slot string) (any, bool) { return nil, slot == "age" || slot == "note" })
	require.Equal(t, Inputs{"city": "Seattle", "age": nil, "note": nil}, values, "null is a value that is known")
	require.Equal(t, []string{"name"}, missing)
	_, missing = Fill(&c, report("k"), func(string) (any, bool) { return nil, false })
	require.Equal(t, []string{"age", "city", "name"}, missing)
}

func TestTheOutcomeOfARun(t *testing.T) {
	require.Equal(t, OutResolved, OutcomeOf(nil))
	order := []Outcome{OutGuardrail, OutClarify, OutTruncated, OutFailed, OutResolved}
	for i, worse := range order {
		for _, better := range order[i:] {
			require.Equal(t, worse, OutcomeOf([]Outcome{better, worse, better}))
		}
	}
}

func TestGuardrailsComeFirst(t *testing.T) {
	guardrails, rest := Guardrails([]Obligation{{Type: Report}, {Type: Avoid}, {Type: Achieve}, {Type: Maintain}})
	require.Equal(t, []int{1, 3}, guardrails)
	require.Equal(t, []int{0, 2}, rest)
}

func TestWordsForAnObligation(t *testing.T) {
	require.Equal(t, "REPORT(query.math)", report("query.math").String())
	require.Equal(t, "VERIFY", Obligation{Type: Verify, Payload: map[string]any{"kind": 3}}.String())
	require.Len(t, Types(), 9)
	weight := 0.0
	for _, c := range costs {
		require.Greater(t, c.Weight(), weight)
		weight = c.Weight()
	}
	require.Equal(t, len(costs), rankOf(costs, Cost("free")), "what is not known is last")
}

func BenchmarkPlanning(b *testing.B) {
	tools := make([]Contract, 1000)
	for i := range tools {
		pattern := "REPORT"
		if i%2 == 0 {
			pattern = fmt.Sprintf("REPORT(k.%d)", i%100)
		}
		tools[i] = tool(fmt.Sprintf("t%d", i), reliabilities[i%3], costs[i%4], i%7, pattern)
	}
	rand.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
	obligations := make([]Obligation, 1000)
	for i := range obligations {
		obligations[i] = report(fmt.Sprintf("k.%d", i%100))
	}
	for b.Loop() {
		choice := NewChoice(tools)
		n := 0
		for _, o := range obligations {
			n += len(choice.Candidates(o))
		}
		if n == 0 {
			b.Fatal("no candidates")
		}
	}
}

func TestOnlyWhatIsResolvedIs(t *testing.T) {
	for _, s := range []Status{Active, Resolved, Failed, Escalated} {
		require.Equal(t, s == "resolved", s.Resolved())
	}
	for _, o := range []Outcome{OutResolved, OutClarify, OutFailed, OutTruncated, OutGuardrail} {
		require.Equal(t, o == "resolved", o.Resolved())
	}
	require.True(t, Report.Answers())
	require.False(t, Achieve.Answers())
	require.True(t, Schedule.Changes())
	require.False(t, DiscoverOp.Changes())
}

func TestWhatAContractMeets(t *testing.T) {
	math, all := Contract{Satisfies: []string{"REPORT(query.math)"}}, Contract{Satisfies: []string{"REPORT"}}
	o := Obligation{Type: Report, Payload: map[string]any{"kind": "query.math"}}
	require.True(t, math.Meets(o))
	require.True(t, all.Meets(o))
	o.Payload["kind"] = "query.people"
	require.False(t, math.Meets(o))
	require.True(t, all.Meets(o))
	require.False(t, all.Meets(Obligation{Type: Achieve}))
}

// Whether a contract satisfies an obligation is decided in one way, whoever asks.
func TestTheCandidatesAreWhatMeets(t *testing.T) {
	patterns := []string{"REPORT", "REPORT(query.math)", "REPORT(query.people)", "ACHIEVE", "ACHIEVE(query.math)"}
	var contracts []Contract
	for i := range 1 << len(patterns) {
		c := Contract{Name: fmt.Sprintf("t%02d", i)}
		for bit, pattern := range patterns {
			if i>>bit&1 == 1 {
				c.Satisfies = append(c.Satisfies, pattern)
			}
		}
		contracts = append(contracts, c)
	}
	choice := NewChoice(contracts)
	for _, o := range []Obligation{
		{Type: Report}, report("query.math"), report("query.people"), report("query.cities"), {Type: Achieve},
		{Type: Achieve, Payload: map[string]any{"kind": "query.math"}}, {Type: Verify},
	} {
		met := []string{}
		for _, c := range contracts {
			if c.Meets(o) {
				met = append(met, c.Name)
			}
		}
		require.Equal(t, met, namesOf(choice.Candidates(o)), o.String())
	}
}
