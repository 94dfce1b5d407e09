package offline

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// newProject makes a folder with a document, and returns the project of it.
func newProject(t *testing.T) Project {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("data", 0o700))
	write(t, "- **REQ-001**: One.\n")
	return Project{Data: "data", Export: "export.json", Requirements: []string{"R.md"}}
}

func write(t *testing.T, items string) {
	t.Helper()
	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n"+items), 0o600))
}

// makeDatabase makes a database without requirements, as a first start does.
func makeDatabase(t *testing.T, data datadir.Dir) {
	t.Helper()
	store, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	l, err := ledger.Open(t.Context(), store, time.Now)
	require.NoError(t, err)
	_, err = requirements.Open(t.Context(), l, time.Now, requirements.Options{Workflow: lifecycle.V1})
	require.NoError(t, err)
	require.NoError(t, store.Close())
}

// noRepository is a repository in which nobody looks anything up.
type noRepository struct{ requirements.Repository }

func (noRepository) Follow(string)                              {}
func (noRepository) HeadBranch(context.Context) (string, error) { return "main", nil }
func (noRepository) Tip(context.Context) (string, error)        { return strings.Repeat("a", 40), nil }

// TestImportChoosesNothingAboutEvidence: a project whose evidence is looked up goes on to do so.
func TestImportChoosesNothingAboutEvidence(t *testing.T) {
	p := newProject(t)
	store, err := boltstore.Open(p.Data.Database(), boltstore.Options{})
	require.NoError(t, err)
	l, err := ledger.Open(t.Context(), store, time.Now)
	require.NoError(t, err)
	_, err = requirements.Open(t.Context(), l, time.Now, requirements.Options{
		Workflow: lifecycle.V1, Evidence: projection.EvidenceVerified, Repository: noRepository{},
	})
	require.NoError(t, err)
	require.NoError(t, store.Close())

	_, err = p.Preview(t.Context())
	require.NoError(t, err, "a dry run writes nothing")
	for _, written := range []bool{true, false} {
		done, err := p.Import(t.Context())
		require.NoError(t, err)
		require.NoError(t, done.Broken())
		require.Equal(t, written, done.Written)
	}
	store, err = boltstore.Open(p.Data.Database(), boltstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	l, err = ledger.Open(t.Context(), store, time.Now)
	require.NoError(t, err)
	mode, err := choices.EvidenceOnRecord(t.Context(), l)
	require.NoError(t, err)
	require.Equal(t, projection.EvidenceVerified, mode)
}

// The documents are compared with the export, else with the database, else with nothing.
func TestPreviewTakesTheBestBaseline(t *testing.T) {
	p := newProject(t)
	preview := func(baseline string) Outcome {
		t.Helper()
		done, err := p.Preview(t.Context())
		require.NoError(t, err)
		require.NoError(t, done.Broken())
		require.Equal(t, baseline, done.Baseline())
		require.True(t, done.DryRun && done.Report.DryRun)
		return done
	}
	require.ErrorIs(t, preview("an empty state").Drift(), fault.Conflict)
	makeDatabase(t, p.Data)
	require.ErrorContains(t, preview(p.Data.Database()).Drift(), "the documents are not what data/")

	done, err := p.Import(t.Context())
	require.NoError(t, err)
	require.True(t, done.Written)
	require.NoError(t, preview(p.Export).Drift())
	write(t, "- **REQ-001**: Another.\n")
	require.Error(t, preview(p.Export).Drift())
}

func TestImportWritesOnlyWhatIsNew(t *testing.T) {
	p := newProject(t)
	_, err := p.Import(t.Context())
	require.ErrorIs(t, err, fault.NotFound, "an import makes no database")
	makeDatabase(t, p.Data)
	for _, written := range []bool{true, false} {
		done, err := p.Import(t.Context())
		require.NoError(t, err)
		require.Equal(t, written, done.Written)
		require.False(t, done.DryRun)
	}
}

// A power cut may leave the export empty or torn. That refuses no import: the log says what it is to be, and it is
// written anew.
func TestAnExportThatAPowerCutToreIsWrittenAnew(t *testing.T) {
	for name, tear := range map[string]func(whole []byte) []byte{
		"zeros":             func(whole []byte) []byte { return make([]byte, len(whole)) },
		"half":              func(whole []byte) []byte { return whole[:len(whole)/2] },
		"without its end":   func(whole []byte) []byte { return whole[:len(whole)-3] },
		"its end are zeros": func(whole []byte) []byte { return append(whole[:len(whole)-30], make([]byte, 30)...) },
		"the size of its log is of two": func(whole []byte) []byte {
			return bytes.Replace(whole, []byte(`"log":{"size":`), []byte(`"log":{"size":1`), 1)
		},
		"its middle is of another": func(whole []byte) []byte {
			return bytes.Replace(whole, []byte(`"One."`), []byte(`"Two."`), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			makeDatabase(t, p.Data)
			done, err := p.Import(t.Context())
			require.NoError(t, err)
			require.False(t, done.Torn)
			whole, err := os.ReadFile(p.Export)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(p.Export, tear(bytes.Clone(whole)), 0o600))
			done, err = p.Import(t.Context())
			require.NoError(t, err)
			require.True(t, done.Torn)
			now, err := os.ReadFile(p.Export)
			require.NoError(t, err)
			require.Equal(t, string(whole), string(now))
		})
	}
}

// What is wrong with documents is the outcome of an import; what keeps it from being made is its error.
func TestBrokenDocumentsAreAnOutcome(t *testing.T) {
	p := newProject(t)
	makeDatabase(t, p.Data)
	write(t, "- **REQ-001**: One.\n- **REQ-001**: Two.\n")
	done, err := p.Import(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, done.Broken(), fault.Invalid)
	require.Empty(t, fault.As(done.Broken()).Fields, "the report has them")
	require.Equal(t, 4, done.Report.Errors[0].Line)
	require.False(t, done.Written)

	write(t, "Nothing.\n")
	done, err = p.Preview(t.Context())
	require.NoError(t, err)
	require.True(t, fault.Is(done.Broken(), documents.CodeNoRequirements))
	require.Contains(t, fault.As(done.Broken()).Fix, "--assign")
	require.Equal(t, "R.md", done.Report.Errors[0].Path, "of the only document")

	p.Reading.Family = "none"
	_, err = p.Preview(t.Context())
	require.ErrorIs(t, err, fault.Invalid)
}
