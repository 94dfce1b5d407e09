package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/fault"
)

// serverFiles are where each client reads MCP servers: of the project, and of the user.
var serverFiles = map[string][2]string{
	"claude": {".mcp.json", ".claude.json"}, "codex": {".codex/config.toml", ".codex/config.toml"},
	"qwen":   {".qwen/settings.json", ".qwen/settings.json"},
	"gemini": {".gemini/settings.json", ".gemini/settings.json"}, "cursor": {".cursor/mcp.json", ".cursor/mcp.json"},
	"copilot":  {".github/mcp.json", ".copilot/mcp-config.json"},
	"opencode": {"opencode.json", ".config/opencode/opencode.json"},
}

// serverEntries are what an otherwise empty file has after an installation.
var serverEntries = map[string]string{
	"claude": `{
  "mcpServers": {
    "orchestrator": {
      "type": "stdio",
      "command": "/opt/bin/orchestrator",
      "args": [
        "mcp",
        "--data",
        "/a b/.orchestrator"
      ]
    }
  }
}
`,
	"codex": `[mcp_servers.orchestrator]
command = "/opt/bin/orchestrator"
args = ["mcp", "--data", "/a b/.orchestrator"]
`,
	"qwen": `{
  "mcpServers": {
    "orchestrator": {
      "command": "/opt/bin/orchestrator",
      "args": [
        "mcp",
        "--data",
        "/a b/.orchestrator"
      ]
    }
  }
}
`,
	"copilot": `{
  "mcpServers": {
    "orchestrator": {
      "type": "local",
      "command": "/opt/bin/orchestrator",
      "args": [
        "mcp",
        "--data",
        "/a b/.orchestrator"
      ],
      "tools": [
        "*"
      ]
    }
  }
}
`,
	"opencode": `{
  "mcp": {
    "orchestrator": {
      "type": "local",
      "command": [
        "/opt/bin/orchestrator",
        "mcp",
        "--data",
        "/a b/.orchestrator"
      ],
      "enabled": true
    }
  }
}
`,
}

func init() {
	serverEntries["gemini"], serverEntries["cursor"] = serverEntries["qwen"], serverEntries["claude"]
}

// door is what is registered in the tests.
func door(root string) settings.ServerOptions {
	return settings.ServerOptions{Root: root, Home: filepath.Join(root, "home"), Program: "/opt/bin/orchestrator",
		Args: []string{"mcp", "--data", "/a b/.orchestrator"}}
}

// jsonBefore are contents of a JSON file before an installation; TABLE stands for the client's table of servers.
var jsonBefore = []string{
	"", "\n", "{}", "{}\n", "{ }", "{\n}\n", "// mine\n{}\n", "{\"TABLE\":{}}", "{\n  \"TABLE\": {\n  }\n}\n",
	"{\"a\":1}", "{\"a\": 1}\n", "{\n\t\"a\": [1, 2],\n\t\"b\": {\"c\": null}\n}\n", "{\r\n  \"a\": 1\r\n}\r\n",
	"{\n    \"TABLE\": {\n        \"other\": {\n            \"command\": \"x\"\n        }\n    },\n    \"z\": 0\n}",
	"{\"TABLE\":{\"other\":{\"command\":\"x\"}},\"z\":1e400}",
	"{\n  // about a\n  \"a\": 1, // behind a\n  /* b */ \"TABLE\": {\n    \"x\": {}, // x\n  }, // t\n}\n// end",
	"{\"TABLE\": { /* nothing yet */ }}",
}

var tomlBefore = []string{
	"", "\n", "a = 1", "a = 1\n", "a = 1\n\n", "a = 1\r\n", "# only a comment\n", "# only a comment",
	"[mcp_servers]\n", "[mcp_servers.other]\ncommand = \"x\"\n", "[mcp_servers.orchestrators]\ncommand = \"x\"",
	"model = \"m\"\n\n[mcp_servers.other] # mine\ncommand = \"x\"\nargs = [\n  \"[a]\",\n]\n\n\n# about b\n[b]\nc = 1\n",
	"text = \"\"\"\n[mcp_servers.orchestrator]\ncommand = 1\n\"\"\"\n",
}

