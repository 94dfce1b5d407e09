package folder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
)

var secret = hook.NewSecret([32]byte{1})

func named(name string) hook.Hook {
	return hook.Hook{ID: "0123456789ab", Name: name, URL: "https://example.com", Created: time.Now().UTC()}
}

// Verifies: ORC-320
func TestHooksAreKeptInFilesOfTheirOwner(t *testing.T) {
	dir := datadir.Dir(t.TempDir())
	f := folder.In(dir)
	r, err := f.Roster(t.Context())
	require.NoError(t, err)
	require.Empty(t, r)
	require.NoError(t, f.Add(t.Context(), named("ops"), secret))
	require.NoError(t, f.Add(t.Context(), named("team"), secret+"\n"+secret+"\n"))
	_, err = f.Advance(t.Context(), named("ops"), 7, func(*hook.Progress) error { return nil })
	require.NoError(t, err)
	err = filepath.Walk(string(dir), func(path string, info os.FileInfo, err error) error {
		if path != string(dir) {
			require.Zero(t, info.Mode().Perm()&0o077, "%s %v", path, info.Mode())
		}
		return err
	})
	require.NoError(t, err)
	roster, err := os.ReadFile(dir.Webhooks())
	require.NoError(t, err)
	require.NotContains(t, string(roster), "whsec_")

	all, err := f.Secrets(t.Context(), "team")
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.True(t, fault.Is(f.Add(t.Context(), named("ops"), secret), hook.CodeExists))
	require.True(t, fault.Is(f.Add(t.Context(), named("more"), "hunter2"), hook.CodeSecret))
	require.NoFileExists(t, f.SecretPath("more"))

	gone, err := f.Remove(t.Context(), "ops")
	require.NoError(t, err)
	require.Equal(t, "ops", gone.Name)
	require.NoFileExists(t, f.SecretPath("ops"))
	require.NoFileExists(t, filepath.Join(dir.WebhookDir(), "ops.json"))
	require.FileExists(t, f.SecretPath("team"))
	_, err = f.Remove(t.Context(), "ops")
	require.True(t, fault.Is(err, hook.CodeUnknown))
	_, err = f.Secrets(t.Context(), "ops")
	require.True(t, fault.Is(err, hook.CodeSecret))
}

// What is kept of another hook that had the name is not taken for this one's.
func TestProgressIsOfOneHook(t *testing.T) {
	f := folder.In(datadir.Dir(t.TempDir()))
	p, err := f.Advance(t.Context(), named("ops"), 7, func(p *hook.Progress) error { p.Pass(7, 9); return nil })
	require.NoError(t, err)
	require.EqualValues(t, 10, p.Next)
	kept, found, err := f.Progress(t.Context(), named("ops"))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, p, kept)
	other := named("ops")
	other.ID = "ba9876543210"
	_, found, err = f.Progress(t.Context(), other)
	require.NoError(t, err)
	require.False(t, found)
	p, err = f.Advance(t.Context(), other, 3, func(*hook.Progress) error { return nil })
	require.NoError(t, err)
	require.Equal(t, hook.Progress{Hook: other.ID, Next: 3}, p)

	broken := errors.New("no")
	_, err = f.Advance(t.Context(), other, 3, func(p *hook.Progress) error { p.Next = 99; return broken })
	require.ErrorIs(t, err, broken)
	kept, _, err = f.Progress(t.Context(), other)
	require.NoError(t, err)
	require.EqualValues(t, 3, kept.Next, "a change that fails is none")
}

func TestSweepLeavesWhatIsInUse(t *testing.T) {
	f := folder.In(datadir.Dir(t.TempDir()))
	require.NoError(t, f.Sweep(nil), "there is no folder")
	for _, name := range []string{"ops", "late"} {
		require.NoError(t, f.Add(t.Context(), named(name), secret))
		_, err := f.Advance(t.Context(), named(name), 1, func(*hook.Progress) error { return nil })
		require.NoError(t, err)
	}
	require.NoError(t, f.Sweep(hook.Roster{named("ops")}))
	require.FileExists(t, f.SecretPath("ops"))
	require.FileExists(t, f.SecretPath("late"), "it may have been added again meanwhile")
	_, found, err := f.Progress(t.Context(), named("late"))
	require.NoError(t, err)
	require.False(t, found)
}

// Changes of several at once are all made.
func TestChangesAtTheSameTime(t *testing.T) {
	f := folder.In(datadir.Dir(t.TempDir()))
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if err := f.Add(t.Context(), named(fmt.Sprint("h", i)), secret); err != nil {
				t.Error(err)
			}
			_, err := f.Advance(t.Context(), named("one"), 0, func(p *hook.Progress) error { p.Sent++; return nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	r, err := f.Roster(t.Context())
	require.NoError(t, err)
	require.Len(t, r, 10)
	p, _, err := f.Progress(t.Context(), named("one"))
	require.NoError(t, err)
	require.EqualValues(t, 10, p.Sent)
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	dir := datadir.Dir(t.TempDir())
	f := folder.In(dir)
	require.NoError(t, os.WriteFile(dir.Webhooks(), []byte("{"), 0o600))
	_, err := f.Roster(t.Context())
	require.True(t, fault.Is(err, hook.CodeMalformed))
	require.True(t, fault.Is(f.Add(t.Context(), named("ops"), secret), hook.CodeMalformed), "it is not written over")
	require.NoError(t, os.Remove(dir.Webhooks()))
	require.NoError(t, os.Symlink("/etc/passwd", dir.Webhooks()))
	_, err = f.Roster(t.Context())
	require.Error(t, err, "a link is not followed")

	nowhere := folder.In(datadir.Dir(filepath.Join(t.TempDir(), "none")))
	require.True(t, fault.Is(nowhere.Add(t.Context(), named("ops"), secret), "data_folder_missing"))
}

// Who gives up while a file is read is not told that the file is broken, and to remove it.
func TestGivingUpSaysNothingOfTheFile(t *testing.T) {
	f := folder.In(datadir.Dir(t.TempDir()))
	require.NoError(t, f.Add(t.Context(), named("ops"), secret))
	_, err := f.Advance(t.Context(), named("ops"), 7, func(*hook.Progress) error { return nil })
	require.NoError(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	_, _, err = f.Progress(ended, named("ops"))
	require.Equal(t, context.Canceled, err)
	_, err = f.Secrets(ended, "ops")
	require.Equal(t, context.Canceled, err)
}
