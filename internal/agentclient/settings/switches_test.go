package settings_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient/settings"
)

func TestSwitchesAreFound(t *testing.T) {
	for _, c := range []struct{ client, file, text, says string }{
		{"claude", ".claude/settings.local.json", `{"disableAllHooks": true}`, "disableAllHooks is true"},
		{"claude", "HOME/.claude/settings.json", `{"disableAllHooks": true}`, "disableAllHooks is true"},
		{"claude", ".claude/settings.local.json", `{"disableAllHooks": `, "cannot be read"},
		{"qwen", "HOME/.qwen/settings.json", `{"disableAllHooks": true}`, "disableAllHooks is true"},
		{"gemini", "HOME/.gemini/settings.json", `{"hooksConfig": {"enabled": false}}`, "hooksConfig.enabled is false"},
		{"copilot", ".github/copilot/settings.json", `{"disableAllHooks": true}`, "disableAllHooks is true"},
		{"codex", ".codex/config.toml", "model = \"x\"\n[features] # all\nhooks = false # off\n", "features.hooks is false"},
		{"codex", "HOME/.codex/config.toml", "features.codex_hooks = false\n", "features.codex_hooks is false"},
		{"claude", ".claude/settings.local.json", `{"disableAllHooks": false}`, ""},
		{"codex", ".codex/config.toml", "[other]\nhooks = false\n[features]\nhooks = true\n", ""},
	} {
		t.Run(c.client+"/"+c.file, func(t *testing.T) {
			o, _ := project(t, c.client, nil)
			o.Home = t.TempDir()
			folder := o.Root
			if rest, home := strings.CutPrefix(c.file, "HOME/"); home {
				folder, c.file = o.Home, rest
			}
			write(t, filepath.Join(folder, c.file), c.text)
			change, err := settings.Install(c.client, o)
			require.NoError(t, err)
			found, err := settings.Registered(c.client, o)
			require.NoError(t, err)
			require.NotEmpty(t, found)
			if c.says == "" {
				require.Empty(t, found[0].Disabled)
				return
			}
			require.Len(t, found[0].Disabled, 1)
			require.Contains(t, found[0].Disabled[0], c.says)
			require.Contains(t, change.Said, found[0].Disabled[0])
		})
	}
}

// A switch in the file itself, and a hook that is on the list of those that are off.
func TestSwitchesInTheSameFile(t *testing.T) {
	for client, text := range map[string]string{
		"claude":  `{"disableAllHooks": true}`,
		"qwen":    `{"hooks": {"enabled": false}}`,
		"gemini":  `{"hooksConfig": {"disabled": ["orchestrator-boundary"]}}`,
		"copilot": `{"version": 1, "disableAllHooks": true}`,
	} {
		o, _ := project(t, client, []byte(text))
		_, err := settings.Install(client, o)
		require.NoError(t, err)
		found, err := settings.Registered(client, o)
		require.NoError(t, err)
		require.Len(t, found[0].Disabled, 1, client)
	}
}

func TestUnitsOfTime(t *testing.T) {
	for _, c := range []struct{ client, text string }{
		{"qwen", `{"hooks":{"PreToolUse":[{"hooks":[{"command":"orchestrator-hook qwen","timeout":5}]}]}}`},
		{"qwen", `{"hooks":{"PreToolUse":[{"hooks":[{"command":"orchestrator-hook qwen","timeout":5000}]}]}}`},
		{"gemini", `{"hooks":{"BeforeTool":[{"hooks":[{"command":"orchestrator-hook gemini","timeout":5000}]}]}}`},
		{"copilot", `{"hooks":{"preToolUse":[{"powershell":"orchestrator-hook.exe copilot","timeoutSec":5}]}}`},
	} {
		o, _ := project(t, c.client, []byte(c.text))
		found, err := settings.Registered(c.client, o)
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, 5*time.Second, found[0].Timeout)
	}
}
