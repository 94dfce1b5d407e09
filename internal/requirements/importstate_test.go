package requirements

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

func pathsOf(i *projection.Import) (paths []string) {
	for _, d := range i.Documents {
		paths = append(paths, d.Path)
	}
	return paths
}

// lastRecord is the newest record, with its data.
func (r *rig) lastRecord() (audit.Record, record.Imported) {
	r.t.Helper()
	var last audit.Record
	var data any
	require.NoError(r.t, r.ledger.View(r.t.Context(), func(from store.Reader) (err error) {
		if _, last, err = ledger.RecordAt(from, r.ledger.Head().Size-1); err == nil {
			data, err = record.Read(from, last)
		}
		return err
	}))
	imported, _ := data.(record.Imported)
	return last, imported
}

const halfRead = twoRequirements + "- REQ-003 The search works.\n\nTotal: 3 requirements\n"

// What was not read is in the state, and in the log where it is not as before.
//
// Verifies: ORC-120
func TestWhatWasNotReadIsState(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(halfRead)
	last := r.current.Load().Project.Import
	require.Equal(t, account.Counts{Rows: 3, Read: 2, Skipped: 1, Totals: 1}, last.Documents[0].Counts)
	require.Equal(t, []int{5, 7}, []int{last.Documents[0].Remarks[0].Line, last.Documents[0].Remarks[1].Line})
	require.Equal(t, record.Actor(paula), last.By)
	written, data := r.lastRecord()
	require.Equal(t, []uint64{written.Seq}, []uint64{last.Record})
	require.True(t, written.At.Equal(last.At))
	require.Equal(t, last.Documents, data.Read)

	r.mustImport(halfRead)
	require.Equal(t, written.Seq+1, r.State().LogSize, "nothing is new")

	r.mustImport(strings.Replace(halfRead, "search", "finding", 1))
	next, data := r.lastRecord()
	require.Equal(t, written.Seq+1, next.Seq, "no definition changed, and the log has what was not read")
	require.Empty(t, data.Defined)
	require.Contains(t, data.Read[0].Remarks[0].Excerpt, "finding")

	r.mustImport(strings.ReplaceAll(halfRead, "- REQ-003", "- **REQ-003**:"))
	require.Equal(t, account.Counts{Rows: 3, Read: 3}, r.current.Load().Project.Import.Documents[0].Counts, "mended")
	r.verified()
	rebuilt(t, r.store)
}

// A record names a document alone of which nothing is new.
func TestARecordSaysOnlyWhatIsNewOfWhatWasRead(t *testing.T) {
	r := start(t, store.NewMemory())
	files := []reqdoc.File{{Path: "a.md", Content: []byte(halfRead)}, {Path: "b.md", Content: []byte("# B\n\n- **B-1**: one\n")}}
	r.takeFiles(files...)
	files[1].Content = append(files[1].Content, "- **B-2**: two\n"...)
	r.takeFiles(files...)
	_, data := r.lastRecord()
	require.Equal(t, account.Document{Path: "a.md"}, data.Read[0])
	require.Equal(t, account.Counts{Rows: 2, Read: 2}, data.Read[1].Counts)
	require.Equal(t, 3, r.current.Load().Project.Import.Documents[0].Rows)
	r.takeFiles(files[1], files[0])
	require.Equal(t, []string{"b.md", "a.md"}, pathsOf(r.current.Load().Project.Import), "in their order")
	r.takeFiles(files[1])
	require.Equal(t, []string{"b.md"}, pathsOf(r.current.Load().Project.Import), "a document that is gone is")
	r.verified()
}

func (r *rig) takeFiles(files ...reqdoc.File) {
	r.t.Helper()
	_, err := r.Import(r.t.Context(), paula, reading(files...), ImportOptions{})
	require.NoError(r.t, err)
}

