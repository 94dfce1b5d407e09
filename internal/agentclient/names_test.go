package agentclient_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// mayNameAClient are the files of the program outside of this package that name a client, each with its reason.
var mayNameAClient = map[string]string{
	"cmd/bench/guard/journal.go":                      "a journal is measured with the calls of one client",
	"cmd/bench/hook.go":                               "the hook is measured with the calls of one client",
	"cmd/orchestrator/boundarycmd/boundaryinstall.go": "the example in the command's help",
	"internal/boundary/boundarytest/boundarytest.go":  "decisions for tests are those of one client",
	"internal/conductor/usage/clients.go":             "what each client reports of tokens and money, which no hook sees",
	"internal/conductor/usage/said.go":                "what each client prints of a model's last words",
	"internal/conductor/usage/usage.go":               "the list of those reports",
	"internal/rules/boundary/policy.go":               "the default policy, which is a document that a project edits",
}

// names finds a client's name in any word. A cursor also is a place in a list, so that Cursor is found by how its name,
// its settings and what it sends are written.
func names(client string) *regexp.Regexp {
	if client == "cursor" {
		return regexp.MustCompile(`"cursor"|\.cursor/|cursor_version|CURSOR_|\bCursor('s)? (runs|calls|takes|wants|does|shows)`)
	}
	return regexp.MustCompile("(?i)" + client)
}

// What is known of a client stands in its file: nothing else in the program names one. The program that runs the
// clients is no part of the product.
func TestNothingElseNamesAClient(t *testing.T) {
	const root = "../.."
	found := map[string]bool{}
	for _, folder := range []string{"api", "cmd", "internal", "schemas"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			file, err := filepath.Rel(root, path)
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") ||
				slices.Contains([]string{"internal/agentclient", "cmd/checkclients/client"}, filepath.Dir(file)) {
				return err
			}
			source, err := os.ReadFile(path)
			for _, client := range agentclient.Names() {
				if named := names(client).Find(source); named != nil {
					found[file] = true
					require.Contains(t, mayNameAClient, file, "it names %s: %q", client, named)
				}
			}
			return err
		}))
	}
	for file := range mayNameAClient {
		require.True(t, found[file], "%s names no client: take it off the list", file)
	}
}

// What no session may change, of all clients.
func TestSettingsOfEveryClientAreGuarded(t *testing.T) {
	guarded := agentclient.GuardedInProject()
	require.ElementsMatch(t, []string{
		".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".codex/hooks.json",
		".mcp.json", ".cursor/mcp.json", ".github/mcp.json",
		".qwen/settings.json", ".gemini/settings.json", ".cursor/hooks.json", ".github/hooks/**",
		".github/copilot/settings.json", ".github/copilot/settings.local.json",
		".opencode/plugin/**", ".opencode/plugins/**", ".opencode/opencode.json", ".opencode/opencode.jsonc",
		"opencode.json", "opencode.jsonc",
	}, guarded.Paths)
	require.ElementsMatch(t, []string{
		".claude/settings", ".codex/config", ".codex/hooks", ".qwen/settings", ".gemini/settings", ".cursor/hooks",
		".copilot/hooks", ".github/copilot/settings", ".opencode/plugin", ".config/opencode/plugin",
		".mcp.json", ".claude.json", ".cursor/mcp", ".copilot/mcp-config", ".github/mcp.json",
	}, guarded.Mentions)
	require.ElementsMatch(t, []string{
		".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".codex/hooks.json",
		".qwen/settings.json", ".gemini/settings.json", ".cursor/hooks.json", ".copilot/hooks/**",
		".copilot/config.json", ".copilot/settings.json",
		".claude.json", ".cursor/mcp.json", ".copilot/mcp-config.json",
		".opencode/plugin/**", ".opencode/plugins/**", ".opencode/opencode.json", ".opencode/opencode.jsonc",
		".config/opencode/plugin/**", ".config/opencode/plugins/**", ".config/opencode/config.json",
		".config/opencode/opencode.json", ".config/opencode/opencode.jsonc",
	}, agentclient.PersonalFiles())
}

// Whatever file of a client has a hook, a switch of hooks or a list of MCP servers in it is guarded, where it lies.
// Verifies: ORC-318
func TestWhatSwitchesTheHookOffIsGuarded(t *testing.T) {
	project, personal := agentclient.GuardedInProject().Paths, agentclient.PersonalFiles()
	held := func(c *agentclient.Client, file string, home bool) {
		patterns := project
		if home {
			patterns = personal
		}
		if file != "" {
			require.True(t, boundary.Target{Path: file}.Within(patterns), "%s: %s (home: %t)", c.Name, file, home)
		}
	}
	for _, c := range agentclient.All() {
		held(c, c.Wiring.File, false)
		held(c, c.Wiring.User, true)
		held(c, c.Wiring.Trusts, true)
		held(c, c.Servers.File, false)
		held(c, c.Servers.User, true)
		for _, toggle := range c.Wiring.Toggles {
			held(c, toggle.File, toggle.Home)
		}
		for _, other := range c.Wiring.OtherFiles {
			if !other.Unread {
				held(c, other.File, other.Home)
			}
		}
	}
}
