package database

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/successor"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

func upgraded(t *testing.T, data datadir.Dir, dryRun bool) (Upgraded, error) {
	t.Helper()
	return Upgrade(t.Context(), storage.InFolder(data), UpgradeOptions{DryRun: dryRun, Now: time.Now})
}

// requireUpgraded demands a database in order, with the log of the old one, byte for byte, which is kept.
func requireUpgraded(t *testing.T, data datadir.Dir, done Upgraded, was string) {
	t.Helper()
	require.Equal(t, was, digests(t, data)[filepath.Base(done.Kept)])
	before, after := entries(t, done.Kept), entries(t, data.Database())
	for _, table := range []string{"audit", "subjects", "blobs"} {
		require.Equal(t, before[table], after[table])
		require.NotEmpty(t, after[table])
	}
	require.Empty(t, after["hashes"], "the nodes of the tree lie with the records")
	require.NotEmpty(t, after["requirements"])
	require.NotEmpty(t, after["idempotency"], "first answers are given again")
	report, err := Verify(t.Context(), storage.InFolder(data), "none.json", auditor.Options{})
	require.NoError(t, err)
	require.Equal(t, done.After, Logged{done.After.Bytes, report.Records, report.Root})
}

// TestEveryFormatIsKept: what an earlier version wrote must be there to be tried.
func TestEveryFormatIsKept(t *testing.T) {
	require.Len(t, keptFormats, ledger.Format-ledger.Oldest)
	for _, format := range keptFormats {
		for _, kind := range []string{"db.gz", "bundle.zip", "backup.zip"} {
			require.FileExists(t, fmt.Sprintf("../../../testdata/logs/format%d.%s", format, kind))
		}
	}
}

// Verifies: ORC-117
func TestUpgrade(t *testing.T) {
	for _, format := range keptFormats {
		data := older(t, format)
		was := digests(t, data)
		would, err := upgraded(t, data, true)
		require.NoError(t, err)
		require.Equal(t, was, digests(t, data), "a dry run changes nothing")
		require.Empty(t, would.Kept)

		done, err := upgraded(t, data, false)
		require.NoError(t, err)
		require.Equal(t, []int{format, ledger.Format}, []int{done.From, done.To})
		require.False(t, done.Current())
		require.Equal(t, 4, done.Requirements)
		require.EqualValues(t, keptRecords[format], done.Before.Records)
		require.Equal(t, done.Before.Root, done.After.Root)
		require.True(t, strings.HasPrefix(done.Kept, data.Database()+".before-upgrade-"), done.Kept)
		require.Len(t, digests(t, data), 2)
		requireUpgraded(t, data, done, was[datadir.Database])
		info, err := os.Stat(data.Database())
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o640), info.Mode(), "the mode of the old one")

		// The dry run said so.
		would.DryRun, would.Kept = false, done.Kept
		require.Equal(t, done, would)

		// A second time there is nothing to do.
		now := digests(t, data)
		again, err := upgraded(t, data, false)
		require.NoError(t, err)
		require.True(t, again.Current())
		require.Equal(t, done.After, again.After)
		require.Equal(t, now, digests(t, data))
	}
}

// The old file can be verified after the upgrade as before, by the rules of its time.
func TestAnOlderDatabaseIsVerifiedAsItIs(t *testing.T) {
	for _, format := range keptFormats {
		data := older(t, format)
		was := digests(t, data)
		report, err := Verify(t.Context(), storage.InFolder(data), "none.json", auditor.Options{})
		require.NoError(t, err)
		require.EqualValues(t, keptRecords[format], report.Records)
		require.Equal(t, was, digests(t, data))
	}
}

// What uses the tables refuses them, and names the command that upgrades them.
func TestAnOlderDatabaseIsRefused(t *testing.T) {
	data := older(t, 4)
	was := digests(t, data)
	_, _, err := Source(t.Context(), storage.InFolder(data))
	requireFault(t, err, ledger.CodeOlder)
	require.Contains(t, fault.As(err).Fix, "orchestrator upgrade --data "+string(data))
	_, err = Compact(t.Context(), storage.InFolder(data))
	requireFault(t, err, ledger.CodeOlder)
	require.Contains(t, fault.As(err).Fix, "orchestrator upgrade --data "+string(data))
	require.Equal(t, was, digests(t, data))
}

// small is a database of this format with a requirement.
func small(t *testing.T) datadir.Dir {
	t.Helper()
	data := datadir.Dir(t.TempDir())
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	service, err := requirements.Open(t.Context(), l, time.Now, requirements.Options{})
	require.NoError(t, err)
	files := []reqdoc.File{{Path: "R.md", Content: []byte("# Shop\n\n- **REQ-001**: A customer can log in.\n")}}
	_, err = service.Import(t.Context(), lifecycle.Actor{Name: "paula", Role: lifecycle.PM},
		func() ([]reqdoc.File, error) { return files, nil }, requirements.ImportOptions{})
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return data
}

