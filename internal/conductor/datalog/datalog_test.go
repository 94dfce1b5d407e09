package datalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
)

const grandparent = "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."

func ask(t require.TestingT, facts, rules []string, query string) (Program, Answer) {
	p, err := Read(facts, rules, query)
	require.NoError(t, err)
	a, err := Deduce(context.Background(), p)
	require.NoError(t, err)
	require.NoError(t, Confirm(context.Background(), p, a))
	return p, a
}

func requireCode(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, string(f.Code), f.Detail)
	require.NotEmpty(t, f.Fix)
	return f
}

func TestAGrandparentIsProven(t *testing.T) {
	_, a := ask(t, []string{"parent(ann, bob)", "parent(bob, cid)."}, []string{"grandparent(X,Z) :- parent(X,Y), parent(Y,Z)."}, "grandparent(ann, X)")
	require.Equal(t, Answer{
		Holds: true, Count: 1, Answers: []string{"grandparent(ann, cid)"},
		Proof: []Step{{Fact: "parent(ann, bob)"}, {Fact: "parent(bob, cid)"}, {Fact: "grandparent(ann, cid)", Rule: grandparent, From: []int{1, 2}}},
	}, a)
}

func TestNothingFollowsFromNothing(t *testing.T) {
	for _, facts := range [][]string{nil, {"parent(ann, bob)"}, {"parent(ann, bob)", "parent(ben, cid)"}} {
		_, a := ask(t, facts, []string{grandparent}, "grandparent(ann, X)")
		require.Equal(t, Answer{Answers: []string{}, Proof: []Step{}}, a)
	}
}

func TestAnswers(t *testing.T) {
	chain := []string{"edge(a, b)", "edge(b, c)", "edge(c, a)", "edge(d, d)"}
	reach := []string{"reach(X, Y) :- edge(X, Y).", "reach(X, Z) :- reach(X, Y), reach(Y, Z)."}
	for _, c := range []struct {
		name         string
		facts, rules []string
		query        string
		want         []string
	}{
		{"a given fact", chain, nil, "edge(a, b)", []string{"edge(a, b)"}},
		{"a given fact twice", []string{"p(a)", "p(a)."}, nil, "p(X)", []string{"p(a)"}},
		{"no such relation", chain, reach, "other(X)", nil},
		{"cycles", chain, reach, "reach(a, X)", []string{"reach(a, a)", "reach(a, b)", "reach(a, c)"}},
		{"a rule that makes its own body", []string{"p(a)"}, []string{"p(X) :- p(X)."}, "p(X)", []string{"p(a)"}},
		{"rules that only lean on each other", nil, []string{"p(X) :- q(X).", "q(X) :- p(X)."}, "p(X)", nil},
		{"a variable twice in a query", chain, nil, "edge(X, X)", []string{"edge(d, d)"}},
		{"a variable twice in a body", chain, []string{"loop(X) :- edge(X, X)."}, "loop(X)", []string{"loop(d)"}},
		{"_ is another each time", chain, nil, "edge(_, _)", []string{"edge(a, b)", "edge(b, c)", "edge(c, a)", "edge(d, d)"}},
		{"_ in a body", chain, []string{"start(X) :- edge(X, _), edge(_, X)."}, "start(X)", []string{"start(a)", "start(b)", "start(c)", "start(d)"}},
		{"constants in rules", chain, []string{"near(X) :- edge(a, X).", "home(a) :- edge(a, b)."}, "near(b)", []string{"near(b)"}},
		{"a head of constants", chain, []string{"home(a) :- edge(_, b)."}, "home(X)", []string{"home(a)"}},
		{"no terms", []string{"rain", "cold()"}, []string{"snow :- rain, cold."}, "snow", []string{"snow"}},
		{"a product", []string{"p(a)", "p(b)"}, []string{"q(X, Y) :- p(X), p(Y)."}, "q(b, X)", []string{"q(b, a)", "q(b, b)"}},
		{"numbers and quotes", []string{`n(1, "a b", -2.5, "x\"\\")`, `n("1", ann, "-2.5", "Ann")`}, nil, `n(1, X, "-2.5", Y)`, []string{`n(1, "a b", -2.5, "x\"\\")`, `n(1, ann, -2.5, "Ann")`}},
		{"other scripts", []string{"мать(анна, 王)"}, []string{"kind(X) :- мать(_, X)."}, "kind(X)", []string{"kind(王)"}},
		{"a mutual recursion", []string{"next(0, 1)", "next(1, 2)", "next(2, 3)", "even(0)"}, []string{"odd(Y) :- even(X), next(X, Y).", "even(Y) :- odd(X), next(X, Y)."}, "even(X)", []string{"even(0)", "even(2)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, a := ask(t, c.facts, c.rules, c.query)
			require.Equal(t, c.want != nil, a.Holds)
			require.Equal(t, append([]string{}, c.want...), a.Answers)
		})
	}
}