func beforeOf(client string) (all []string) {
	if client == "codex" {
		return tomlBefore
	}
	for _, text := range jsonBefore {
		table := "mcpServers"
		if client == "opencode" {
			table = "mcp"
		}
		all = append(all, strings.ReplaceAll(text, "TABLE", table))
	}
	return all
}

// Verifies: ORC-315, ORC-316
func TestAServerIsRegisteredAsTheClientWantsIt(t *testing.T) {
	t.Parallel()
	for _, client := range agentclient.Names() {
		for scope, user := range map[int]bool{0: false, 1: true} {
			o := door(t.TempDir())
			o.User = user
			folder := o.Root
			if user {
				folder = o.Home
			}
			file := filepath.Join(folder, serverFiles[client][scope])
			dry := o
			dry.DryRun = true
			would, err := settings.InstallServer(client, dry)
			require.NoError(t, err)
			require.Empty(t, everything(t, o.Root), "a dry run writes nothing")

			first, err := settings.InstallServer(client, o)
			require.NoError(t, err, client)
			require.Equal(t, file, first.File)
			require.True(t, first.Created && first.Changed, client)
			require.Equal(t, would, first)
			require.Equal(t, serverEntries[client], content(t, file), client)
			found, err := settings.FindServer(client, o)
			require.NoError(t, err)
			require.Equal(t, &settings.Server{File: file, User: user, Program: o.Program, Args: o.Args}, found)

			gone, err := settings.UninstallServer(client, o)
			require.NoError(t, err)
			require.True(t, gone.Removed && gone.Changed, client)
			require.Empty(t, everything(t, o.Root), client)
			require.NoDirExists(t, filepath.Join(folder, ".github"))
		}
	}
}

// Whatever stood in the file stands in it again after the removal, byte for byte.
// Verifies: ORC-315, ORC-316
func TestUninstallGivesTheBytesBack(t *testing.T) {
	t.Parallel()
	for _, client := range agentclient.Names() {
		for _, before := range beforeOf(client) {
			o := door(t.TempDir())
			file := filepath.Join(o.Root, serverFiles[client][0])
			write(t, file, before)
			first, err := settings.InstallServer(client, o)
			require.NoError(t, err, "%s %q", client, before)
			require.True(t, first.Changed && !first.Created)
			require.Equal(t, before, content(t, first.Backup))
			after := content(t, file)

			second, err := settings.InstallServer(client, o)
			require.NoError(t, err)
			require.False(t, second.Changed, "%s %q", client, before)
			require.Empty(t, second.Diff)
			require.Equal(t, after, content(t, file))

			moved := o
			moved.Program, moved.Args = "/usr/bin/orchestrator", []string{"mcp", "--server", "https://h"}
			third, err := settings.InstallServer(client, moved)
			require.NoError(t, err)
			require.True(t, third.Changed)
			found, err := settings.FindServer(client, o)
			require.NoError(t, err)
			require.Equal(t, moved.Args, found.Args)
			require.Equal(t, before, content(t, first.Backup), "the copy is that of the first installation")

			gone, err := settings.UninstallServer(client, o)
			require.NoError(t, err, "%s %q", client, before)
			require.True(t, gone.Changed && !gone.Removed)
			require.Equal(t, map[string]string{file: before}, everything(t, o.Root), "%s %q", client, before)
			again, err := settings.UninstallServer(client, o)
			require.NoError(t, err)
			require.False(t, again.Changed)
		}
	}
}

// What somebody changed elsewhere in the file since the installation stays, and our entry alone goes.
// Verifies: ORC-316
func TestUninstallKeepsWhatChangedSince(t *testing.T) {
	t.Parallel()
	json := "{\n  \"a\": 1,\n  \"TABLE\": {\n    \"x\": {}\n  }\n}\n"
	for _, client := range agentclient.Names() {
		before, edit, want := json, [2]string{"\"a\": 1", "\"a\":   2 "}, json
		if client == "codex" {
			before = "a = 1\n\n[mcp_servers.x]\ncommand = \"x\"\n"
			edit, want = [2]string{"a = 1", "a  =  2 # mine"}, before
		}
		table := map[bool]string{true: "mcp", false: "mcpServers"}[client == "opencode"]
		before, want = strings.ReplaceAll(before, "TABLE", table), strings.ReplaceAll(want, "TABLE", table)
		o := door(t.TempDir())
		file := filepath.Join(o.Root, serverFiles[client][0])
		write(t, file, before)
		_, err := settings.InstallServer(client, o)
		require.NoError(t, err)
		write(t, file, strings.Replace(content(t, file), edit[0], edit[1], 1))
		gone, err := settings.UninstallServer(client, o)
		require.NoError(t, err)
		require.False(t, gone.Removed)
		require.Equal(t, map[string]string{file: strings.Replace(want, edit[0], edit[1], 1)}, everything(t, o.Root), client)
	}
}