// asOlder is a copy of a database of this format whose log began in format 4, and that has that format.
func asOlder(t *testing.T, from datadir.Dir) datadir.Dir {
	t.Helper()
	data := datadir.Dir(t.TempDir())
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	all := entries(t, from.Database())
	blobs := ledger.Blobs(func(digest string) ([]byte, error) { return []byte(all["blobs"][digest]), nil })
	b, err := ledger.NewBuilder(t.Context(), s, blobs)
	require.NoError(t, err)
	for _, key := range slices.Sorted(maps.Keys(all["audit"])) {
		raw := strings.Replace(all["audit"][key], fmt.Sprintf(`{"format":%d}`, ledger.Format), `{"format":4}`, 1)
		require.NoError(t, b.Append(t.Context(), []byte(raw)))
	}
	for _, table := range []string{"requirements", "project"} {
		require.NotEmpty(t, all[table])
		for key, value := range all[table] {
			require.NoError(t, b.Fill(t.Context(), table, maps.All(map[string][]byte{key: []byte(value)})))
		}
	}
	_, err = b.Finish(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Close())
	put(t, data, "meta", "format", func(string) string { return `{"format":4}` })
	return data
}

// Where this program computes other tables than the older one did, its own are taken, and the difference is told.
func TestAnUpgradeTellsHowTablesDiffer(t *testing.T) {
	differs := []ledger.Difference{{Table: "reports", Removed: 1}}
	spoil := func(data datadir.Dir) datadir.Dir {
		put(t, data, "reports", "ab", func(string) string { return "{}" }) // no check sum covers a table never written to
		return data
	}
	_, err := Verify(t.Context(), storage.InFolder(spoil(small(t))), "none.json", auditor.Options{})
	require.ErrorContains(t, err, "which the log does not account for", "in the present format it is damage")

	data := spoil(asOlder(t, small(t)))
	report, err := Verify(t.Context(), storage.InFolder(data), "none.json", auditor.Options{})
	require.NoError(t, err)
	require.Contains(t, strings.Join(report.CannotShow, "\n"),
		"that table reports is as the program of format 4 left it: it agrees with its check sum, but this program "+
			"would change 0 entries of it, add 0 and remove 1")
	would, err := upgraded(t, data, true)
	require.NoError(t, err)
	require.Equal(t, differs, would.Differences)
	done, err := upgraded(t, data, false)
	require.NoError(t, err)
	require.Equal(t, differs, done.Differences)
	require.Empty(t, entries(t, data.Database())["reports"])
	_, err = Verify(t.Context(), storage.InFolder(data), "none.json", auditor.Options{})
	require.NoError(t, err)
}

// What is not in order is refused with what is wrong, and is left as it was.
func TestADatabaseThatIsNotInOrderIsNotUpgraded(t *testing.T) {
	third := "\x00\x00\x00\x00\x00\x00\x00\x03"
	other := func(old, now string) func(string) string {
		return func(was string) string { return strings.Replace(was, old, now, 1) }
	}
	spoil := func(table, key string, change func(string) string) func(datadir.Dir) {
		return func(data datadir.Dir) { put(t, data, table, key, change) }
	}
	for name, c := range map[string]struct {
		spoil func(datadir.Dir)
		code  fault.Code
		want  string
	}{
		"a record":      {spoil("audit", third, other("orchestrator", "orchestratop")), "store_damaged", "record 3 was changed"},
		"the tree":      {spoil("hashes", third, other("", "x")), "store_damaged", ""},
		"a thread":      {spoil("subjects", "REQ-001", other(`"count":`, `"count":1`)), "store_damaged", "REQ-001"},
		"a table":       {spoil("requirements", "REQ-001", other("done", "gone")), "store_damaged", "table requirements is not as it was left"},
		"the head":      {spoil("meta", "head", other(`"size":64`, `"size":63`)), "store_damaged", ""},
		"newer":         {spoil("meta", "format", other("4", "9")), ledger.CodeFormat, "format 9"},
		"too old":       {spoil("meta", "format", other("4", "3")), ledger.CodeFormat, "format 3"},
		"cut":           {func(d datadir.Dir) { require.NoError(t, os.Truncate(d.Database(), 20_000)) }, "store_damaged", ""},
		"no file":       {func(d datadir.Dir) { require.NoError(t, os.Remove(d.Database())) }, "database_missing", ""},
		"its own start": {spoil("audit", strings.Repeat("\x00", 8), other(`"format":4`, `"format":5`)), "store_damaged", "but its log began in format 5"},
	} {
		t.Run(name, func(t *testing.T) {
			data := older(t, 4)
			c.spoil(data)
			was := digests(t, data)
			for _, dryRun := range []bool{true, false} {
				_, err := upgraded(t, data, dryRun)
				requireFault(t, err, c.code)
				require.ErrorContains(t, err, c.want)
				require.Equal(t, was, digests(t, data))
			}
		})
	}
}

