package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient/settings"
)

// The keys and hashes are those that Codex 0.169.0 lists for this file.
// Verifies: ORC-210
func TestTrustIsThatOfTheClient(t *testing.T) {
	const file = `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"orchestrator-hook codex","timeout":5}]}],
		"PostToolUse":[{"hooks":[{"type":"command","command":"mine"},{"type":"command","command":"orchestrator-hook \"it's é\\\" <&>\u0007"}]}]}}`
	o, path := project(t, "codex", []byte(file))
	o.Home = t.TempDir()
	hooks, trusts, err := settings.Trusted("codex", o)
	require.NoError(t, err)
	require.False(t, trusts, "nobody trusted the project")
	require.Equal(t, []settings.Trust{
		{Event: "PreToolUse", Key: path + ":pre_tool_use:0:0", Hash: "sha256:f8ba92f857efe76875fc37e4188d58c2c83f116bf83436f2bb6cd914d09ccf04"},
		{Event: "PostToolUse", Key: path + ":post_tool_use:0:1", Hash: "sha256:315f1d57cb1c642f6aa72682127b7d6bfde915e4bc4c8764e929778dfa69d1e5"},
	}, hooks)

	config := filepath.Join(o.Home, ".codex/config.toml")
	write(t, config, fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n[hooks.state.%q]\ntrusted_hash = %q\n[hooks.state.'%s']\nenabled = false\n"+
		"trusted_hash = \"sha256:older\"\n", o.Root, hooks[0].Key, hooks[0].Hash, hooks[1].Key))
	hooks, trusts, err = settings.Trusted("codex", o)
	require.NoError(t, err)
	require.True(t, trusts)
	require.True(t, hooks[0].Trusted && !hooks[0].Off)
	require.True(t, !hooks[1].Trusted && hooks[1].Off)

	write(t, config, "[projects\n")
	_, _, err = settings.Trusted("codex", o)
	require.Error(t, err)
	require.NoError(t, os.Remove(path))
	hooks, _, err = settings.Trusted("codex", o)
	require.NoError(t, err)
	require.Empty(t, hooks)
	hooks, trusts, err = settings.Trusted("claude", o)
	require.NoError(t, err)
	require.True(t, trusts)
	require.Empty(t, hooks)
}
