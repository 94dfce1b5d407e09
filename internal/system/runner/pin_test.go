package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func sumOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// pinned is a copy of the test binary, pinned, that echoes.
func pinned(t *testing.T) Exec {
	t.Helper()
	e := as(t, "args", "the one that was checked")
	text, err := os.ReadFile(e.Argv[0])
	require.NoError(t, err)
	e.Argv[0] = filepath.Join(t.TempDir(), "tool")
	require.NoError(t, os.WriteFile(e.Argv[0], text, 0o755))
	e.SHA256 = sumOf(t, e.Argv[0])
	return e
}

// Verifies: ORC-281
func TestThePin(t *testing.T) {
	e := pinned(t)
	for _, sum := range []string{e.SHA256, strings.ToUpper(e.SHA256)} {
		e.SHA256 = sum
		r, err := e.Run(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, `["the one that was checked"]`, string(r.Stdout))
	}
	require.NoError(t, os.WriteFile(e.Argv[0], []byte("#!/bin/sh\necho another\n"), 0o755))
	r, err := e.Run(t.Context(), nil)
	refusal(t, err, "tool_pin_mismatch")
	require.Equal(t, -1, r.Exit)
}

func TestHashingStopsWithTheTime(t *testing.T) {
	e := pinned(t)
	e.Timeout = time.Nanosecond
	_, err := e.Run(t.Context(), nil)
	refusal(t, err, "tool_timeout")
	file, err := os.Open(e.Argv[0])
	require.NoError(t, err)
	defer file.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = hash(ctx, file)
	require.ErrorIs(t, err, context.Canceled)
}

func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere there is a race between the check and the start, as the documentation of Exec says")
	}
}

func TestASwapBetweenCheckAndStartChangesNothing(t *testing.T) {
	onLinux(t)
	e := pinned(t)
	e.checked = func() {
		other := e.Argv[0] + ".new"
		require.NoError(t, os.WriteFile(other, []byte("#!/bin/sh\necho another\n"), 0o755))
		require.NoError(t, os.Rename(other, e.Argv[0]))
	}
	r, err := e.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, `["the one that was checked"]`, string(r.Stdout))
	_, err = e.Run(t.Context(), nil)
	refusal(t, err, "tool_pin_mismatch")
}

func TestAChangeInPlaceIsRefused(t *testing.T) {
	onLinux(t)
	e := pinned(t)
	mark := filepath.Join(t.TempDir(), "ran")
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(e.Argv[0], old, old))
	e.checked = func() {
		size := fileSize(t, e.Argv[0])
		text := "#!/bin/sh\n>" + mark + "\n#"
		require.NoError(t, os.WriteFile(e.Argv[0], []byte(text+strings.Repeat("x", size-len(text))), 0o755))
		require.NoError(t, os.Chtimes(e.Argv[0], old, old)) // size and time are as before
	}
	_, err := e.Run(t.Context(), nil)
	refusal(t, err, "tool_pin_mismatch")
	require.NoFileExists(t, mark)
}

func fileSize(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return int(info.Size())
}

// A script is opened by its interpreter once more: it must be the same file then too.
func TestAPinnedScript(t *testing.T) {
	onLinux(t)
	e := as(t, "")
	script := filepath.Join(t.TempDir(), "script")
	text := "#!" + e.Argv[0] + " " + childWord + "\nthe script\n"
	require.NoError(t, os.WriteFile(script, []byte(text), 0o755))
	e.Argv, e.SHA256 = []string{script}, sumOf(t, script)
	e.checked = func() { require.NoError(t, os.Rename(script, script+".gone")) }
	r, err := e.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, text, string(r.Stdout))
}

// A script that is changed while it runs may have done what its new lines say.
func TestAScriptThatIsChangedWhileItRuns(t *testing.T) {
	onLinux(t)
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho '# more' >>"+script+"\n"), 0o755))
	_, err := Exec{Argv: []string{script}, SHA256: sumOf(t, script)}.Run(t.Context(), nil)
	refusal(t, err, "tool_pin_mismatch")
}
