package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// nobody is a user who owns no file.
const nobody = 65534

// Verifies: ORC-160
//
// TestAnotherUserIsTold: whoever runs a command in the folder of somebody else is told that, and what to do, whatever the
// command looks for in the data folder. Only root can become another user.
func TestAnotherUserIsTold(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can run a command as another user")
	}
	dir := newProject(t)
	startServer(t, dir)
	for folder := dir; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if !strings.HasPrefix(folder, filepath.Dir(filepath.Dir(dir))) {
			break
		}
		if info, err := os.Stat(folder); err == nil && info.Mode().Perm()&0o005 == 0 {
			require.NoError(t, os.Chmod(folder, 0o755)) // another user is to look into it
		}
	}
	own := filepath.Join(dir, "orchestrator")
	// Another user runs it. Another process copies it: a child that another test starts meanwhile would hold a file of
	// ours open for writing, and what is open for writing cannot be started.
	require.NoError(t, exec.Command("cp", program(), own).Run())
	require.NoError(t, os.Chmod(own, 0o755))
	for _, line := range []string{"status", "list", "show REQ-001", "history REQ-001", "whoami", "watch --once",
		"approve REQ-001 --yes", "change REQ-001 --status planned --reason r --evidence file:REQUIREMENTS.md", "review", "gate",
		"health", "serve", "config", "config set addr 127.0.0.1:1", "import", "verify", "backup -o b.zip", "compact",
		"token list", "token add pm someone", "open"} {
		cmd := exec.CommandContext(t.Context(), own, strings.Fields(line)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME=/nonexistent")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := cmd.CombinedOutput()
		require.IsType(t, &exec.ExitError{}, err, "%s: %v", line, err)
		require.Contains(t, string(out), "orchestrator: the folder .orchestrator belongs to another user\n", line)
		require.Contains(t, string(out), "\n  fix: run the command as that user", line)
	}
}
