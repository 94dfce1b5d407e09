package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// needs skips a test where a row of that name is skipped too.
func needs(t *testing.T, name string) {
	t.Helper()
	for _, r := range rows() {
		if lacks := r.lacks(); r.name == name && lacks != "" {
			t.Skip("this " + lacks)
		}
	}
}

func newTestDisk(t *testing.T) disk {
	t.Helper()
	d, err := newDisk(t.Context(), t.TempDir(), "disk", 16)
	if err != nil {
		t.Skip("this needs loop devices: ", err)
	}
	t.Cleanup(func() { require.NoError(t, d.Remove()) })
	return d
}

// A power cut takes what was not synced, and nothing else. Else the rows would show nothing.
func TestAPowerCutTakesWhatWasNotSynced(t *testing.T) {
	needs(t, "cut")
	for _, flushed := range []bool{false, true} {
		d := newTestDisk(t)
		write := func(name string, sync bool) {
			f, err := os.Create(filepath.Join(d.Dir, name))
			require.NoError(t, err)
			_, err = f.Write(make([]byte, 1<<16))
			require.NoError(t, err)
			if sync {
				require.NoError(t, f.Sync())
			}
			require.NoError(t, f.Close())
		}
		write("synced", true)
		write("not-synced", false)
		require.NoError(t, d.cut(t.Context(), flushed))
		require.Error(t, os.WriteFile(filepath.Join(d.Dir, "after"), nil, 0o600), "the power is off")
		require.NoError(t, d.Detach())
		require.NoError(t, d.Attach(t.Context()))
		synced, err := os.Stat(filepath.Join(d.Dir, "synced"))
		require.NoError(t, err)
		require.EqualValues(t, 1<<16, synced.Size())
		lost, err := os.Stat(filepath.Join(d.Dir, "not-synced"))
		if flushed {
			require.NoError(t, err, "the journal has its name")
		}
		if err == nil {
			require.Zero(t, lost.Size(), "flushed=%t", flushed)
		}
	}
}

func TestADiskIsFilledAndFreed(t *testing.T) {
	needs(t, "full")
	d := newTestDisk(t)
	free, err := d.fill()
	require.NoError(t, err)
	require.Error(t, os.WriteFile(filepath.Join(d.Dir, "more"), make([]byte, 1<<16), 0o600))
	require.NoError(t, free())
	require.NoError(t, os.WriteFile(filepath.Join(d.Dir, "more"), make([]byte, 1<<16), 0o600))
}

func TestInjection(t *testing.T) {
	needs(t, "eio")
	ready := filepath.Join(t.TempDir(), "ready")
	require.NoError(t, exec.Command("mkfifo", ready).Run())
	shell := exec.Command("sh", "-c", "read line < "+ready+"; sync -d /; echo $?")
	out, err := shell.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, shell.Start())
	i, err := inject(t.Context(), shell.Process.Pid, filepath.Join(t.TempDir(), "trace"), "fdatasync:error=EIO")
	if err != nil {
		_ = shell.Process.Kill()
		_ = shell.Wait()
		t.Skip("this needs to trace processes: ", err)
	}
	require.True(t, traced(shell.Process.Pid, i.cmd.Process.Pid))
	require.NoError(t, os.WriteFile(ready, []byte("go\n"), 0o600))
	said := make([]byte, 1)
	_, err = out.Read(said)
	require.NoError(t, err)
	require.NoError(t, shell.Wait())
	require.Equal(t, "1", string(said), "sync reports the error")
	injected, err := i.injected()
	require.NoError(t, err)
	require.Equal(t, 1, injected)
	require.False(t, traced(os.Getpid(), i.cmd.Process.Pid))
	_, err = inject(t.Context(), shell.Process.Pid, filepath.Join(t.TempDir(), "trace"), "fdatasync:error=EIO")
	require.ErrorContains(t, err, "strace ended")
}
