package language

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is proposed does what was said: no act is turned into another one, and nothing that limits it is left out.
//
// Verifies: ORC-263
func TestNothingElseIsProposed(t *testing.T) {
	for _, utterance := range []string{
		"unapprove REQ-1", "disapprove REQ-1", "reapprove REQ-1", "reblock REQ-1", "deblock REQ-1", "unreject REQ-1 because it is good",
		"unresume REQ-1", "redefer REQ-1", "unforget that Bob lives in Rome", "except the deviation D-1 of REQ-7 because it is late",
		"not on REQ-7: the customer has agreed", "refer REQ-1 because it is late", "unsend REQ-1 back", "eject REQ-1",
		"approve REQ-1 later", "approve REQ-1 tomorrow", "approve REQ-1 tonight", "approve REQ-1 partly", "approve only REQ-1",
		"approve half REQ-1", "approve REQ-1 maybe", "approve almost REQ-1", "block REQ-1 briefly", "approve REQ-1 eventually",
		"approve the design of REQ-1", "reject the test of REQ-1 because it is late", "approve REQ-1 provisionally", "approve REQ-1 first",
		"remember that Alice used to live in Paris", "remember that Alice is no longer my friend", "approve REQ-1 as bob",
		"REQ-1 hardly needs changes", "normalize email a@b.c, d@e.f", "normalize email a@b.c d@e.f",
		"list the open requirements", "how many s in Mississippi river", "show the latest refusals", "status of the parent of REQ-1",
		"what is 1e3", "what is 2.5e-3", "what is 0x1F", "list the requirements that are done yesterday", "status of REQ-1 yesterday", "how many requirements were done last week",
		"list my friends Bob in Seattle", "is REQ-1 never done", "is REQ-1 really not done",
		"what will be refused today", "remember that Alice lived in Paris",
		"which of my friends lived in Rome", "why is REQ-1 done", "block REQ-1 tomorrow", "block REQ-1 for a week", "block REQ-1 as of monday",
		"approve REQ-1 when it is ready", "approve REQ-1 for now", "approve REQ-1 as soon as it is ready", "block REQ-1 since last week",
		"REQ-7 because it is late", "REQ-7 changes because it is late", "approve REQ-1 the day after tomorrow", "on REQ-7: it is late",
		"remember that my former friend Bob lives in Rome",
		"forget that Bob lived in Seattle", "set REQ-1 back to done", "set REQ-1 to almost done",
		"mark REQ-1 as not done", "defer REQ-1 by a week", "unset REQ-1 to done", "move REQ-1 from done to planned", "block REQ-1 once it is late",
		"how many requirements aren't of kind story",
	} {
		if f := refusal(t, utterance); strings.Contains(f.Fix, "did you mean") {
			t.Log(utterance, "==>", f.Fix)
			t.Fail()
		}
	}
	for utterance, want := range map[string]string{
		"reject D-1 of REQ-7 because it is bad":     "reject deviation D-1 of REQ-7 because it is bad",
		"approve just REQ-1":                        "approve REQ-1",
		"Approve finally REQ-1":                     "Approve REQ-1",
		"pprove REQ-1":                              "",
		"unblok REQ-1":                              "unblock REQ-1",
		"nublock REQ-1":                             "unblock REQ-1",
		"unlock REQ-1":                              "unblock REQ-1",
		"approve the REQ-1":                         "approve REQ-1",
		"approve this requirement REQ-1":            "approve requirement REQ-1",
		"what happen to REQ-7":                      "what happened to REQ-7",
		"remember that Bob live in Rome":            "remember that Bob lives in Rome",
		"aprove REQ-1 because it works since today": "approve REQ-1 because it works since today",
		"accept D-1 of REQ-7 because it is late":    "accept deviation D-1 of REQ-7 because it is late",
		"resme REQ-1":                               "resume REQ-1",
		"status really of REQ-1":                    "status of REQ-1",
	} {
		fix := refusal(t, utterance).Fix
		if want == "" {
			require.NotContains(t, fix, "did you mean", utterance)
			continue
		}
		require.True(t, strings.EqualFold("did you mean: "+want, fix), "%s: %s", utterance, fix)
	}
}