// A copy that an installation of an earlier time has left is not taken for the original.
// Verifies: ORC-316
func TestACopyOfAnEarlierTimeIsReplaced(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "{\"a\":1}"} {
		o := door(t.TempDir())
		file := filepath.Join(o.Root, ".mcp.json")
		write(t, file+".orchestrator-mcp-backup", "{\"old\": 1}\n")
		want := map[string]string{}
		if before != "" {
			write(t, file, before)
			want[file] = before
		}
		_, err := settings.InstallServer("claude", o)
		require.NoError(t, err)
		_, err = settings.UninstallServer("claude", o)
		require.NoError(t, err)
		require.Equal(t, want, everything(t, o.Root))
	}
}

// A new file in the user's folder is for its owner alone, and one that is there keeps its mode.
func TestTheModeOfTheFile(t *testing.T) {
	t.Parallel()
	mode := func(file string) os.FileMode {
		info, err := os.Stat(file)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	o := door(t.TempDir())
	o.User = true
	first, err := settings.InstallServer("claude", o)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), mode(first.File))
	o.User = false
	first, err = settings.InstallServer("claude", o)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), mode(first.File))
	file := filepath.Join(o.Root, "opencode.json")
	write(t, file, "{}")
	require.NoError(t, os.Chmod(file, 0o640))
	first, err = settings.InstallServer("opencode", o)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), mode(file))
	require.Equal(t, os.FileMode(0o640), mode(first.Backup))
	_, err = settings.UninstallServer("opencode", o)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), mode(file))
}

// A file that was there stays, though it says nothing without our entry.
// Verifies: ORC-316
func TestAFileThatWasThereStays(t *testing.T) {
	t.Parallel()
	o := door(t.TempDir())
	file := filepath.Join(o.Root, ".mcp.json")
	write(t, file, "{}\n")
	_, err := settings.InstallServer("claude", o)
	require.NoError(t, err)
	write(t, file, content(t, file)+"\n")
	gone, err := settings.UninstallServer("claude", o)
	require.NoError(t, err)
	require.False(t, gone.Removed)
	require.JSONEq(t, "{}", content(t, file))
}

// An entry that somebody has laid out anew stays as it is laid out.
// Verifies: ORC-315
func TestTheLayoutOfAnEntryStays(t *testing.T) {
	t.Parallel()
	o := door(t.TempDir())
	file := filepath.Join(o.Root, ".mcp.json")
	laidOut := "{\n  \"mcpServers\": {\n    \"orchestrator\": {\n      \"command\": \"/opt/bin/orchestrator\",\n" +
		"      \"args\": [\"mcp\",  \"--data\", \"/a b/.orchestrator\"],\n      \"timeout\": 5\n    }\n  }\n}\n"
	write(t, file, laidOut)
	change, err := settings.InstallServer("claude", o)
	require.NoError(t, err)
	require.False(t, change.Changed)
	require.Equal(t, laidOut, content(t, file))
	o.Args = []string{"mcp"}
	_, err = settings.InstallServer("claude", o)
	require.NoError(t, err)
	require.Equal(t, strings.Replace(laidOut, "[\"mcp\",  \"--data\", \"/a b/.orchestrator\"]", "[\"mcp\"]", 1),
		content(t, file))
}

