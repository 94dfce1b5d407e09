package reqdoc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMarksOfStatusAreNoPartOfATitle: they say what the author claims.
//
// Verifies: ORC-008
func TestMarksOfStatusAreNoPartOfATitle(t *testing.T) {
	for src, want := range map[string][3]string{ // title, text, tick
		"### FR-1: Log in ✓\n\nText.":                {"Log in", "Text.", TickTicked},
		"### FR-1: Log in ✅ DONE\n\nText.":           {"Log in", "Text.", TickTicked},
		"### FR-1: Log in (✔️ done)\n\nText.":        {"Log in", "Text.", TickTicked},
		"### FR-1: Log in — ✅ Implemented\n\nText.":  {"Log in", "Text.", TickTicked},
		"### FR-1: Log in (P1) ✅\n\nText.":           {"Log in", "Text.", TickTicked},
		"### FR-1: ☑ Log in\n\nText.":                {"Log in", "Text.", TickTicked},
		"### FR-1: Log in 🚧\n\nText.":                {"Log in", "Text.", ""},
		"### FR-1: Log in ❌\n\nText.":                {"Log in", "Text.", ""},
		"### FR-1: Log in ✅ In progress\n\nText.":    {"Log in", "Text.", ""},
		"### FR-1: ⬜ Log in\n\nText.":                {"Log in", "Text.", TickOpen},
		"### ✅ FR-1: Log in\n\nText.":                {"Log in", "Text.", TickTicked},
		"### FR-1 ✅\n\nText.":                        {"Text.", "Text.", TickTicked},
		"### FR-1: Log in\n\n✅ Implemented\n\nText.": {"Log in", "Text.", TickTicked},
		"- **FR-1**: ✓ Log in":                       {"Log in", "Log in", TickTicked},
		"- **FR-1** ✓: Log in":                       {"Log in", "Log in", TickTicked},
		"- **FR-1**: Log in ✓\n  by key":             {"Log in by key", "Log in\nby key", TickTicked},
		"- **FR-1**: Log in\n  by key ✓":             {"Log in by key", "Log in\nby key", TickTicked},
		"- **FR-1: Log in ✅** by key":                {"Log in", "by key", TickTicked},
		"- [ ] **FR-1**: ✅ Log in":                   {"Log in", "Log in", TickOpen},
		"- [x] **FR-1**: Log in ❌":                   {"Log in", "Log in", TickTicked},
		"|ID|Requirement|\n|-|-|\n|FR-1|✅ Log in|":   {"Log in", "", TickTicked},
		"### Requirement 1: Log in ✅\n\nText.":       {"Log in", "Text.", TickTicked},
		"### Requirement: Log in ✅\n\nText.":         {"Log in", "Text.", TickTicked},
		"### FR-1: Show ✓ beside what is done":       {"Show ✓ beside what is done", "", ""},
		"### FR-1: Draw a ✓ sign":                    {"Draw a ✓ sign", "", ""},
		"### FR-1: Measure in °":                     {"Measure in °", "", ""},
		"### FR-1: Launch 🚀":                         {"Launch 🚀", "", ""},
	} {
		set, err := readOne([]byte(src))
		require.NoError(t, err)
		require.Len(t, set.Requirements, 1, src)
		r := set.Requirements[0]
		require.Equal(t, want, [3]string{r.Title, r.Text, r.Tick}, src)
	}
}

// TestAMarkChangesNoFingerprint: a requirement is what it says, whether its author calls it done or not.
func TestAMarkChangesNoFingerprint(t *testing.T) {
	of := func(src string) Requirement {
		set, err := readOne([]byte(src))
		require.NoError(t, err)
		require.Len(t, set.Requirements, 1, src)
		return set.Requirements[0]
	}
	for bare, marked := range map[string]string{
		"### FR-1: Log in\n\nText.":                            "### FR-1: Log in ✅\n\nText.",
		"- **FR-1**: Log in":                                   "- **FR-1**: ✓ Log in",
		"### FR-1: Log in\n\n- **AC-1**: a\n- **AC-2**: b":     "### FR-1: Log in 🚧\n\n- **AC-1**: a\n- **AC-2**: b",
		"|ID|Requirement|\n|-|-|\n|FR-1|Log in|":               "|ID|Requirement|\n|-|-|\n|FR-1|Log in ✔|",
		"### FR-1: Log in\n\n**Acceptance:**\n\n- **AC-1**: a": "### FR-1: Log in ✓\n\n**Acceptance:**\n\n- **AC-1**: a",
	} {
		require.Equal(t, of(bare).Fingerprint, of(marked).Fingerprint, marked)
		require.Empty(t, of(bare).Earlier, bare)
		require.Regexp(t, `^sha256:[0-9a-f]{64}$`, of(marked).Earlier, marked)
		require.NotEqual(t, of(marked).Fingerprint, of(marked).Earlier, marked)
	}
	for src, earlier := range earlierFingerprints {
		require.Equal(t, earlier, of(src).Earlier, "as releases computed it that left the mark in the title: %s", src)
	}
}

// earlierFingerprints were computed by the release before marks were taken out of titles.
var earlierFingerprints = map[string]string{
	"### FR-1: Log in (P1) ✅\n\nText.":                       "sha256:2d21242ebce5a26e60493df546d8255b3a0f142aeeedcc5ffda5cb0dac475273",
	"- **FR-1**: ✓ Log in":                                   "sha256:9e155bfb45007842acafd3dd1306af55a12ea358375fbeaf532c42845176af1f",
	"### FR-1: Log in ✓\n\n**Acceptance:**\n\n- **AC-1**: a": "sha256:a2059d6ddc156884b1b015a8dca7188ddb86db90b424a6efceade2cea2d803f2",
	"|ID|Requirement|Note|\n|-|-|-|\n|FR-1|Log in ✔|a|":      "sha256:6a5cd9f6c9f9c74f6ae8f6b955689ef8f5e8813d8560fdd0bca6eed737ca71d8",
	"### Requirement 1: Log in ✅\n\n✅ Implemented\n\nText.":  "sha256:942918acb141d1354d8f0226afccfa9e4f70a3a51260d60bdc57721e6023d57f",
}
