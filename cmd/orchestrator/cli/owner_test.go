package cli

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// failing returns a command on a data folder that fails.
func failing(data string, asks bool, err error) *cobra.Command {
	var given, server string
	cmd := &cobra.Command{RunE: func(*cobra.Command, []string) error { return err }}
	DataFlag(cmd, &given)
	if asks {
		ServerFlag(cmd, &server)
	}
	_ = cmd.Flags().Set("data", data)
	return nameOwner(cmd)
}

func TestAFileInTheWayOfTheDataFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	for _, data := range []string{path, filepath.Join(path, "x")} {
		_, err := os.ReadFile(filepath.Join(data, "settings.yaml"))
		cmd := failing(data, false, err)
		require.ErrorContains(t, cmd.RunE(cmd, nil), "a file stands in the way of the folder")
	}
	cmd := failing(filepath.Dir(path), false, syscall.ENOTDIR)
	require.ErrorIs(t, cmd.RunE(cmd, nil), syscall.ENOTDIR, "another file is no folder")
}

const asUser = "CLI_AS_USER"

// TestTheFolderOfAnotherUser: commands name the owner, whatever it was that they could not read.
func TestTheFolderOfAnotherUser(t *testing.T) {
	if data := os.Getenv(asUser); data != "" {
		_, denied := os.ReadFile(filepath.Join(data, "tools"))
		require.ErrorIs(t, denied, fs.ErrPermission)
		cmd := failing(data, false, denied)
		err := fault.As(cmd.RunE(cmd, nil))
		require.Equal(t, "the folder "+data+" belongs to the user root", err.Detail)
		require.Equal(t, "run the command as the user root", err.Fix)
		cmd = failing(data, true, denied)
		require.Contains(t, fault.As(cmd.RunE(cmd, nil)).Fix, "or name the service with --server")
		other := fault.New(fault.Invalid, "other", "something else")
		cmd = failing(data, true, other)
		require.Equal(t, other, fault.As(cmd.RunE(cmd, nil)), "another error is left as it is")
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program as another user")
	}
	dir, err := os.MkdirTemp("", "cli")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	program, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	self := filepath.Join(dir, "test")
	require.NoError(t, os.WriteFile(self, program, 0o755))
	run := exec.CommandContext(t.Context(), self, "-test.run=^TestTheFolderOfAnotherUser$", "-test.v")
	run.Dir, run.Env = "/", append(os.Environ(), asUser+"="+filepath.Join(dir, "data"))
	run.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS: TestTheFolderOfAnotherUser")
}
