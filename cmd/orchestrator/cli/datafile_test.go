package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// failing returns a command on a data folder that fails.
func failing(data string, err error) *cobra.Command {
	var given string
	cmd := &cobra.Command{RunE: func(*cobra.Command, []string) error { return err }}
	DataFlag(cmd, &given)
	_ = cmd.Flags().Set("data", data)
	return nameWay(cmd)
}

func TestAFileInTheWayOfTheDataFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	for _, data := range []string{path, filepath.Join(path, "x")} {
		_, err := os.ReadFile(filepath.Join(data, "settings.yaml"))
		cmd := failing(data, err)
		require.ErrorContains(t, cmd.RunE(cmd, nil), "a file stands in the way of the folder")
	}
	cmd := failing(filepath.Dir(path), syscall.ENOTDIR)
	require.ErrorIs(t, cmd.RunE(cmd, nil), syscall.ENOTDIR, "another file is no folder")
}
