package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
)

func TestFactsAreThoseOfWhatIsRegistered(t *testing.T) {
	t.Parallel()
	for _, client := range agentclient.Names() {
		o := Options{Root: t.TempDir(), Command: "orchestrator-hook " + client, ClientVersion: "99.0.0", FailClosed: true}
		_, err := Install(client, o)
		require.NoError(t, err)
		c, err := agentclient.Find(client)
		require.NoError(t, err)
		wiring := c.Wiring
		found, err := Registered(client, o)
		require.NoError(t, err)
		require.Equal(t, found[0].Event, wiring.Before(), client)
		require.Equal(t, limit, found[0].Timeout, client)
		require.Positive(t, wiring.Unit, client)
		require.Equal(t, wiring.FailClosed != nil || client == "opencode", found[0].FailsClosed, client)
		require.Empty(t, Elsewhere(client, o), client)
	}
	_, err := agentclient.Find("vscode")
	require.ErrorContains(t, err, "vscode")
	require.Empty(t, Elsewhere("vscode", Options{}))
}

func TestEntriesElsewhereAreFound(t *testing.T) {
	t.Parallel()
	root, home := t.TempDir(), t.TempDir()
	text := `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"orchestrator-hook claude","timeout":5}]}]}}`
	for _, file := range []string{filepath.Join(root, ".claude/hooks.json"), filepath.Join(home, ".claude/settings.json")} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	o := Options{Root: root, Home: home}
	found := Elsewhere("claude", o)
	require.Len(t, found, 1)
	require.Equal(t, []string{"claude does not read " + filepath.Join(root, ".claude/hooks.json")}, found[0].Disabled)
	require.Len(t, Elsewhere("claude", Options{Root: root}), 1)

	o.User = true
	found, err := Registered("claude", o)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, filepath.Join(home, ".claude/settings.json"), found[0].File)
	require.Empty(t, found[0].Disabled)
	found, err = Registered("claude", Options{Root: root, User: true})
	require.NoError(t, err)
	require.Empty(t, found, "a user without a folder has no settings")
}

func TestVariablesAreFound(t *testing.T) {
	t.Parallel()
	const name = "AMPLIFIER_BYPASS_BOUNDARY"
	root, home := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		filepath.Join(root, ".claude/settings.json"):       `{"env": {"OTHER": "true", "` + name + `": "true"}}`,
		filepath.Join(root, ".claude/settings.local.json"): "{\"env\": {\"" + name + "\": true}} // mine",
		filepath.Join(home, ".claude/settings.json"):       `{"env": {"` + name + `": "ye\u0073"}}`,
		filepath.Join(root, ".claude/hooks.json"):          `{"env": {"` + name + `": "true"}}`, // which it does not read
		filepath.Join(root, ".qwen/settings.json"):         `{"env": "` + name + `"}`,
		filepath.Join(root, ".gemini/settings.json"):       `{"env": `,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	project := filepath.Join(root, ".claude/settings.json")
	own := filepath.Join(root, ".claude/settings.local.json")
	users := filepath.Join(home, ".claude/settings.json")
	require.Equal(t, []Variable{{project, "true"}, {own, "true"}, {users, "yes"}}, Variables("claude", name, Options{Root: root, Home: home}))
	require.Equal(t, []Variable{{project, "true"}, {own, "true"}}, Variables("claude", name, Options{Root: root}))
	require.Equal(t, []Variable{{users, "yes"}}, Variables("claude", name, Options{Root: home, Home: home}), "one file is read once")
	for _, client := range []string{"qwen", "gemini", "opencode", "vscode"} {
		require.Empty(t, Variables(client, name, Options{Root: root, Home: home}), client)
	}
}
