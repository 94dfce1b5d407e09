package token

import (
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/actorname"
)

// checkDistinct refuses a name that counts as one of those in use without being it: nobody could tell the two apart,
// and separation of duties does not.
func checkDistinct(name string, tokens []Token) error {
	if slices.ContainsFunc(tokens, func(t Token) bool { return t.Name == name }) {
		return nil
	}
	folded := actorname.Fold(name)
	i := slices.IndexFunc(tokens, func(t Token) bool { return actorname.Fold(t.Name) == folded })
	if i < 0 {
		return nil
	}
	return fault.New(fault.Conflict, "token_name_alike",
		"the name differs from %q, which is in use, in case or width alone, and counts as the same person",
		tokens[i].Name).WithFix("for the same person use the name %s; for another one give a name that differs in "+
		"its letters", tokens[i].Name)
}

// Alike returns the names of tokens that differ only as actorname.Fold disregards, in groups of two or more, each in
// the order of the tokens. They come from a file that was edited by hand, and count as one person.
func Alike(tokens []Token) [][]string {
	var folds []string
	groups := map[string][]string{}
	for _, t := range tokens {
		folded := actorname.Fold(t.Name)
		if groups[folded] == nil {
			folds = append(folds, folded)
		}
		if !slices.Contains(groups[folded], t.Name) {
			groups[folded] = append(groups[folded], t.Name)
		}
	}
	var alike [][]string
	for _, folded := range folds {
		if len(groups[folded]) > 1 {
			alike = append(alike, groups[folded])
		}
	}
	return alike
}
