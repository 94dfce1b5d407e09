package idmatch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-147

func TestShortFormsAreFound(t *testing.T) {
	x := Named(
		[]string{"a/FR-1", "a/FR-2", "b/FR-1", "login/1", "list/Output Format", "list/Sorting", "FR-9", "NFR-1"},
		map[string][]string{
			"FR-1": {"a/FR-1", "b/FR-1"}, "FR-2": {"a/FR-2"}, "1": {"login/1"}, "Output Format": {"list/Output Format"},
			"Sorting": {"list/Sorting"}, "Same Name": {"c/Same Name", "d/Same Name"},
		})
	for name, want := range map[string]string{
		"[a/FR-2]":                  "a/FR-2",
		"TestX_FR2":                 "a/FR-2",
		"TestX/FR-2":                "a/FR-2",
		"a/FR-1 and b/FR-1":         "a/FR-1|b/FR-1",
		"test_a_fr_1":               "a/FR-1",
		"TestX_FR1":                 "FR-1", // of two: it is said as it is
		"stops (FR-1)":              "FR-1",
		"login/1":                   "login/1",
		"TestLogin1":                "", // a number that is common
		"test_login_1":              "",
		"[1]":                       "login/1",
		"the Output Format is JSON": "list/Output Format",
		"list/Output Format":        "list/Output Format",
		"[Sorting]":                 "list/Sorting",
		"Sorting":                   "",
		"Same Name":                 "",
		"TestFR9":                   "FR-9",
	} {
		require.Equal(t, want, strings.Join(x.In(name), "|"), name)
	}
}

func TestACacheKnowsTheShortFormsOfNow(t *testing.T) {
	var c Cache
	ids := []string{"a/FR-1", "b/FR-1"}
	both := map[string][]string{"FR-1": ids}
	one := c.Of(ids, both)
	require.Same(t, one, c.Of(ids, map[string][]string{"FR-1": ids}))
	require.Equal(t, []string{"a/FR-1"}, c.Of(ids, map[string][]string{"FR-1": {"a/FR-1"}}).In("FR-1"))
}
