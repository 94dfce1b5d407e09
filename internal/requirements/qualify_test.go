package requirements

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
)

// Verifies: ORC-146

const spec = "# Spec\n\n### Requirement: Output Format\nThe output SHALL be a table.\n"

func specIn(folder string) reqdoc.File {
	return reqdoc.File{Path: "openspec/specs/" + folder + "/spec.md", Content: []byte(spec)}
}

func TestTheFirstImportPutsTheFormOfTheIDsOnRecord(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.takeFiles(specIn("cli-list"), specIn("cli-show"))
	_, data := r.lastRecord()
	require.Equal(t, qualify.Families, data.Qualify)
	require.Equal(t, []string{"cli-list/Output Format", "cli-show/Output Format"}, r.current.Load().Project.IDs)
	require.Equal(t, qualify.Families, r.LastImport().Qualify)

	r.takeFiles(specIn("cli-list"), specIn("cli-show"), specIn("cli-view"))
	_, data = r.lastRecord()
	require.Empty(t, data.Qualify, "it is on record")
	r.verified()
	rebuilt(t, r.store)

	export := exportOf(t, r)
	read, err := projection.ReadFile(strings.NewReader(export))
	require.NoError(t, err)
	require.Equal(t, qualify.Families, read.Project.Qualify)
	report, err := drift.Preview(strings.NewReader(export), []reqdoc.File{specIn("cli-list"), specIn("cli-show"), specIn("cli-view")}, reqdoc.Options{})
	require.NoError(t, err)
	require.False(t, report.Drifted())
	_, err = drift.Preview(strings.NewReader(export), []reqdoc.File{specIn("cli-list")}, reqdoc.Options{Qualify: qualify.None})
	require.True(t, fault.Is(err, qualify.CodeOnRecord))
}

func TestAnotherFormThanThatOnRecordIsRefused(t *testing.T) {
	s := store.NewMemory()
	start(t, s, func(o *Options) { o.Reading.Qualify = qualify.None }).takeFiles(specIn("cli-list"))
	l, err := ledger.Open(t.Context(), s, newClock().read)
	require.NoError(t, err)
	_, err = Open(t.Context(), l, newClock().read, Options{Reading: reqdoc.Options{Qualify: qualify.Folder}})
	requireCode(t, err, "qualification_on_record")

	again := start(t, s)
	again.takeFiles(specIn("cli-list"), reqdoc.File{Path: "R.md", Content: []byte("- **REQ-1**: One.\n")})
	require.Equal(t, []string{"Output Format", "REQ-1"}, again.current.Load().Project.IDs)
	again.verified()
}

// TestAnOlderProjectKeepsItsIDs: its first import says nothing of the form of ids.
func TestAnOlderProjectKeepsItsIDs(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s, func(o *Options) { o.Reading.Qualify = qualify.None })
	r.takeFiles(specIn("cli-list"))
	older := r.current.Load().Project
	older.Qualify = ""
	set, err := drift.Read([]reqdoc.File{specIn("cli-list")}, reqdoc.Options{}, older)
	require.NoError(t, err)
	require.Equal(t, "Output Format", set.Requirements[0].ID)
	_, err = drift.Read([]reqdoc.File{specIn("cli-list")}, reqdoc.Options{}, projection.Project{})
	require.NoError(t, err)

	set.Qualify = qualify.Families
	_, err = drift.DryRun(r.current.Load(), older, set)
	requireCode(t, err, "changed_meanwhile")
}

func TestVerifyWantsTheFormToBeChosenOnce(t *testing.T) {
	for form, says := range map[string]string{qualify.None: "it chooses the form", "by hand": "it chooses the form"} {
		s := store.NewMemory()
		r := start(t, s)
		r.takeFiles(specIn("cli-list"))
		require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
			return tx.Append(ledger.Event{Kind: record.KindImported, Actor: ledger.System(),
				Data: record.Imported{Rules: 4, Workflow: r.inForce().Name, Qualify: form}})
		}))
		require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), says)
	}
}

// Verifies: ORC-147

// TestAShortFormUsesUpNoKey: the same request with the whole id is decided.
func TestAShortFormUsesUpNoKey(t *testing.T) {
	r := start(t, store.NewMemory())
	r.takeFiles(specIn("cli-list"))
	ask := func(id string) (Answer, error) {
		return r.Patch(t.Context(), paula, Proposal{ID: id, Body: []byte(`{"pm_notes":[{"text":"soon"}]}`), IdempotencyKey: "k"})
	}
	_, err := ask("Output Format")
	require.Equal(t, []string{"cli-list/Output Format"}, requireCode(t, err, "unknown_requirement").IDs)
	_, err = ask("cli-list/Output Format")
	require.NoError(t, err)
	require.Equal(t, "cli-list/Output Format", r.Whole("Output Format"))
	require.Equal(t, "Input Format", r.Whole("Input Format"))
	r.verified()
}
