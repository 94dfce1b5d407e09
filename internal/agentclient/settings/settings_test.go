package settings_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tailscale/hujson"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/fault"
)

var update = flag.Bool("update", false, "rewrite testdata/*/*.after")

var files = map[string]string{
	"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "qwen": ".qwen/settings.json", "gemini": ".gemini/settings.json",
	"cursor": ".cursor/hooks.json", "copilot": ".github/hooks/orchestrator.json", "opencode": ".opencode/plugin/orchestrator-boundary.js",
}

const latest = "2.1.330 (Claude Code)"

// project is a folder with the settings file of a client; nil is no file.
func project(t *testing.T, client string, text []byte) (settings.Options, string) {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, files[client])
	if text != nil {
		write(t, file, string(text))
	}
	return settings.Options{Root: root, Command: "/opt/bin/orchestrator-hook " + client, ClientVersion: latest,
		FailClosed: true}, file
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// everything lists the files below a folder with what is in them.
func everything(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			found[path] = content(t, path)
		}
		return err
	}))
	return found
}

// Each CLIENT/CASE.before becomes CASE.after by an installation, stays so by a second one, and is itself again, byte
// for byte, after the removal.
// Verifies: ORC-208, ORC-109
func TestInstallAndUninstall(t *testing.T) {
	cases, err := filepath.Glob("testdata/*/*.before")
	require.NoError(t, err)
	for _, client := range agentclient.Names() {
		if client != "opencode" {
			cases = append(cases, "testdata/"+client+"/no_file.before")
		}
	}
	require.Greater(t, len(cases), 15)
	for _, before := range cases {
		client := filepath.Base(filepath.Dir(before))
		t.Run(strings.TrimSuffix(strings.TrimPrefix(before, "testdata/"), ".before"), func(t *testing.T) {
			original, err := os.ReadFile(before)
			if err != nil {
				original = nil
			}
			o, file := project(t, client, original)

			first, err := settings.Install(client, o)
			require.NoError(t, err)
			require.Equal(t, file, first.File)
			require.True(t, first.Changed)
			require.Equal(t, original == nil, first.Created)
			after := content(t, file)
			golden := strings.TrimSuffix(before, ".before") + ".after"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(after), 0o600))
			}
			require.Equal(t, content(t, golden), after)
			keepsEverythingElse(t, original, []byte(after))
			if original != nil {
				require.Equal(t, string(original), content(t, first.Backup))
			}

			second, err := settings.Install(client, o)
			require.NoError(t, err)
			require.False(t, second.Changed)
			require.Equal(t, after, content(t, file))

			removal, err := settings.Uninstall(client, o)
			require.NoError(t, err)
			require.True(t, removal.Changed)
			if original == nil {
				require.True(t, removal.Removed)
				require.Empty(t, everything(t, o.Root))
				require.NoDirExists(t, filepath.Dir(file), "an empty folder is left behind")
				return
			}
			require.Equal(t, map[string]string{file: string(original)}, everything(t, o.Root))
			again, err := settings.Uninstall(client, o)
			require.NoError(t, err)
			require.False(t, again.Changed)
			require.Equal(t, string(original), content(t, file))
		})
	}
}

// keepsEverythingElse holds that every line of the original is there still, in order, apart from a comma at its end.
func keepsEverythingElse(t *testing.T, original, after []byte) {
	t.Helper()
	var said any
	plain, err := hujson.Standardize(append(bytes.Clone(after), '\n'))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(plain, &said))
	rest := string(after)
	for line := range strings.Lines(string(original)) {
		line = strings.Trim(line, ",{}[] \t\r\n")
		at := strings.Index(rest, line)
		require.GreaterOrEqual(t, at, 0, "the line %q is gone", line)
		rest = rest[at+len(line):]
	}
}

// What was changed between installation and removal stays.
func TestUninstallKeepsLaterChanges(t *testing.T) {
	o, file := project(t, "claude", []byte("{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"))
	_, err := settings.Install("claude", o)
	require.NoError(t, err)
	write(t, file, strings.Replace(content(t, file), `"opus"`, `"sonnet"`, 1))
	change, err := settings.Uninstall("claude", o)
	require.NoError(t, err)
	require.FileExists(t, change.Backup)
	require.Equal(t, "{\n  \"model\": \"sonnet\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n", content(t, file))
}

