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

// A file that cannot be written is named as well, and nothing has changed: neither the settings nor the copy of them.
func TestSettingsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"claude", "opencode"} {
		_, err := settings.Install(client, settings.Options{Root: "/proc", Command: "orchestrator-hook " + client}) // no user may
		require.ErrorContains(t, err, "cannot be written")
		require.Contains(t, fault.As(err).Fix, "writable for you", client)
	}

	root := t.TempDir()
	o := settings.Options{Root: root, Command: "orchestrator-hook claude", ClientVersion: "2.1.330"}
	file := filepath.Join(root, ".claude", "settings.json")
	const mine = `{"theme": "dark"}`
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(mine), 0o600))
	backup := file + ".orchestrator-backup"
	require.NoError(t, os.MkdirAll(filepath.Join(backup, "taken"), 0o700))
	_, err := settings.Install("claude", o)
	require.ErrorContains(t, err, "settings.json.orchestrator-backup cannot be written")
	require.Contains(t, fault.As(err).Fix, "writable for you")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, mine, string(text))
}
