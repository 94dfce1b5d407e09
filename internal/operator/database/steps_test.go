package database

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/operator/storage"
)

// Steps of an upgrade, and whether the new database is in its place then.
var steps = []struct {
	name string
	done bool
}{{"half", false}, {"opened", false}, {"rebuilt", false}, {"checked", false}, {"owned", false}, {"kept", false}, {"replaced", true}}

// requireReplaced demands the new database, in order, and the old one beside it.
func requireReplaced(t *testing.T, data datadir.Dir, was string) {
	t.Helper()
	requireKept(t, data, was)
	now, err := upgraded(t, data, false)
	require.NoError(t, err)
	require.Equal(t, ledger.Format, now.From)
	_, err = Verify(t.Context(), storage.InFolder(data), "none.json", auditor.Options{})
	require.NoError(t, err)
}

// requireKept demands the old database once beside its place.
func requireKept(t *testing.T, data datadir.Dir, was string) {
	t.Helper()
	kept, err := filepath.Glob(data.Database() + ".before-upgrade-*")
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Equal(t, was, digests(t, data)[filepath.Base(kept[0])])
}

// A failure of any step leaves all as it was, or the new database and a word.
func TestUpgradeFails(t *testing.T) {
	boom := errors.New("boom")
	for _, step := range steps[1:] {
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			data := older(t, 4)
			before := digests(t, data)
			_, err := Upgrade(t.Context(), storage.InFolder(data), UpgradeOptions{Now: time.Now, reached: func(reached string) error {
				if reached == step.name {
					return boom
				}
				return nil
			}})
			require.ErrorIs(t, err, boom)
			if step.done {
				requireFault(t, err, codeUnsynced)
				requireReplaced(t, data, before[datadir.Database])
				return
			}
			requireFault(t, err, "upgrade_failed")
			require.Equal(t, before, digests(t, data))
		})
	}
}

// A kill at any step does, too, and the next upgrade comes to its end and leaves nothing of it. The steps are not tried
// at once: a process that is being started for one would hold on to the locks of the others for a moment.
//
// Verifies: ORC-117
func TestUpgradeKilled(t *testing.T) {
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			data := older(t, 4)
			was := digests(t, data)[datadir.Database]
			self, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Dir, cmd.Env = string(data), append(os.Environ(), childEnv+"="+step.name)
			out, err := cmd.CombinedOutput()
			require.ErrorContains(t, err, "killed", "%s", out)
			if step.done {
				requireReplaced(t, data, was)
				return
			}
			require.Equal(t, was, digests(t, data)[datadir.Database])
			_, err = Verify(t.Context(), storage.InFolder(data), "none.json", auditor.Options{})
			require.NoError(t, err)

			done, err := upgraded(t, data, false)
			require.NoError(t, err)
			require.False(t, done.Current())
			requireReplaced(t, data, was)
			for name := range digests(t, data) {
				require.False(t, strings.HasPrefix(name, "."), name)
			}
		})
	}
}

// What the disk made of the new database is read before it counts.
func TestUpgradeReadsTheNewDatabaseBack(t *testing.T) {
	data := older(t, 4)
	before := digests(t, data)
	temp := datadir.Dir(t.TempDir())
	for name, spoil := range map[string]func(path string){
		"its end":   func(path string) { require.NoError(t, os.Truncate(path, 20_000)) },
		"all of it": func(path string) { require.NoError(t, os.WriteFile(path, make([]byte, 32_768), 0o600)) },
		"a requirement": func(path string) {
			require.NoError(t, os.Rename(path, temp.Database()))
			put(t, temp, "requirements", "REQ-001", func(was string) string { return strings.Replace(was, "done", "gone", 1) })
			require.NoError(t, os.Rename(temp.Database(), path))
		},
		"a record": func(path string) {
			require.NoError(t, os.Rename(path, temp.Database()))
			put(t, temp, "audit", "\x00\x00\x00\x00\x00\x00\x00\x03", func(was string) string { return was + " " })
			require.NoError(t, os.Rename(temp.Database(), path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Upgrade(t.Context(), storage.InFolder(data), UpgradeOptions{Now: time.Now, reached: func(step string) error {
				if step == "rebuilt" {
					spoil(filepath.Join(string(data), "."+datadir.Database+".upgrade"))
				}
				return nil
			}})
			requireFault(t, err, "upgrade_failed")
			require.Equal(t, before, digests(t, data))
		})
	}
}
