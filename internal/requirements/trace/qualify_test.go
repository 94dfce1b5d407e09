package trace

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqdoc"
)

// Verifies: ORC-147

var features = map[string]string{
	"specs/003-timeout/spec.md":     "# Feature Specification: Timeout\n\n- **FR-001**: It stops.\n- **FR-002**: It can be set.\n",
	"specs/004-retries/spec.md":     "# Feature Specification: Retries\n\n- **FR-001**: It goes on.\n- **FR-003**: It counts.\n",
	".kiro/specs/login/R.md":        "# Login\n\n### Requirement 1: Log in\nText.\n",
	"openspec/specs/list/spec.md":   "# List\n\n### Requirement: Output Format\nText.\n",
	"openspec/specs/client/show.md": "# Show\n\n### Requirement: Error Handling\nText.\n",
}

func traceFeatures(t *testing.T, code map[string]string, export string, r reqdoc.Options) (Report, error) {
	t.Helper()
	t.Chdir(folderOf(t, features))
	for path, content := range code {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	if export != "" {
		require.NoError(t, os.WriteFile(projection.DefaultExport, []byte(export), 0o600))
	}
	return RunDocuments(t.Context(), ".", Documents{Paths: []string{"specs/*/spec.md", ".kiro/specs/login/R.md",
		"openspec/specs/*/*.md"}, Reading: r}, Options{})
}

func foundIn(r Report) map[string][]string {
	found := map[string][]string{}
	for _, t := range r.Requirements {
		for _, p := range t.Places {
			found[t.ID] = append(found[t.ID], p.What())
		}
	}
	return found
}

func TestMarksAndTestsTakeShortForms(t *testing.T) {
	r, err := traceFeatures(t, map[string]string{
		"a.go": "// Covers: FR-002, 003-timeout/FR-001\n// Implements: list/Output Format, Error Handling.\n// Verifies: login/1.\n" +
			"// Covers: FR-003/FR-002\n",
		"a_test.go": "func TestCounts_FR003(t *testing.T) {}\nfunc TestLogin1(t *testing.T) {}\n" +
			"\tt.Run(\"login/1 works\", f)\n\tt.Run(\"004-retries/FR-001\", f)\n",
	}, "", reqdoc.Options{})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{
		"003-timeout/FR-001":    {"Covers"},
		"003-timeout/FR-002":    {"Covers", "Covers"},
		"004-retries/FR-003":    {"Covers", "test TestCounts_FR003"},
		"004-retries/FR-001":    {"test 004-retries/FR-001"},
		"list/Output Format":    {"Implements"},
		"client/Error Handling": {"Implements"},
		"login/1":               {"Verifies", "test login/1 works"},
	}, foundIn(r))
	require.Empty(t, r.Unknown)
	require.Empty(t, r.Ambiguous)
	require.NoError(t, r.CheckMarks())
}

func TestAShortFormOfSeveralIsReported(t *testing.T) {
	r, err := traceFeatures(t, map[string]string{
		"a.go":      "// Covers: FR-001, FR-002\n// Covers: 009-gone/FR-001\n// Covers: the case/FR-x, as above\n",
		"a_test.go": "func TestStops_FR001(t *testing.T) {}\n",
	}, "", reqdoc.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"Covers"}, foundIn(r)["003-timeout/FR-002"])
	require.Empty(t, foundIn(r)["003-timeout/FR-001"])
	both := []string{"003-timeout/FR-001", "004-retries/FR-001"}
	require.Equal(t, []Ambiguous{
		{Place{"a.go", 1, KindMark, "Covers", "", ""}, "FR-001", 2, both},
		{Place{"a_test.go", 1, KindTest, "", "TestStops_FR001", ""}, "FR-001", 2, both},
	}, r.Ambiguous)
	require.Equal(t, 2, r.Summary.Ambiguous)
	require.Equal(t, "003-timeout/FR-001 or 004-retries/FR-001", r.Ambiguous[0].CouldBe())
	require.Equal(t, "a, b, c or one of 12 more", Ambiguous{Of: 15, Could: []string{"a", "b", "c", "d"}}.CouldBe())
	require.Len(t, r.Unknown, 1)
	require.Equal(t, "009-gone/FR-001", r.Unknown[0].ID)
	require.True(t, fault.Is(r.CheckMarks(), "unknown_marks"))
	r.Summary.Unknown = 0
	require.True(t, fault.Is(r.CheckMarks(), "ambiguous_marks"))
}

// TestAnIDThatIsAShortFormIsReported: a mark does not move to another requirement when one comes whose id is the short
// form that it has.
func TestAnIDThatIsAShortFormIsReported(t *testing.T) {
	t.Chdir(folderOf(t, map[string]string{
		"specs/001-login/spec.md": features["specs/003-timeout/spec.md"],
		"REQUIREMENTS.md":         "# Shop\n\n- **FR-001**: Passwords are hashed.\n- **FR-009**: It is fast.\n",
		"a.go": "// Covers: FR-001, FR-002, FR-009\n// Covers: ./FR-001\n// Covers: FR-009, ./FR-001.\n" +
			"// Covers: 001-login/FR-001\n",
		"a_test.go": "func TestHashes_FR001(t *testing.T) {}\n",
	}))
	documents := Documents{Paths: []string{"REQUIREMENTS.md", "specs/*/spec.md"}}
	r, err := RunDocuments(t.Context(), ".", documents, Options{})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"FR-001": {"Covers", "Covers"}, "001-login/FR-001": {"Covers"},
		"001-login/FR-002": {"Covers"}, "FR-009": {"Covers", "Covers"}}, foundIn(r))
	both := []string{"001-login/FR-001", "FR-001"}
	require.Equal(t, []Ambiguous{
		{Place{"a.go", 1, KindMark, "Covers", "", ""}, "FR-001", 2, both},
		{Place{"a_test.go", 1, KindTest, "", "TestHashes_FR001", ""}, "FR-001", 2, both},
	}, r.Ambiguous)
	require.Empty(t, r.Unknown)
}

// TestTheExportTellsTheForm: without a service, it is what is on record.
func TestTheExportTellsTheForm(t *testing.T) {
	older := `{"schema_version":1,"project":{"name":"Shop","sources":[{"path":"R.md","sha256":""}]},` +
		`"log":{"size":3,"root":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},"requirements":[]}`
	_, err := traceFeatures(t, nil, older, reqdoc.Options{})
	require.ErrorIs(t, err, fault.Invalid, "an older project has no folders in its ids, so FR-001 is defined twice")
	_, err = traceFeatures(t, nil, older, reqdoc.Options{Qualify: qualify.Folder})
	require.True(t, fault.Is(err, qualify.CodeOnRecord))
}
