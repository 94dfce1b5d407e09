package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/fault"
)

// A file of settings that cannot be read is named, with what to do about it.
func TestSettingsThatCannotBeRead(t *testing.T) {
	for client, file := range map[string]string{
		"claude": ".claude/settings.json", "opencode": ".opencode/plugin/orchestrator-boundary.js",
	} {
		root := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(root, file), 0o700))
		_, err := settings.Install(client, settings.Options{Root: root, Command: "orchestrator-hook " + client})
		require.ErrorContains(t, err, file+" cannot be read")
		require.Contains(t, fault.As(err).Fix, "make it a regular file")
	}
}
