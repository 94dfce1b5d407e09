package reqdoc

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// TestNoCharacterOfANameRefusesADocument: a name is prose, and the id that it becomes can be typed.
//
// Verifies: ORC-008
func TestNoCharacterOfANameRefusesADocument(t *testing.T) {
	for _, c := range []struct{ characters, id string }{
		{"-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "Retry 3-5 times"},
		{"\u00ad\u200b\u200c\u200d\u200e\u200f\u202e\u2060\u2066\ufe0f\ufeff\ue000\U0003fffd", "Retry 35 times"},
		{"\u00a0\u2003\u2009\u202f\u3000\t", "Retry 3 5 times"},
	} {
		for _, r := range c.characters {
			name := "Retry 3" + string(r) + "5 times"
			set, err := readOne([]byte("# Desk\n\n### Requirement: Log in\n\na\n\n### Requirement: " + name + "\n\nb\n"))
			require.NoError(t, err, "%U", r)
			require.Equal(t, "Log in | "+c.id, ids(set.Requirements), "%U", r)
		}
	}
	set, err := readOne([]byte("### Requirement: Sign in — by key\n\na"))
	require.NoError(t, err)
	require.Equal(t, "Sign in — by key", ids(set.Requirements), "a dash between spaces is punctuation")
	set, err = readOne([]byte("### Requirement: Retry 3–5 times\n\na"))
	require.NoError(t, err)
	require.Equal(t, "Retry 3–5 times", set.Requirements[0].Title, "as it is written")
}

func TestDeltasFindNamesWithDashes(t *testing.T) {
	base := "### Requirement: Retry 3–5 times\n\nFirst."
	for delta, want := range map[string]string{
		"## MODIFIED Requirements\n### Requirement: Retry 3-5 times\n\nSecond.":                                           "Retry 3-5 times",
		"## REMOVED Requirements\n- `### Requirement: Retry 3—5 times`\n\n## ADDED Requirements\n### Requirement: B\n\nb": "B",
		"## RENAMED Requirements\n- FROM: `### Requirement: Retry 3–5 times`\n- TO: `### Requirement: Retry 2–4 times`":   "Retry 2-4 times",
		"## RENAMED Requirements\n- FROM: `Retry 3–5 times`\n- TO: `Retry 2–4 times`":                                     "Retry 2-4 times",
	} {
		set, err := Read(files(base, delta), Options{})
		require.NoError(t, err)
		require.Empty(t, set.Warnings, delta)
		require.Equal(t, want, ids(set.Requirements), delta)
	}
}

func TestNamesThatCannotBeIdsAreSkipped(t *testing.T) {
	long := strings.Repeat("Long name ", 13)
	set, err := readOne([]byte("### Requirement: Log in\n\na\n\n### Requirement: " + long + "\n\nb\n\n### Requirement:\n\nc\n\n### Requirement: \u200b\n\nd\n"))
	require.NoError(t, err)
	require.Equal(t, "Log in", ids(set.Requirements))
	require.Equal(t, 4, set.Documents[0].Rows)
	require.Contains(t, messages(set.Skipped), "R.md:5 "+strings.TrimSpace(long)[:20])
	require.Contains(t, messages(set.Skipped), "its name has 129 characters, and an id has at most 128")
	require.Contains(t, messages(set.Skipped), "R.md:9 Requirement: was not taken: it has no name")
	require.Contains(t, messages(set.Skipped), "R.md:13 Requirement: was not taken: it has no name")
	set, err = readOne([]byte("## 需求：\n\n- **FR-1**: a"))
	require.NoError(t, err)
	require.Empty(t, set.Skipped)
}

// TestIllegalIdsAreToldHowToBeWritten in every family whose ids are meant as such.
func TestIllegalIdsAreToldHowToBeWritten(t *testing.T) {
	for name, src := range map[string]string{
		"plain":     "- **FR–1**: a",
		"kiro":      "### Requirement FR–1: a",
		"doorstop":  "## 1.1 Log in _(FR–1)_ {#FR–1}\n\na",
		"strictdoc": "## A\n\n**UID**: FR–1\n\n**STATEMENT**: a",
		"a label":   "## A\n\n**ID:** FR–1\n\na",
	} {
		_, err := readOne([]byte(src))
		require.ErrorContains(t, err, "did you mean FR-1?", name)
	}
	_, err := readOne([]byte("## A\n\n**UID**: A  b\n\n**STATEMENT**: a"))
	require.Contains(t, fault.As(err).Fields[0].Fix, "write single spaces, and none at the ends")
}

// TestADashForTheColonIsAccountedFor: the requirement is not read, and not left out in silence.
func TestADashForTheColonIsAccountedFor(t *testing.T) {
	for _, dash := range []string{"-", "–", "—"} {
		text := "# Spec\n\n## Requirements\n\n### Requirement: Pay\nThe system SHALL take money.\n\n#### Scenario: Paid\n- **WHEN** a\n- **THEN** b\n\n" +
			"### Requirement " + dash + " Session timeout\nThe system SHALL end sessions.\n\n#### Scenario: Late\n- **WHEN** a\n- **THEN** b\n"
		set, err := Read([]File{{Path: "spec.md", Content: []byte(text)}}, Options{})
		require.NoError(t, err)
		require.Len(t, set.Requirements, 1, dash)
		require.Equal(t, 2, set.Documents[0].Rows, dash)
		require.True(t, slices.ContainsFunc(set.Skipped, func(p Problem) bool {
			return p.ID == "Session timeout" && p.Reason == ReasonNearMiss && p.Line == 12
		}), "%s: %+v", dash, set.Skipped)
	}
}
