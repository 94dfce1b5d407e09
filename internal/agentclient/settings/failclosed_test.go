package settings_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/agentclient/settings"
)

// A client is made to block when the hook breaks, and not to, without any other change of its settings.
func TestFailShutChangesNothingElse(t *testing.T) {
	for _, client := range agentclient.Names() {
		c, _ := agentclient.Named(client)
		for _, original := range []string{"", "{\n  // mine\n  \"hooks\": {}, // and this\n}\n", `{"model": "opus"}`} {
			if client == "opencode" && original != "" {
				continue // a plugin is a file of its own
			}
			text := []byte(original)
			if original == "" {
				text = nil
			}
			o, file := project(t, client, text)
			o.FailClosed, o.Command = false, commandline.For(c, c.Wiring.Before())
			_, err := settings.Install(client, o)
			require.NoError(t, err)
			open := content(t, file)

			change, err := settings.FailClosed(client, true, o)
			require.NoError(t, err)
			require.Equal(t, c.Wiring.FailClosed != nil, change.Changed, client)
			if c.Wiring.FailClosed == nil {
				require.Equal(t, open, content(t, file))
				continue
			}
			require.Equal(t, 1, strings.Count(content(t, file), c.Wiring.FailClosed.Name), "before a tool alone")
			found, err := settings.Registered(client, o)
			require.NoError(t, err)
			require.True(t, found[0].FailsClosed)
			require.Equal(t, c.Wiring.JSONFlag != nil, strings.Contains(found[0].Command, "--answers json"), client)
			again, err := settings.FailClosed(client, true, o)
			require.NoError(t, err)
			require.False(t, again.Changed)

			_, err = settings.FailClosed(client, false, o)
			require.NoError(t, err)
			require.Equal(t, open, content(t, file), client)
			_, err = settings.Uninstall(client, o)
			require.NoError(t, err)
			if original != "" {
				require.Equal(t, original, content(t, file))
			}
		}
	}
}

// What the version of a client does not know is left out, and said; what an earlier one was known to know stays.
func TestFailShutDependsOnTheVersion(t *testing.T) {
	o, file := project(t, "claude", nil)
	o.FailClosed = false
	change, err := settings.FailClosed("claude", true, o)
	require.NoError(t, err)
	require.False(t, change.Changed, "it is not registered")
	require.NoFileExists(t, file)
	_, err = settings.Install("claude", o)
	require.NoError(t, err)
	for _, version := range []string{"", "2.1.294"} {
		o.ClientVersion = version
		change, err := settings.FailClosed("claude", true, o)
		require.NoError(t, err)
		require.False(t, change.Changed)
		require.Contains(t, change.Said[0], "lets the call through")
	}
	o.ClientVersion = latest
	_, err = settings.FailClosed("claude", true, o)
	require.NoError(t, err)
	o.ClientVersion = ""
	change, err = settings.FailClosed("claude", true, o)
	require.NoError(t, err)
	require.Empty(t, change.Said)
	require.Contains(t, content(t, file), "onFailure")

	require.NoError(t, os.Rename(file, file+".own"))
	require.NoError(t, os.Symlink(file+".own", file))
	_, err = settings.FailClosed("claude", false, o)
	require.ErrorContains(t, err, "is a symbolic link")
	_, err = settings.FailClosed("vscode", true, o)
	require.Error(t, err)
}

// The user's own settings are edited like those of a project.
// Verifies: ORC-207, ORC-208
func TestTheUsersSettings(t *testing.T) {
	for _, client := range agentclient.Names() {
		o, _ := project(t, client, nil)
		o.User, o.Home = true, t.TempDir()
		change, err := settings.Install(client, o)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(change.File, o.Home), change.File)
		require.Empty(t, everything(t, o.Root))
		found, err := settings.Registered(client, o)
		require.NoError(t, err)
		require.NotEmpty(t, found, client)
		_, err = settings.Uninstall(client, o)
		require.NoError(t, err)
		require.Empty(t, everything(t, o.Home))
		entries, err := os.ReadDir(o.Home)
		require.NoError(t, err)
		require.Empty(t, entries, "an empty folder is left behind")

		o.Home = ""
		_, err = settings.Install(client, o)
		require.ErrorContains(t, err, "no folder for the settings of "+client)
	}
}