// TestMuchThatWasNotReadLiesBesideTheLog: a record is never larger than the format of the log allows.
func TestMuchThatWasNotReadLiesBesideTheLog(t *testing.T) {
	r := start(t, store.NewMemory())
	var files []reqdoc.File
	for n := range 5 {
		text := fmt.Sprintf("# D\n\n- **D%d-1**: one\n", n)
		for i := range 200 {
			text += fmt.Sprintf("- D%d-%d %s\n", n, i+2, strings.Repeat("long ", 30))
		}
		files = append(files, reqdoc.File{Path: fmt.Sprintf("%d.md", n), Content: []byte(text)})
	}
	r.takeFiles(files...)
	last, data := r.lastRecord()
	require.Contains(t, string(last.Data), `"blob"`)
	require.Len(t, data.Read[4].Remarks, account.MaxRemarks)
	require.Equal(t, 100, data.Read[4].More)
	r.verified()
}

func TestNoSecretOfADocumentIsKeptInWhatWasNotRead(t *testing.T) {
	r := start(t, store.NewMemory())
	body := "MIIEowIBAAKCAQEA7bq1" + strings.Repeat("Zq8xK3", 8)
	r.mustImport(twoRequirements + "- REQ-003 -----BEGIN RSA PRIVATE " + "KEY-----\n  " + body + "\n  REQ-004 after it\n" +
		"- REQ-005 opens with AK" + "IAIOSFODNN7EXAMPLE\n")
	remarks := r.current.Load().Project.Import.Documents[0].Remarks
	require.Equal(t, []string{"REQ-003", "REQ-005", "", ""}, []string{remarks[0].ID, remarks[1].ID, remarks[2].ID, remarks[3].ID})
	require.Empty(t, remarks[0].Excerpt, "the line is a part of a key")
	raw, err := ledger.Encode(r.current.Load().Project.Import)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "MIIEowIBAAKCAQEA")
	require.NotContains(t, string(raw), "IAIOSFODNN7")
	require.Contains(t, string(raw), `"reason":"secret"`)
}

// Where a document comes from is asked when it is new, or has changed, and for no dry run.
//
// Verifies: ORC-121
func TestTheOriginOfDocumentsIsOnRecord(t *testing.T) {
	var asked [][]string
	r := start(t, store.NewMemory(), func(o *Options) {
		o.Origins = func(_ context.Context, files []reqdoc.File) map[string]account.Origin {
			found, paths := map[string]account.Origin{}, []string{}
			for _, f := range files {
				paths = append(paths, f.Path)
				found[f.Path] = account.Origin{Commit: ledger.Digest(f.Content), Author: "Ada", At: time.Unix(1, 0).UTC()}
			}
			asked = append(asked, paths)
			return found
		}
	})
	files := []reqdoc.File{{Path: "a.md", Content: []byte(twoRequirements)}, {Path: "b.md", Content: []byte("- **B-1**: one\n")}}
	take := func(o ImportOptions) {
		_, err := r.Import(t.Context(), paula, reading(files...), o)
		require.NoError(t, err)
	}
	take(ImportOptions{DryRun: true})
	require.Empty(t, asked)
	byToken := projection.ImportOrigin{Via: projection.ViaAPI, Token: "0123456789abcdef"}
	take(ImportOptions{Origin: byToken})
	_, data := r.lastRecord()
	require.Equal(t, &byToken, data.Origin)
	require.Equal(t, ledger.Digest(files[0].Content), data.Read[0].Origin.Commit)

	files[1].Content = []byte("- **B-1**: two\n")
	take(ImportOptions{Origin: projection.ImportOrigin{Via: projection.ViaWatch}})
	require.Equal(t, [][]string{{"a.md", "b.md"}, {"b.md"}}, asked)
	last := r.current.Load().Project.Import
	require.Equal(t, projection.ImportOrigin{Via: projection.ViaWatch}, last.Origin)
	require.Equal(t, ledger.Digest(files[0].Content), last.Documents[0].Origin.Commit, "as it was")
	require.Equal(t, ledger.Digest(files[1].Content), last.Documents[1].Origin.Commit)
	r.verified()
}