func TestWhatIsNoProgram(t *testing.T) {
	for _, c := range []struct {
		facts, rules  []string
		query         string
		code, pointer string
	}{
		{rules: []string{"p(X, Y) :- q(X)."}, query: "p(a, b)", code: "rule_unbound", pointer: "/rules/0"},
		{rules: []string{"p(_) :- q(_)."}, query: "p(a)", code: "rule_unbound", pointer: "/rules/0"},
		{facts: []string{"p(a)", "p(X)"}, query: "p(a)", code: "fact_variable", pointer: "/facts/1"}, {facts: []string{"p(_)"}, query: "p(a)", code: "fact_variable", pointer: "/facts/0"},
		{facts: []string{"p(a)", "p(a, b)"}, query: "p(a)", code: "relation_terms", pointer: "/facts/1"}, {facts: []string{"p(a)"}, query: "p", code: "relation_terms", pointer: "/query"},
		{facts: []string{"p(" + strings.Repeat("a,", 64) + "a)"}, query: "p", code: "relation_terms", pointer: "/facts/0"},
		{rules: []string{"p(X) :- q(X), q(X, X)."}, query: "p(a)", code: "relation_terms", pointer: "/rules/0"},
		{rules: []string{"p(X) :- q(X)" + strings.Repeat(", q(X)", 32)}, query: "p(a)", code: "rule_too_long", pointer: "/rules/0"},
		{facts: []string{"p(" + strings.Repeat("a", 201) + ")"}, query: "q", code: "datalog_text", pointer: "/facts/0"}, {facts: []string{strings.Repeat("p", 9000)}, query: "q", code: "datalog_text", pointer: "/facts/0"}, {query: "p(\"\xff\")", code: "datalog_text", pointer: "/query"},
		{rules: []string{"p(a)."}, query: "p(a)", code: "datalog_syntax", pointer: "/rules/0"}, {rules: []string{"p(a) :- ."}, query: "p(a)", code: "datalog_syntax", pointer: "/rules/0"}, {rules: []string{"p(X) :- not q(X)."}, query: "p(a)", code: "datalog_syntax", pointer: "/rules/0"},
		{rules: []string{"p(X) :- q(X), X != a."}, query: "p(a)", code: "datalog_syntax", pointer: "/rules/0"}, {query: "", code: "datalog_syntax", pointer: "/query"}, {query: "P(a)", code: "datalog_syntax", pointer: "/query"}, {query: "p(a", code: "datalog_syntax", pointer: "/query"},
		{query: "p(a,)", code: "datalog_syntax", pointer: "/query"}, {query: "p(a) q", code: "datalog_syntax", pointer: "/query"}, {query: `p("a`, code: "datalog_syntax", pointer: "/query"}, {query: `p("\n")`, code: "datalog_syntax", pointer: "/query"}, {query: "p(\"a\nb\")", code: "datalog_syntax", pointer: "/query"},
		{query: "p(REQ-7)", code: "datalog_syntax", pointer: "/query"}, {query: "p(a), q(b)", code: "datalog_syntax", pointer: "/query"}, {facts: slices.Repeat([]string{"p"}, MaxFacts+1), query: "p", code: "program_too_large"}, {rules: slices.Repeat([]string{"p :- q"}, 101), query: "p", code: "program_too_large"},
	} {
		_, err := Read(c.facts, c.rules, c.query)
		f := requireCode(t, err, c.code)
		require.ErrorIs(t, f, fault.Invalid)
		if c.pointer != "" {
			require.Len(t, f.Fields, 1)
			require.Equal(t, c.pointer, f.Fields[0].Pointer)
		}
	}
	_, err := Read([]string{"p(a)", "p(a; b)"}, nil, "p(a)")
	require.Equal(t, `facts[1]: column 4: expected , or ), found ";"`, requireCode(t, err, "datalog_syntax").Detail)
}

func TestAFloodOfFactsIsStopped(t *testing.T) {
	var facts []string
	for i := range 101 {
		facts = append(facts, fmt.Sprintf("p(%d)", i))
	}
	p, err := Read(facts, []string{"q(X, Y) :- p(X), p(Y)."}, "q(0, 0)")
	require.NoError(t, err)
	_, err = Deduce(t.Context(), p)
	requireCode(t, err, "too_many_facts")
	require.ErrorContains(t, Confirm(t.Context(), p, Answer{}), "cannot be derived again")
	p, err = Read(facts[1:], []string{"q(X, Y) :- p(X), p(Y)."}, "q(1, X)")
	require.NoError(t, err)
	a, err := Deduce(t.Context(), p)
	require.NoError(t, err, "ten thousand facts are not too many")
	require.Equal(t, 100, a.Count)
	require.NoError(t, Confirm(t.Context(), p, a))
}

