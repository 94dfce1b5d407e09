package trace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/documents"
)

func TestRequirementsOfDocuments(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("REQUIREMENTS.md", "# Demo\n\n- **REQ-1**: One.\n\nCovers: REQ-1\n")
	write("a.go", "package a\n\n// Covers: REQ-1\n")

	report, err := RunDocuments(t.Context(), dir, Documents{}, Options{})
	require.NoError(t, err)
	require.NoError(t, report.CheckMarks())
	require.Equal(t, []Place{{Path: "a.go", Line: 3, Kind: KindMark, Keyword: "Covers"}},
		report.Requirements[0].Places, "the document itself is left out")

	write("b.go", "package a\n\n// Covers: REQ-2\n")
	report, err = RunDocuments(t.Context(), dir, Documents{}, Options{})
	require.NoError(t, err)
	require.ErrorIs(t, report.CheckMarks(), fault.Conflict)

	write("REQUIREMENTS.md", "Nothing.\n")
	_, err = RunDocuments(t.Context(), dir, Documents{}, Options{})
	require.True(t, fault.Is(err, documents.CodeNoRequirements))
	require.Contains(t, fault.As(err).Fix, "--assign")

	d := Documents{}
	d.Reading.Family = "none"
	_, err = RunDocuments(t.Context(), dir, d, Options{})
	require.ErrorIs(t, err, fault.Invalid)
	_, err = RunDocuments(t.Context(), dir, Documents{Paths: []string{filepath.Join(dir, "missing.md")}}, Options{})
	require.ErrorIs(t, err, fault.Conflict)
}

func TestWhatNamesARequirement(t *testing.T) {
	require.Equal(t, "Covers", Place{Kind: KindMark, Keyword: "Covers"}.What())
	require.Equal(t, "test TestLogin", Place{Kind: KindTest, Name: "TestLogin"}.What())
}