// An import of a program that said nothing of what it read is in order, and the next one says it.
func TestAnOlderImportIsFollowedByOneThatSaysWhatWasRead(t *testing.T) {
	s, set := store.NewMemory(), setOf("A-1 one")
	l, err := ledger.Open(t.Context(), s, newClock().read)
	require.NoError(t, err)
	require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
		before := projection.Project{WorkflowName: "v1"}
		require.NoError(t, tx.Append(ledger.Event{Kind: record.KindWorkflowChosen, Actor: ledger.System(), Data: record.WorkflowChosen{To: "v1"}}))
		def := lifecycle.Definition{ID: "A-1", Title: "one", Kind: "requirement", Acceptance: []lifecycle.Criterion{},
			Fingerprint: set.Requirements[0].Fingerprint, Source: lifecycle.Source{Path: "R.md", Line: 1, EndLine: 1, Family: "markdown"}}
		req, _ := lifecycle.Define(nil, def, tx.At(), lifecycle.LatestRules)
		_, err := projection.TableRequirements.Put(tx, "A-1", req)
		require.NoError(t, err)
		before.Name, before.IDs = "Demo", []string{"A-1"}
		before.Sources = []projection.SourceFile{{Path: "R.md", SHA256: set.Documents[0].SHA256}}
		_, err = projection.TableProject.Put(tx, projection.KeyProject, before)
		require.NoError(t, err)
		return tx.Append(ledger.Event{Kind: record.KindImported, Actor: ledger.System(), Data: record.Imported{Name: "Demo",
			Sources: before.Sources, Defined: []lifecycle.Definition{def}, IDs: before.IDs}})
	}))
	r := start(t, s)
	r.verified()
	require.Nil(t, r.current.Load().Project.Import)
	report := r.mustTake(set)
	require.Equal(t, 1, report.Unchanged)
	require.Equal(t, []string{"R.md"}, pathsOf(r.current.Load().Project.Import))
	r.verified()
}

// Another priority is a change, and said to be one; another tick is not.
//
// Verifies: ORC-080
func TestAChangeOfPriority(t *testing.T) {
	r := start(t, store.NewMemory())
	set := setOf("A-1 one", "A-2 two")
	set.Requirements[0].Priority, set.Requirements[0].Tick = "P2", reqdoc.TickOpen
	r.mustTake(set)
	set.Requirements[0].Priority, set.Requirements[1].Tick = "P1", reqdoc.TickTicked
	report := r.mustTake(set)
	require.Equal(t, []drift.Moved{{ID: "A-2", Place: drift.Place{Path: "R.md", Line: 2}, From: drift.Place{Path: "R.md", Line: 2}}},
		report.Moved)
	require.Len(t, report.Changed, 1)
	require.Equal(t, &drift.Priority{From: "P2", To: "P1"}, report.Changed[0].Priority)
	require.Empty(t, report.Changed[0].Diff)
	require.Equal(t, "2 found, 0 unchanged, 1 changed, 1 moved", report.String())
	set.Requirements[0].Priority = ""
	set.Requirements[0].Title, set.Requirements[0].Fingerprint = "other", "sha256:"+ledger.Digest([]byte("other"))
	report = r.mustTake(set)
	require.Equal(t, &drift.Priority{From: "P1"}, report.Changed[0].Priority)
	require.NotEmpty(t, report.Changed[0].Diff, "both")
	r.verified()
}

// A tick is what the document says of itself: whatever rests on the text stays as it is.
func TestATickMakesNothingSuspect(t *testing.T) {
	r := start(t, store.NewMemory())
	set := setOf("REQ-001 one")
	set.Requirements[0].Tick = reqdoc.TickOpen
	r.mustTake(set)
	r.bringToTestedPass("REQ-001")
	set.Requirements[0].Tick = reqdoc.TickTicked
	report := r.mustTake(set)
	require.Empty(t, report.Changed)
	req := r.requirement("REQ-001")
	require.Equal(t, reqdoc.TickTicked, req.Source.Tick)
	require.False(t, req.Suspect)
	require.Empty(t, req.Stale)
	r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	r.verified()
}
