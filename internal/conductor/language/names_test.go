package language

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name is never read out of words that say how often, how surely, since when or for whom something holds.
//
// Verifies: ORC-261
func TestNamesHaveNoOtherWords(t *testing.T) {
	for _, utterance := range []string{
		"remember that Alice never lives in Paris", "remember that Alice hardly lives in Paris", "remember that Alice probably lives in Paris",
		"remember that maybe Alice lives in Paris", "remember that Maybe Alice lives in Paris", "remember that perhaps Alice Smith is my friend",
		"remember that Alice lives in Paris no more", "remember that Alice lives in Paris sometimes", "remember that alice rarely lives in paris",
		"remember that nobody lives in Paris", "remember that Nobody is my friend", "remember that everybody lives in Paris",
		"remember that somebody is my friend", "remember that no-one is my friend", "remember that Alice lives nowhere",
		"remember that Alice lives in nowhere", "remember that Alice lives in there", "remember that Alice lives in Paris until May",
		"remember that ALICE NEVER LIVES IN PARIS", "remember that alice presumably lives in paris", "remember that Alice Smith used is my friend",
		"remember that Bob was is my friend", "remember that Bob isn't is my friend", "remember that neither Alice lives in Rome",
		"remember that half Paris lives in Rome", "remember that him lives in Rome", "remember that most lives in Rome",
		"remember that Alice lives in Paris half", "remember that Alice lives in Paris again", "remember that the tester lives in Paris",
		"remember that bob was my friend", "remember that bob may be my friend", "remember that Bob isn't my friend",
		"forget that nobody lives in Rome", "forget that Alice ever lives in Rome", "my name is nobody", "my name is Bob maybe",
		"my name is anonymous today", "list my friends in nowhere", "list my friends in Rome sometimes", "list my friends in Rome yesterday",
		"list the requirements assigned to nobody", "list the requirements assigned to anybody", "which requirements are assigned to everyone",
		"how many requirements are assigned to nobody", "what do you know about nobody", "what do you know about everything",
		"what of nobody was refused today", "what of Ada alone was refused today",
	} {
		f := refusal(t, utterance)
		require.NotContains(t, f.Fix, "did you mean", utterance)
		if !strings.Contains(utterance, "isn't my") && !strings.Contains(utterance, " my friend") && !strings.Contains(utterance, "nowhere") {
			require.Contains(t, f.Detail, "put it in double quotes", utterance)
		}
	}
	for utterance, want := range map[string]string{
		`remember that "Nobody" lives in "Paris No More"`:         `"object":"Paris No More","predicate":"city","subject":"Nobody"`,
		"remember that Ludwig van Beethoven lives in Den Haag":    `"object":"Den Haag","predicate":"city","subject":"Ludwig van Beethoven"`,
		"remember that ada lovelace lives in new york":            `"object":"new york","predicate":"city","subject":"ada lovelace"`,
		"remember that Kelly lives in Rio de Janeiro":             `"object":"Rio de Janeiro","predicate":"city","subject":"Kelly"`,
		"remember that Anna O'Neill lives in the Hague":           `"object":"the Hague","predicate":"city","subject":"Anna O'Neill"`,
		"remember that Emily Reilly lives in Frankfurt am Main":   `"object":"Frankfurt am Main","predicate":"city","subject":"Emily Reilly"`,
		"remember that Jean d'Arc lives in Stratford-upon-Avon":   `"object":"Stratford-upon-Avon","predicate":"city","subject":"Jean d'Arc"`,
		"remember that \u674e \u5c0f\u9f99 lives in \u5317\u4eac": `"object":"` + "\u5317\u4eac" + `","predicate":"city","subject":"` + "\u674e \u5c0f\u9f99" + `"`,
		"REMEMBER THAT ALICE SMITH LIVES IN ROME":                 `"object":"ROME","predicate":"city","subject":"ALICE SMITH"`,
		"list my friends in Santiago del Estero":                  `"city":"Santiago del Estero"`,
		"remember that Robert Downey Jr. is my friend":            `"subject":"Robert Downey Jr."`,
		"remember that Omar bin Laden is my friend":               `"subject":"Omar bin Laden"`,
	} {
		require.Contains(t, said(t, utterance), want, utterance)
	}
}