func TestMuchWorkForNothingIsStopped(t *testing.T) {
	var facts []string
	for i := range 300 {
		facts = append(facts, fmt.Sprintf("p(%d)", i))
	}
	p, err := Read(facts, []string{"q :- p(A), p(B), p(C), p(D), r(A, B, C, D)."}, "q")
	require.NoError(t, err)
	a, err := Deduce(t.Context(), p)
	require.NoError(t, err, "an empty relation is seen at once: %v", a)
	p, err = Read(facts, []string{"q(A) :- p(A), p(B), p(C)."}, "q(A)")
	require.NoError(t, err)
	_, err = Deduce(t.Context(), p)
	requireCode(t, err, "deduction_too_long")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Deduce(ctx, p)
	require.ErrorIs(t, requireCode(t, err, "deduction_stopped"), fault.Unavailable)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, Confirm(ctx, p, Answer{}), "cannot be derived again")
}

// TestALongChainIsConfirmed takes more rounds than the naive deduction may, so that it starts from what the engine found.
func TestALongChainIsConfirmed(t *testing.T) {
	var facts []string
	for i := range 3000 {
		facts = append(facts, fmt.Sprintf("next(%d, %d)", i, i+1))
	}
	rules := []string{"reached(0) :- next(0, _).", "reached(Y) :- reached(X), next(X, Y)."}
	p, a := ask(t, facts, rules, "reached(3001)")
	require.False(t, a.Holds)
	_, err := naive(t.Context(), p, nil, maxNaive)
	requireCode(t, err, "deduction_too_long")
	p, a = ask(t, facts, rules, "reached(3000)")
	require.Len(t, a.Proof, 6001)
	require.ErrorContains(t, Confirm(t.Context(), p, Answer{}), "gives 1 answers")
}

// TestASetThatLacksFactsIsNotTakenForAll begins with too few and with too many facts.
func TestASetThatLacksFactsIsNotTakenForAll(t *testing.T) {
	p, err := Read([]string{"parent(ann, bob)", "parent(bob, cid)", "parent(bob, dan)"}, []string{grandparent}, "grandparent(ann, X)")
	require.NoError(t, err)
	all, err := naive(t.Context(), p, []Atom{ground("grandparent", []string{"ann", "cid"})}, 1000)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"ann", "cid"}, {"ann", "dan"}}, all["grandparent"])
}

// TestAProofDoesNotDouble has a tree of 2^40 leaves, and a list of 41 steps.
func TestAProofDoesNotDouble(t *testing.T) {
	var rules []string
	for i := range 40 {
		rules = append(rules, fmt.Sprintf("p%d(X) :- p%d(X), p%d(X).", i+1, i, i))
	}
	_, a := ask(t, []string{"p0(a)"}, rules, "p40(X)")
	require.Len(t, a.Proof, 41)
}

func TestALongProofIsCut(t *testing.T) {
	var facts []string
	for i := range 9000 {
		facts = append(facts, fmt.Sprintf(`p("%s %d")`, strings.Repeat("x", 150), i))
	}
	_, a := ask(t, facts, []string{"q(X) :- p(X)."}, "q(X)")
	require.Equal(t, 9000, a.Count)
	require.Less(t, len(a.Answers), 9000)
	require.Greater(t, len(a.Answers), 1000)
	require.Len(t, a.Proof, 2*len(a.Answers))
}

func TestConfirmFindsWhatIsWrong(t *testing.T) {
	facts := []string{"parent(ann, bob)", "parent(bob, cid)", "parent(bob, dan)"}
	spoil := map[string]func(a *Answer){
		"turned round":           func(a *Answer) { *a = Answer{} },
		"turned round, the rest": func(a *Answer) { a.Holds = false },
		"an answer too few":      func(a *Answer) { a.Count, a.Answers = 1, a.Answers[:1] },
		"a count too high":       func(a *Answer) { a.Count = 3 },
		"no answer":              func(a *Answer) { a.Answers = nil },
		"an answer not proven":   func(a *Answer) { a.Answers[1] = "grandparent(ann, eve)" },
		"an answer not asked":    func(a *Answer) { a.Answers[1] = "parent(ann, bob)" },
		"the second answer":      func(a *Answer) { a.Answers = a.Answers[1:] },
		"no proof":               func(a *Answer) { a.Proof = nil },
		"a fact not given":       func(a *Answer) { a.Proof[0].Fact = "parent(ann, eve)" },
		"no fact":                func(a *Answer) { a.Proof[0].Fact = "parent(" },
		"another rule":           func(a *Answer) { a.Proof[2].Rule = "grandparent(X, Z) :- parent(X, Z)." },
		"from later":             func(a *Answer) { a.Proof[2].From[0] = 3 },
		"from nowhere":           func(a *Answer) { a.Proof[2].From[0] = 0 },
		"from too few":           func(a *Answer) { a.Proof[2].From = a.Proof[2].From[:1] },
		"from the wrong":         func(a *Answer) { a.Proof[2].From = []int{2, 1} },
		"another head":           func(a *Answer) { a.Proof[2].Fact = "grandparent(ann, bob)" },
		"a claim without a rule": func(a *Answer) { a.Proof[2].Rule = "" },
	}
	for name, change := range spoil {
		p, a := ask(t, facts, []string{grandparent}, "grandparent(ann, X)")
		require.Equal(t, []string{"grandparent(ann, cid)", "grandparent(ann, dan)"}, a.Answers)
		require.Equal(t, grandparent, a.Proof[2].Rule)
		change(&a)
		require.Error(t, Confirm(t.Context(), p, a), name)
	}
}