// A table that a client or a person has put below ours belongs to it, and what comes after it does not.
func TestWhatBelongsToTheEntryGoesWithIt(t *testing.T) {
	t.Parallel()
	o := door(t.TempDir())
	file := filepath.Join(o.Root, ".codex/config.toml")
	write(t, file, "a = 1\n")
	_, err := settings.InstallServer("codex", o)
	require.NoError(t, err)
	write(t, file, content(t, file)+"startup_timeout_sec = 20\n\n[mcp_servers.orchestrator.tools.change]\n"+
		"approval_mode = \"approve\"\n\n# about b\n[b]\nc = 1\n")
	moved := o
	moved.Args = []string{"mcp"}
	_, err = settings.InstallServer("codex", moved)
	require.NoError(t, err)
	require.Contains(t, content(t, file), "args = [\"mcp\"]\nstartup_timeout_sec = 20\n")
	_, err = settings.UninstallServer("codex", o)
	require.NoError(t, err)
	require.Equal(t, "a = 1\n\n# about b\n[b]\nc = 1\n", content(t, file))
}

// Verifies: ORC-315
func TestAServerThatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	for client, text := range map[string]string{
		"claude":   `{"mcpServers": {"orchestrator": {"command": "npx", "args": ["mcp", "orchestrator"]}}}`,
		"gemini":   `{"mcpServers": {"orchestrator": {"url": "https://example.org/mcp"}}}`,
		"copilot":  `{"mcpServers": {"orchestrator": {"command": "/bin/orchestrator", "args": ["serve"]}}}`,
		"qwen":     `{"mcpServers": {"orchestrator": 1}}`,
		"opencode": `{"mcp": {"orchestrator": {"type": "local", "command": ["other", "mcp"]}}}`,
		"codex":    "[mcp_servers]\norchestrator = {command = \"other\", args = [\"mcp\"]}\n",
	} {
		o := door(t.TempDir())
		file := filepath.Join(o.Root, serverFiles[client][0])
		write(t, file, text)
		for _, change := range []func(string, settings.ServerOptions) (settings.ServerChange, error){
			settings.InstallServer, settings.UninstallServer,
		} {
			_, err := change(client, o)
			require.ErrorContains(t, err, "has an MCP server named orchestrator that is not ours", client)
			require.Contains(t, fault.As(err).Fix, "give that server another name")
		}
		found, err := settings.FindServer(client, o)
		require.NoError(t, err)
		require.Nil(t, found)
		require.Equal(t, map[string]string{file: text}, everything(t, o.Root))
	}
}

// Verifies: ORC-315
func TestFilesThatCannotBeEditedAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ client, text, says, fix string }{
		"no JSON":         {"claude", "{", "is no JSON", "mend the file"},
		"an array":        {"claude", "[]", "is no JSON", "mend the file"},
		"twice":           {"gemini", `{"a": 1, "a": 2}`, "is no JSON", "mend the file"},
		"no table":        {"qwen", `{"mcpServers": []}`, "in a way that this program does not edit", "add by hand:\n{"},
		"no TOML":         {"codex", "a = ", "is no TOML", "mend the file"},
		"an inline table": {"codex", "mcp_servers = {}\n", "does not edit", "add by hand:\n[mcp_servers.orchestrator]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := door(t.TempDir())
			file := filepath.Join(o.Root, serverFiles[c.client][0])
			write(t, file, c.text)
			_, err := settings.InstallServer(c.client, o)
			require.ErrorContains(t, err, c.says)
			require.Contains(t, fault.As(err).Fix, c.fix)
			require.Equal(t, map[string]string{file: c.text}, everything(t, o.Root))
		})
	}
	o := door(t.TempDir())
	require.NoError(t, os.Mkdir(filepath.Join(o.Root, ".mcp.json"), 0o755))
	_, err := settings.InstallServer("claude", o)
	require.ErrorContains(t, err, "cannot be read")
	o.User, o.Home = true, ""
	_, err = settings.InstallServer("claude", o)
	require.ErrorContains(t, err, "has no folder for the settings")
}

// Our own entry in a form that cannot be taken out line by line is left to the person.
func TestAnEntryInAnotherFormIsLeftToThePerson(t *testing.T) {
	t.Parallel()
	o := door(t.TempDir())
	file, text := filepath.Join(o.Root, ".codex/config.toml"), "[mcp_servers]\n"+
		"orchestrator = {command = \"/opt/bin/orchestrator\", args = [\"mcp\"]}\n"
	write(t, file, text)
	_, err := settings.UninstallServer("codex", o)
	require.ErrorContains(t, err, "does not edit")
	require.Contains(t, fault.As(err).Fix, "remove the server orchestrator from mcp_servers by hand")
	_, err = settings.InstallServer("codex", o)
	require.ErrorContains(t, err, "does not edit")
	require.Equal(t, map[string]string{file: text}, everything(t, o.Root))
}

