package datalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is the user's error is said, and is not answered with no.
//
// Verifies: ORC-243
func TestProgramsThatCannotBeMeant(t *testing.T) {
	const grandparent = "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."
	family := []string{"parent(ann, bob)", "parent(bob, cid)", "age(ann, 60)", `age(bob, "30")`, "born(bob, oslo)"}
	for name, c := range map[string]struct {
		facts, rules []string
		query, says  string
	}{
		"as it should be":             {family, []string{grandparent}, "grandparent(ann, cid)", ""},
		"nothing follows":             {family[:1], []string{grandparent}, "grandparent(ann, cid)", ""},
		"no facts":                    {nil, []string{grandparent}, "grandparent(ann, cid)", ""},
		"a number in quotes":          {family, []string{"p(X) :- age(X, 30)."}, "p(bob)", ""},
		"a column of both":            {[]string{"is(a, 1)", "is(b, one)"}, []string{"p(X) :- is(X, 1).", "q(X) :- is(X, one)."}, "p(a)", ""},
		"an unknown relation's":       {family, []string{"p(X) :- age(X, Y), nobody(Y)."}, "p(ann)", ""},
		"a recursion":                 {[]string{"e(1, 2)"}, []string{"t(X, Y) :- e(X, Y).", "t(X, Z) :- t(X, Y), e(Y, Z)."}, "t(1, X)", ""},
		"no rules":                    {family, nil, "parent(ann, bob)", "there are no rules"},
		"a relation that is not":      {family, []string{grandparent}, "grandparnt(ann, cid)", "query: no fact and no rule has the relation grandparnt"},
		"a word for a number":         {family, []string{"p(X) :- age(X, thirty)."}, "p(bob)", "rules[0]: thirty is a word, and term 2 of age is a number"},
		"a number for a word":         {family, []string{grandparent}, "parent(ann, 7)", "query: 7 is a number, and term 2 of parent is a word"},
		"derived":                     {family, []string{grandparent}, "grandparent(1, X)", "query: 1 is a number, and term 1 of grandparent is a word"},
		"a constant of a head":        {family, []string{"p(1) :- parent(X, Y)."}, "p(one)", "query: one is a word, and term 1 of p is a number"},
		"columns that are joined":     {family, []string{"p(X) :- age(X, Y), born(X, Y)."}, "p(bob)", "rules[0]: Y stands for term 2 of age, which is a number, and for term 2 of born, which is a word"},
		"forgotten quotes":            {[]string{`p("Alice", "Bob")`}, []string{"q(X) :- p(X, Y)."}, "q(Alice)", "query: Alice is a variable here, and a constant in quotes in the facts"},
		"in a rule":                   {[]string{`p("Alice", "Bob")`}, []string{"q(X) :- p(X, Bob)."}, "q(X)", "rules[0]: Bob is a variable here"},
		"a variable twice in a query": {family, []string{grandparent}, "age(X, X)", "query: X stands for term 1 of age"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Read(c.facts, c.rules, c.query)
			require.NoError(t, err)
			err = p.CheckSense()
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
		})
	}
}