// drawProgram draws facts and rules over few names, so that much follows, and a question.
func drawProgram(t *rapid.T) (facts, rules []string, query string) {
	relation := rapid.SampledFrom([]string{"p", "q", "r"})
	constant := rapid.SampledFrom([]string{"a", "b", "c", "d", "1"})
	term := rapid.OneOf(rapid.SampledFrom([]string{"X", "Y", "Z", "_"}), constant)
	atom := func(of *rapid.Generator[string], label string) string {
		return fmt.Sprintf("%s(%s, %s)", relation.Draw(t, label), of.Draw(t, label), of.Draw(t, label))
	}
	for range rapid.IntRange(0, 8).Draw(t, "facts") {
		facts = append(facts, atom(constant, "fact"))
	}
	for range rapid.IntRange(0, 5).Draw(t, "rules") {
		var body []string
		for range rapid.IntRange(1, 4).Draw(t, "body") {
			body = append(body, atom(term, "body"))
		}
		rule := atom(term, "head") + " :- " + strings.Join(body, ", ")
		if _, err := Read(nil, []string{rule}, "p(a, a)"); err == nil { // not one whose head is unbound
			rules = append(rules, rule)
		}
	}
	return facts, rules, atom(term, "query")
}

// TestItAgreesWithTheNaiveDeduction asks drawn programs; Confirm derives the answers again. A case is several programs,
// so that in few cases too a fair share of the questions holds.
func TestItAgreesWithTheNaiveDeduction(t *testing.T) {
	asked, held := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			facts, rules, query := drawProgram(t)
			_, a := ask(t, facts, rules, query)
			asked++
			if a.Holds {
				held++
			}
			_, straight := ask(t, facts, rules, "p(X, Y)")
			slices.Reverse(rules)
			_, turned := ask(t, facts, rules, "p(X, Y)")
			require.Equal(t, straight.Answers, turned.Answers, "the order of rules makes no difference")
		}
	})
	require.Greater(t, held, asked/10)
}

func FuzzRead(f *testing.F) {
	f.Add("parent(ann, bob)", grandparent, "grandparent(ann, X)")
	f.Add(`p("a\"", -1.5).`, "q :- p(_, X), p(X, _).", "q()")
	f.Fuzz(func(t *testing.T, fact, rule, query string) {
		p, err := Read([]string{fact}, []string{rule}, query)
		if err != nil {
			var fl *fault.Error
			require.ErrorAs(t, err, &fl)
			return
		}
		again, err := Read([]string{p.Facts[0].String()}, []string{p.Rules[0].String()}, p.Query.String())
		require.NoError(t, err)
		require.Equal(t, p, again)
		a, err := Deduce(t.Context(), p)
		require.NoError(t, err)
		require.NoError(t, Confirm(t.Context(), p, a))
	})
}

func family(n int) []string {
	var facts []string
	for i := range n {
		facts = append(facts, fmt.Sprintf("parent(n%d, n%d)", i, i*7%n+1))
	}
	return facts
}

func BenchmarkDeduce(b *testing.B) {
	for _, query := range []string{"grandparent(n5, X)", "grandparent(X, Y)"} {
		p, err := Read(family(1000), []string{grandparent}, query)
		require.NoError(b, err)
		var a Answer
		b.Run("1000 facts/"+query, func(b *testing.B) {
			for b.Loop() {
				if a, err = Deduce(b.Context(), p); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("confirm/"+query, func(b *testing.B) {
			for b.Loop() {
				if err := Confirm(b.Context(), p, a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("read 1000 facts", func(b *testing.B) {
		facts := family(1000)
		for b.Loop() {
			_, _ = Read(facts, []string{grandparent}, "grandparent(X, Y)")
		}
	})
}