// Verifies: ORC-315
func TestALinkInThePlaceOfTheServersIsRefused(t *testing.T) {
	t.Parallel()
	o := door(t.TempDir())
	file, target := filepath.Join(o.Root, ".mcp.json"), filepath.Join(o.Root, "real.json")
	write(t, target, "{}\n")
	require.NoError(t, os.Symlink(target, file))
	_, err := settings.InstallServer("claude", o)
	require.ErrorContains(t, err, "is a symbolic link")
	require.Equal(t, "{}\n", content(t, target))
	o.FollowLink = true
	change, err := settings.InstallServer("claude", o)
	require.NoError(t, err)
	require.Equal(t, target, change.File)
	require.Contains(t, content(t, target), "mcpServers")
	_, err = settings.UninstallServer("claude", o)
	require.NoError(t, err)
	require.Equal(t, "{}\n", content(t, target))
	require.FileExists(t, file)
}

// The hook and the server share a file: whichever goes first, the other stays, and nothing is left at the end.
// Verifies: ORC-316
func TestTheHookAndTheServerShareAFile(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"gemini", "qwen"} {
		for _, before := range []string{"", "{}\n", "{\n  \"a\": 1\n}\n", "{\"a\":1}"} {
			for order := range 4 {
				o := door(t.TempDir())
				hook := settings.Options{Root: o.Root, Command: "/opt/bin/orchestrator-hook " + client}
				file := filepath.Join(o.Root, files[client])
				if before != "" {
					write(t, file, before)
				}
				steps := []func() error{
					func() error { _, err := settings.Install(client, hook); return err },
					func() error { _, err := settings.InstallServer(client, o); return err },
					func() error { _, err := settings.Uninstall(client, hook); return err },
					func() error { _, err := settings.UninstallServer(client, o); return err },
				}
				for _, at := range [][]int{{0, 1, 3, 2}, {1, 0, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}}[order] {
					require.NoError(t, steps[at]())
				}
				want := map[string]string{}
				if before != "" {
					want[file] = before
				}
				require.Equal(t, want, everything(t, o.Root), "%s, order %d, before %q", client, order, before)
				if before == "" {
					require.NoDirExists(t, filepath.Dir(file), "%s, order %d", client, order)
				}
			}
		}
	}
}

// A dry run shows what would change as a difference that patch reads.
// Verifies: ORC-317
func TestADryRunShowsTheDifference(t *testing.T) {
	t.Parallel()
	o := door(t.TempDir())
	o.DryRun = true
	file := filepath.Join(o.Root, ".codex/config.toml")
	write(t, file, "a = 1\nb = 2\nc = 3\nd = 4")
	would, err := settings.InstallServer("codex", o)
	require.NoError(t, err)
	require.Equal(t, "--- "+file+"\n+++ "+file+"\n@@ -1,4 +1,8 @@\n a = 1\n b = 2\n c = 3\n-d = 4\n"+
		"\\ No newline at end of file\n+d = 4\n+\n+[mcp_servers.orchestrator]\n+command = \"/opt/bin/orchestrator\"\n"+
		"+args = [\"mcp\", \"--data\", \"/a b/.orchestrator\"]\n", would.Diff)
	require.Equal(t, map[string]string{file: "a = 1\nb = 2\nc = 3\nd = 4"}, everything(t, o.Root))

	o.DryRun = false
	other := door(t.TempDir())
	_, err = settings.InstallServer("claude", other)
	require.NoError(t, err)
	other.DryRun = true
	would, err = settings.UninstallServer("claude", other)
	require.NoError(t, err)
	require.True(t, would.Removed)
	require.Regexp(t, `^--- .*/\.mcp\.json\n\+\+\+ /dev/null\n@@ -1,13 \+0,0 @@\n-\{\n`, would.Diff)
	require.FileExists(t, filepath.Join(other.Root, ".mcp.json"))
}