// A decision that the rules of its time did not allow is found too, however well the log hangs together.
func TestALogWithAnUnlawfulDecisionIsNotUpgraded(t *testing.T) {
	data := small(t)
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	before := l.Head().Size
	require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
		return tx.Append(ledger.Event{Kind: "requirement.changed", Subject: "REQ-001",
			Actor: audit.Actor{Name: "cody", Role: "coder"},
			Data:  map[string]any{"change": map[string]any{"status": "done"}, "rules": lifecycle.LatestRules, "workflow": "v1", "revision": 2, "sha256": "00"}})
	}))
	require.NoError(t, l.Close())
	data = asOlder(t, data)
	was := digests(t, data)
	_, err = upgraded(t, data, false)
	var bad *auditor.Bad
	require.ErrorAs(t, err, &bad)
	require.EqualValues(t, before, *bad.Record)
	require.ErrorContains(t, err, fmt.Sprintf("record %d, requirement.changed: it was accepted, but the rules refuse it", before))
	require.Equal(t, was, digests(t, data))
}

// So is data beside the log that has another digest.
func TestChangedDataBesideTheLogIsNotUpgraded(t *testing.T) {
	data := older(t, 4)
	for digest := range entries(t, data.Database())["blobs"] {
		put(t, data, "blobs", digest, func(was string) string { return strings.Replace(was, "0", "1", 1) })
	}
	was := digests(t, data)
	_, err := upgraded(t, data, false)
	require.ErrorContains(t, err, "was changed")
	require.Equal(t, auditor.Wrong, auditor.VerdictOf(err))
	require.Equal(t, was, digests(t, data))
}

// The new database stands where the old one stood, behind a link too, and belongs to whom the old one belonged to.
func TestAnUpgradeBehindALink(t *testing.T) {
	data, elsewhere := older(t, 4), filepath.Join(t.TempDir(), "shop.db")
	require.NoError(t, os.Rename(data.Database(), elsewhere))
	require.NoError(t, os.Symlink(elsewhere, data.Database()))
	owner := os.Geteuid()
	if owner == 0 {
		owner = 12345
		require.NoError(t, os.Chown(elsewhere, owner, owner))
	}
	done, err := upgraded(t, data, false)
	require.NoError(t, err)
	require.Equal(t, filepath.Dir(elsewhere), filepath.Dir(done.Kept))
	target, err := os.Readlink(data.Database())
	require.NoError(t, err)
	require.Equal(t, elsewhere, target)
	info, err := os.Stat(elsewhere)
	require.NoError(t, err)
	require.EqualValues(t, owner, info.Sys().(*syscall.Stat_t).Uid)
	again, err := upgraded(t, data, false)
	require.NoError(t, err)
	require.True(t, again.Current())
}

func TestAFolderInUseIsNotUpgraded(t *testing.T) {
	data := older(t, 4)
	was := digests(t, data)
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	_, err = upgraded(t, data, false)
	requireFault(t, err, "store_locked")
	require.NoError(t, s.Close())

	other, err := successor.Open(string(data), "restore", time.Now())
	require.NoError(t, err)
	_, err = upgraded(t, data, false)
	requireFault(t, err, "upgrade_locked")
	require.NoError(t, other.Close())
	require.Equal(t, was, digests(t, data))

	// Nor can anybody begin to use it meanwhile.
	asked := 0
	_, err = Upgrade(t.Context(), storage.InFolder(data), UpgradeOptions{Now: time.Now, reached: func(step string) error {
		if step == "replaced" {
			return nil // what stands there now is the new one
		}
		asked++
		_, err := boltstore.Open(data.Database(), boltstore.Options{LockTimeout: time.Millisecond})
		requireFault(t, err, "store_locked")
		return nil
	}})
	require.NoError(t, err)
	require.Equal(t, 5, asked)
}

// TestTheKeptDatabaseOfThisFormatIsInOrder: what this program makes of a log of its own format may not change. Whoever
// changes it raises the format.
func TestTheKeptDatabaseOfThisFormatIsInOrder(t *testing.T) {
	data := older(t, ledger.Format)
	report, err := Verify(t.Context(), storage.InFolder(data), "none.json", auditor.Options{})
	require.NoError(t, err)
	for _, cannot := range report.CannotShow {
		require.NotContains(t, cannot, "table")
	}
	done, err := upgraded(t, data, false)
	require.NoError(t, err)
	require.True(t, done.Current())
}