// An entry of ours that is different is replaced, also one in a group with others and one of another event.
func TestInstallReplacesOldEntries(t *testing.T) {
	old := `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [
          {"type": "command", "command": "/old/orchestrator-hook claude"},
          {"type": "command", "command": "mine"},
          {"type": "command", "command": "/old/orchestrator hook claude"}
        ]
      },
      {"hooks": [{"type": "command", "command": "A=1 \"/a b/orchestrator-hook\" claude"}]}
    ],
    "SubagentStart": [
      {"hooks": [{"type": "command", "command": "/old/orchestrator-hook", "args": ["claude"]}]}
    ]
  }
}
`
	o, file := project(t, "claude", []byte(old))
	before, err := settings.Registered("claude", o)
	require.NoError(t, err)
	require.Len(t, before, 4)
	_, err = settings.Install("claude", o)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(content(t, file), "orchestrator"))
	require.Contains(t, content(t, file), `"command": "mine"`)
	after, err := settings.Registered("claude", o)
	require.NoError(t, err)
	require.Equal(t, []settings.Registration{
		{File: file, Event: "PreToolUse", Matcher: "*", Command: o.Command, Timeout: 5 * time.Second, FailsClosed: true},
		{File: file, Event: "PostToolUse", Matcher: "*", Command: o.Command, Timeout: 5 * time.Second},
		{File: file, Event: "PostToolUseFailure", Matcher: "*", Command: o.Command, Timeout: 5 * time.Second},
	}, after)
}

// One too many of ours is taken out, though all that are wanted are there.
func TestInstallRemovesWhatIsTooMuch(t *testing.T) {
	o, file := project(t, "claude", nil)
	_, err := settings.Install("claude", o)
	require.NoError(t, err)
	clean := content(t, file)
	write(t, file, strings.Replace(clean, `"PostToolUse": [`, `"Stop": [{"hooks": [{"type": "command", "command": "orchestrator hook claude"}]}], "PostToolUse": [`, 1))
	change, err := settings.Install("claude", o)
	require.NoError(t, err)
	require.True(t, change.Changed)
	require.NotContains(t, content(t, file), "Stop")
	found, err := settings.Registered("claude", o)
	require.NoError(t, err)
	require.Len(t, found, 3)
}

// A file that was made by an installation is gone after the removal, however often it was installed.
func TestReinstalledFileIsRemoved(t *testing.T) {
	for _, client := range agentclient.Names() {
		o, _ := project(t, client, nil)
		_, err := settings.Install(client, o)
		require.NoError(t, err)
		o.Command = "/other/orchestrator hook " + client
		change, err := settings.Install(client, o)
		require.NoError(t, err)
		require.True(t, change.Changed)
		require.Empty(t, change.Backup)
		_, err = settings.Uninstall(client, o)
		require.NoError(t, err)
		require.Empty(t, everything(t, o.Root), client)
	}
}

func TestOldVersionsLeaveOutWhatTheyDoNotKnow(t *testing.T) {
	for _, c := range []struct {
		version       string
		closed, older bool
	}{
		{"", false, false},
		{"garbage", false, true},
		{"1.9.999", false, true},
		{"2.1.68", false, true},
		{"2.1.69", false, false},
		{"2.1.294", false, false},
		{"2.1.295", true, false},
		{"v2.1.295", true, false},
		{"2.1.300-beta.1", true, false},
		{"2.2.0 (Claude Code)", true, false},
		{"10.0.0", true, false},
	} {
		t.Run(c.version, func(t *testing.T) {
			o, file := project(t, "claude", nil)
			o.ClientVersion = c.version
			change, err := settings.Install("claude", o)
			require.NoError(t, err)
			require.Equal(t, c.closed, strings.Contains(content(t, file), `"onFailure": "block"`))
			said := strings.Join(change.Said, "\n")
			require.Equal(t, !c.closed, strings.Contains(said, "lets the call through"))
			require.Equal(t, c.older, strings.Contains(said, "older than 2.1.69"))
		})
	}
}

// What cannot be edited without losing something is refused, and not a byte of it changes.
func TestRefusedFiles(t *testing.T) {
	for name, text := range map[string]string{
		"open comment":          "{ /* a }",
		"two commas":            "{\"model\": \"opus\",,}",
		"twice, with a comment": "{\"a\":1, // b\n\"a\":2}",
		"brackets":              strings.Repeat("[", 200_000),
		"array":                 "[]",
		"text":                  "\"x\"",
		"no JSON":               "model = opus",
		"cut short":             "{\"model\":",
		"twice":                 "{\"a\":1,\"a\":2}",
		"two values":            "{} {}",
		"hooks array":           "{\"hooks\":[]}",
		"hooks null":            "{\"hooks\":null}",
		"event object":          "{\"hooks\":{\"PreToolUse\":{}}}",
		"binary":                "{\"a\":\"\xff\xfe\"}",
	} {
		t.Run(name, func(t *testing.T) {
			o, file := project(t, "claude", []byte(text))
			_, err := settings.Install("claude", o)
			require.ErrorIs(t, err, fault.Invalid)
			require.Equal(t, map[string]string{file: text}, everything(t, o.Root))
			if name == "hooks array" {
				require.ErrorContains(t, err, "/opt/bin/orchestrator-hook claude", "it says what to add by hand")
			}
		})
	}
}

