package database

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

var pm = lifecycle.Actor{Name: "paula", Role: lifecycle.PM}

// shared is a place in a database, with the log of a project that has changed n times.
func shared(t *testing.T, n int) (storage.Place, storage.Store, func()) {
	t.Helper()
	data := datadir.Dir(t.TempDir())
	signer, err := keyfile.Make(data.Key(), "example.org/shop")
	require.NoError(t, err)
	place, err := storage.Find(t.Context(), data, storage.Given{URL: pgtest.URL(t)})
	require.NoError(t, err)
	s, err := place.Open(t.Context(), storage.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	service, err := requirements.Open(t.Context(), l, time.Now, requirements.Options{Signer: signer})
	require.NoError(t, err)
	_, err = service.Import(t.Context(), pm, func() ([]reqdoc.File, error) {
		return []reqdoc.File{{Path: "R.md", Content: []byte("# Shop\n\n- **REQ-001**: A customer can log in.\n")}}, nil
	}, requirements.ImportOptions{})
	require.NoError(t, err)
	grow := func() {
		_, err := service.Patch(t.Context(), pm, requirements.Proposal{ID: "REQ-001",
			Body: []byte(`{"pm_notes":[{"text":"a note"}]}`)})
		require.NoError(t, err)
	}
	for range n {
		grow()
	}
	return place, s, grow
}

// A log in a database is verified unless a service uses it, and one that grows meanwhile is said to.
//
// Verifies: ORC-379
func TestVerifyADatabase(t *testing.T) {
	place, s, grow := shared(t, 3)
	none := filepath.Join(t.TempDir(), "none.json")
	report, err := Verify(t.Context(), place, none, auditor.Options{})
	require.NoError(t, err)
	require.Equal(t, 1, report.Requirements)
	require.Equal(t, place.String(), report.Source)

	lease, err := storage.Shared(s).Acquire(t.Context(), DutyLease, "https://one.example", time.Minute)
	require.NoError(t, err)
	_, err = Verify(t.Context(), place, none, auditor.Options{})
	requireFault(t, err, store.CodeLocked)
	require.ErrorContains(t, err, "https://one.example")
	require.Equal(t, auditor.NotChecked, auditor.VerdictOf(err))
	require.NoError(t, storage.Shared(s).Release(t.Context(), lease))

	opened, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, unchanged(t.Context(), s, opened))
	grow()
	require.ErrorContains(t, unchanged(t.Context(), s, opened), "grew from ")

	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("subjects", "nothing", []byte("{}")) }))
	_, err = Verify(t.Context(), place, none, auditor.Options{})
	require.Equal(t, auditor.Wrong, auditor.VerdictOf(err), err)
}

// Verifies: ORC-379
func TestTheLogOfADatabaseIsASource(t *testing.T) {
	place, _, _ := shared(t, 300)
	src, end, err := Source(t.Context(), place)
	require.NoError(t, err)
	var to bytes.Buffer
	c, err := auditor.WriteBundle(t.Context(), &to, src, nil)
	require.NoError(t, err)
	require.Greater(t, c.Size, uint64(audit.TileWidth))
	require.NoError(t, end())
}

// Verifies: ORC-379
func TestWhatTakesThePlaceOfCompactAndUpgrade(t *testing.T) {
	place, _, _ := shared(t, 3)
	_, err := Compact(t.Context(), place)
	requireFault(t, err, "compact_no_file")
	for _, dry := range []bool{true, false} {
		done, err := Upgrade(t.Context(), place, UpgradeOptions{Now: time.Now, DryRun: dry})
		require.NoError(t, err)
		require.True(t, done.Current())
		require.Greater(t, done.Before.Records, uint64(3))
	}
	empty, err := storage.Find(t.Context(), "", storage.Given{URL: pgtest.URL(t)})
	require.NoError(t, err)
	_, err = Upgrade(t.Context(), empty, UpgradeOptions{Now: time.Now, DryRun: true})
	requireFault(t, err, store.CodeMissing)
}

// Without the name of the store no command looks for a file that there has never been.
func TestALogElsewhereIsNamed(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	place, err := storage.Find(t.Context(), data, storage.Given{URL: "postgres://app@db/shop?search_path=log"})
	require.NoError(t, err)
	require.NoError(t, place.Remember(3, audit.Hash{}))
	here := storage.InFolder(data)
	_, _, source := Source(t.Context(), here)
	_, existing := Existing(t.Context(), here)
	_, compacted := Compact(t.Context(), here)
	for _, err := range []error{source, existing, compacted} {
		requireFault(t, err, "store_elsewhere")
		require.Contains(t, fault.As(err).Fix, "--store "+place.String())
	}
}
