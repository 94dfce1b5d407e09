package backup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// Steps of a restore, and whether the new database is in its place then.
var steps = []struct {
	name string
	done bool
}{{"half", false}, {"opened", false}, {"rebuilt", false}, {"recorded", false}, {"checked", false}, {"staged", false}, {"early", false}, {"kept", false}, {"swapped", true}, {"late", true}}

// aged is a copy of folder was, whose database went on after its backup, under other tokens.
type aged struct {
	was, path string
	w         Written
}

func newAged(t *testing.T) aged {
	dir := data(t, 300)
	path, w := backedUp(t, dir)
	change(t, dir, 2)
	put(t, dir, datadir.Tokens, `{"tokens":[],"newer":true}`)
	return aged{dir, path, w}
}

func (a aged) copy(t *testing.T) (dir string) {
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(a.was)))
	for _, name := range []string{datadir.Database, datadir.Key, datadir.Tokens} {
		require.NoError(t, os.Chmod(filepath.Join(dir, name), 0o600))
	}
	return dir
}

// What the disk made of the new database is read before it counts.
func TestRestoreReadsTheNewDatabaseBack(t *testing.T) {
	dir := data(t, 3)
	path, _ := backedUp(t, dir)
	temp := filepath.Join(dir, "."+datadir.Database+".restore")
	entry := func(table, key, value string) func() {
		return func() {
			s, err := boltstore.Open(temp, boltstore.Options{})
			require.NoError(t, err)
			require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put(table, key, []byte(value)) }))
			require.NoError(t, s.Close())
		}
	}
	beside := func() {
		s, err := boltstore.Open(temp, boltstore.Options{})
		require.NoError(t, err)
		var digest string
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			return r.Scan("blobs", "", "", func(key string, _ []byte) error { digest = key; return store.ErrStop })
		}))
		require.NoError(t, s.Close())
		entry("blobs", digest, "{}")()
	}
	for name, spoil := range map[string]func(){
		"data beside the log": beside,
		"a record":            entry("audit", "\x00\x00\x00\x00\x00\x00\x00\x03", "{}"),
		"a requirement":       entry("requirements", "REQ-001", "{}"),
		"another entry":       entry("reports", "ab", "{}"), // in a table that was never written to
		"its end":             func() { require.NoError(t, os.Truncate(temp, 20_000)) },
		"all of it":           func() { require.NoError(t, os.WriteFile(temp, make([]byte, 32_768), 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			before := digests(t, dir)
			_, err := Restore(t.Context(), path, RestoreOptions{Folder: dir, Replace: true, Now: time.Now, reached: func(step string) error {
				if step == "recorded" {
					spoil()
				}
				return nil
			}})
			require.Error(t, err)
			require.Equal(t, before, digests(t, dir))
		})
	}
}

// A failure of any step leaves all as it was, or the new database and a word.
func TestRestoreFails(t *testing.T) {
	boom, aged := errors.New("boom"), newAged(t)
	for _, step := range steps[1:] {
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			dir, path, w := aged.copy(t), aged.path, aged.w
			before := digests(t, dir)
			_, err := Restore(t.Context(), path, RestoreOptions{Folder: dir, Replace: true, ReplaceTokens: true, Now: time.Now, reached: func(reached string) error {
				if reached == step.name {
					return boom
				}
				return nil
			}})
			require.ErrorIs(t, err, boom)
			if !step.done {
				require.Equal(t, before, digests(t, dir))
				fresh := filepath.Join(t.TempDir(), "fresh")
				_, err = Restore(t.Context(), path, RestoreOptions{Folder: fresh, Now: time.Now, reached: func(reached string) error {
					if reached == step.name {
						return boom
					}
					return nil
				}})
				if step.name != "kept" { // where nothing is there, nothing is kept
					require.ErrorIs(t, err, boom)
					require.NoDirExists(t, fresh)
				}
				return
			}
			requireFault(t, err, codeHalf)
			requireRestored(t, dir, before, w)
		})
	}
}

// requireRestored demands the new database, and what was there before beside it.
func requireRestored(t *testing.T, dir string, before map[string]string, w Written) {
	t.Helper()
	_, added := tables(t, filepath.Join(dir, datadir.Database), w.Records)
	require.Len(t, added, 1)
	kept, err := filepath.Glob(filepath.Join(dir, datadir.Database) + ".before-restore-*")
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Equal(t, before[filepath.Join(dir, datadir.Database)], digests(t, dir)[kept[0]])
}

// A kill at any step does, too, and the next restore comes to its end and leaves nothing of it.
//
// Verifies: ORC-104
func TestRestoreKilled(t *testing.T) {
	aged := newAged(t)
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			dir, path, w := aged.copy(t), aged.path, aged.w
			before := digests(t, dir)
			out, err := child(t, path, dir, step.name).CombinedOutput()
			require.ErrorContains(t, err, "killed", "%s", out)
			after := digests(t, dir)
			if !step.done {
				for path, digest := range before {
					require.Equal(t, digest, after[path])
				}
				tables(t, filepath.Join(dir, datadir.Database), 0) // it can be opened, and is in order
			} else {
				requireRestored(t, dir, before, w)
			}
			done, err := restored(t, path, RestoreOptions{Folder: dir, Replace: true, ReplaceTokens: true})
			require.NoError(t, err)
			_, added := tables(t, filepath.Join(dir, datadir.Database), w.Records)
			require.Len(t, added, 1)
			require.Equal(t, `{"tokens":[]}`, read(t, filepath.Join(dir, datadir.Tokens)))
			names, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, name := range names {
				require.False(t, strings.HasPrefix(name.Name(), "."), name.Name())
			}
			kept, err := filepath.Glob(filepath.Join(dir, datadir.Database) + ".before-restore-*")
			require.NoError(t, err)
			require.Len(t, kept, map[bool]int{false: 1, true: 2}[step.done], "no second name of the database is left: %v", done.Kept)
		})
	}
}