// A file with comments that has the entries, added by hand, is read, and left as it is. Comments outlive the entries.
func TestCommentsAreReadOver(t *testing.T) {
	o, file := project(t, "claude", nil)
	_, err := settings.Install("claude", o)
	require.NoError(t, err)
	text := "// mine, \"not\" a, string\n" + strings.Replace(content(t, file), "{\n", "{ /* , */\n", 1)
	text = strings.TrimSuffix(text, "\n}\n") + ", // last\n}\n"
	write(t, file, text)
	change, err := settings.Install("claude", o)
	require.NoError(t, err)
	require.False(t, change.Changed)
	found, err := settings.Registered("claude", o)
	require.NoError(t, err)
	require.Len(t, found, 3)
	change, err = settings.Uninstall("claude", o)
	require.NoError(t, err)
	require.False(t, change.Removed)
	require.Equal(t, "// mine, \"not\" a, string\n{ /* , */\n   // last\n}\n", content(t, file))
}

// A link in the project may have been put there by anybody: it is refused, and followed only when that is asked for.
func TestALinkIsRefusedUnlessItIsToBeFollowed(t *testing.T) {
	for _, client := range []string{"claude", "opencode"} {
		for _, where := range []string{"file", "folder", "dangling"} {
			o, file := project(t, client, nil)
			if client == "opencode" {
				file = filepath.Join(o.Root, ".opencode/plugin/orchestrator-boundary.js")
			}
			shared := filepath.Join(t.TempDir(), "shared")
			target := filepath.Join(shared, filepath.Base(file))
			before := ""
			require.NoError(t, os.MkdirAll(shared, 0o755))
			if client == "claude" && where != "dangling" {
				before = "{\"model\": \"opus\"}\n"
				write(t, target, before)
				require.NoError(t, os.Chmod(target, 0o600))
			}
			from, to := file, target
			if where == "folder" {
				from, to = filepath.Dir(file), shared
			}
			require.NoError(t, os.MkdirAll(filepath.Dir(from), 0o755))
			require.NoError(t, os.Symlink(to, from))

			_, err := settings.Install(client, o)
			require.ErrorContains(t, err, from+" is a symbolic link to "+to, "%s %s", client, where)
			_, err = settings.Uninstall(client, o)
			require.ErrorContains(t, err, from+" is a symbolic link to "+to)
			if before != "" {
				require.Equal(t, before, content(t, target))
			}

			o.FollowLink = true
			change, err := settings.Install(client, o)
			require.NoError(t, err)
			require.Equal(t, target, change.File, "the file that was changed is named")
			require.Contains(t, content(t, target), "orchestrator-hook")
			info, err := os.Lstat(from)
			require.NoError(t, err)
			require.NotZero(t, info.Mode()&fs.ModeSymlink)
			_, err = settings.Uninstall(client, o)
			require.NoError(t, err)
			if before != "" {
				require.Equal(t, before, content(t, target))
				info, err = os.Stat(target)
				require.NoError(t, err)
				require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
			} else {
				require.NoFileExists(t, target)
			}
		}
	}
	o, file := project(t, "claude", nil)
	o.FollowLink = true
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.Symlink(filepath.Base(file), file))
	_, err := settings.Install("claude", o)
	require.ErrorContains(t, err, "leads nowhere")
}

func TestOnlyTheGuardIsRegistered(t *testing.T) {
	for _, command := range []string{"", " ", "rm -rf /", "orchestrator serve", "/x/my-orchestrator-hook a", "echo orchestrator-hook"} {
		o, _ := project(t, "claude", nil)
		o.Command = command
		_, err := settings.Install("claude", o)
		require.ErrorIs(t, err, fault.Invalid, command)
		require.Empty(t, everything(t, o.Root))
	}
}

func TestEveryClientCanBeInstalled(t *testing.T) {
	require.Len(t, agentclient.Names(), len(files))
	for _, client := range agentclient.Names() {
		o, file := project(t, client, nil)
		found, err := settings.Registered(client, o)
		require.NoError(t, err)
		require.Empty(t, found)
		change, err := settings.Uninstall(client, o)
		require.NoError(t, err)
		require.False(t, change.Changed)
		_, err = settings.Install(client, o)
		require.NoError(t, err)
		found, err = settings.Registered(client, o)
		require.NoError(t, err)
		require.NotEmpty(t, found)
		for _, r := range found {
			require.Equal(t, o.Command, r.Command)
			require.Equal(t, file, r.File)
			require.Equal(t, 5*time.Second, r.Timeout)
		}
	}
	for _, client := range []string{"", "vim"} {
		_, err := settings.Install(client, settings.Options{Root: t.TempDir(), Command: "orchestrator-hook vim"})
		require.ErrorIs(t, err, fault.NotFound)
		_, err = settings.Uninstall(client, settings.Options{})
		require.ErrorIs(t, err, fault.NotFound)
		_, err = settings.Registered(client, settings.Options{})
		require.ErrorIs(t, err, fault.NotFound)
	}
}
