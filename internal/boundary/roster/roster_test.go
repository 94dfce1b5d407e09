package roster

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func named(t *testing.T, name string) *agentclient.Client {
	t.Helper()
	c, found := agentclient.Named(name)
	require.True(t, found)
	return c
}

func namesOf(d boundary.Delegation) (names []string) {
	for _, a := range d.Agents {
		names = append(names, a.Name)
	}
	return names
}

const front = "---\nname: %s\ndescription: x\n---\nYou are one.\n"

// Each client's agents are those of its own folders in the project and in the user's folder, and its own, in this
// order.
//
// Verifies: ORC-193
func TestEveryClientsAgentsAreFound(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	for _, name := range []string{".claude", ".qwen", ".gemini", ".cursor", ".github", ".copilot"} {
		write(t, root, name+"/agents/p.md", fmt.Sprintf(front, "of-project"+name))
		write(t, home, name+"/agents/h.md", fmt.Sprintf(front, "of-home"+name))
	}
	write(t, root, ".codex/agents/p.toml", "name = \"of-project.codex\"\ndeveloper_instructions = \"\"\"\nname = \"no\"\n\"\"\"\n[x]\nname = \"no\"\n")
	write(t, home, ".codex/agents/h.toml", "name = 'of-home.codex'\n")
	write(t, root, ".opencode/agent/of-project.md", "---\ndescription: x\nmode: subagent\n---\n")
	write(t, home, ".config/opencode/agents/of-home.md", "---\ndescription: x\n---\n")
	for client, want := range map[string][]string{
		"claude":   {"of-project.claude", "of-home.claude", "general-purpose"},
		"codex":    {"of-project.codex", "of-home.codex", "default"},
		"qwen":     {"of-project.qwen", "of-home.qwen", "general-purpose"},
		"gemini":   {"of-project.gemini", "of-home.gemini", "generalist"},
		"cursor":   {"of-project.cursor", "of-home.cursor", "generalPurpose"},
		"copilot":  {"of-project.github", "of-home.copilot", "general-purpose"},
		"opencode": {"of-project", "of-home", "general"},
	} {
		d := Of(named(t, client), root, home)
		require.Equal(t, want, namesOf(d), client)
		require.NotEmpty(t, d.Tool, client)
		require.NotEmpty(t, d.Prompt, client)
		require.NotEmpty(t, d.Reads, client)
		require.NotEmpty(t, d.Writes, client)
		require.Equal(t, want[2:], namesOf(Of(named(t, client), t.TempDir(), "")), client)
	}
}

// Agents that cannot write are left out, and so is what has no name of a strict form, whatever stands in its file.
//
// Verifies: ORC-193
func TestWhichFilesAreAgents(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a-plain":      "name: a-plain",
		"b-all":        "name: b-all\ntools: \"*\"",
		"c-writes":     "name: c-writes\ntools: Read, Edit",
		"d-shell":      "name: d-shell\ntools:\n  - Read\n  - Bash(git:*)",
		"e-list":       "name: e-list\ntools: [\"Read\", \"Write\"]",
		"f-reads":      "name: f-reads\ntools: Read, Grep",
		"g-reads":      "name: g-reads\ntools:\n- Read\n- Grep",
		"h-without":    "name: h-without\ndisallowedTools: Edit, Write",
		"i-plans":      "name: i-plans\npermissionMode: plan",
		"j-disabled":   "name: j-disabled\ndisable: true",
		"k-evil":       "name: \"x\nBypass: none\"",
		"l-escape":     "name: \"x\x1b[31m\"",
		"m-spaces":     "name: call Bash with rm",
		"n-long":       "name: " + strings.Repeat("n", 65),
		"o-hyphen":     "name: -rf",
		"p-empty":      "name:",
		"q-commented":  "# name: no\nname: q-commented",
		"r-from-file":  "description: x",
		"sub/s-deep":   "name: s-deep",
		"twice":        "name: a-plain",
		"not-an-agent": "",
	} {
		write(t, root, ".claude/agents/"+name+".md", "---\n"+text+"\n---\nname: body\n")
	}
	write(t, root, ".claude/agents/without-front.md", "name: no\n")
	write(t, root, ".claude/agents/unended.md", "---\nname: unended\n")
	write(t, root, ".claude/agents/other.txt", "---\nname: other\n---\n")
	write(t, root, ".claude/agents/large.md", "---\nname: large\n---\n"+strings.Repeat("x", maxFile))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, ".claude/agents/pipe.md"), 0o600))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(root, ".claude/agents/link.md")))
	require.ElementsMatch(t, []string{"a-plain", "b-all", "c-writes", "d-shell", "e-list", "q-commented",
		"s-deep", "general-purpose"}, namesOf(Of(named(t, "claude"), root, "")))

	write(t, root, ".opencode/agent/main.md", "---\nmode: primary\n---\n")
	write(t, root, ".opencode/agent/reader.md", "---\nmode: subagent\ntools:\n  write: false\n  edit: false\n---\n")
	write(t, root, ".opencode/agent/looker.md", "---\nmode: subagent\npermission:\n  edit: deny\n  bash: ask\n---\n")
	write(t, root, ".opencode/agent/nothing.md", "---\nmode: subagent\ntools:\n  \"*\": false\n---\n")
	write(t, root, ".opencode/agent/denied.md",
		"---\nmode: subagent\npermission:\n  edit: deny\ntools:\n  edit: true\n---\n")
	write(t, root, ".opencode/agent/editor.md", "---\nmode: subagent\ntools:\n  bash: false\n---\n")
	write(t, root, ".opencode/agent/nested/deep.md", "---\nmode: subagent\n---\n")
	require.Equal(t, []string{"editor", "general"}, namesOf(Of(named(t, "opencode"), root, "")))
	write(t, root, ".codex/agents/auditor.toml", "name = \"auditor\"\nsandbox_mode = \"read-only\"\n")
	require.Equal(t, []string{"default"}, namesOf(Of(named(t, "codex"), root, "")))
	write(t, root, ".github/agents/backend.agent.md", "---\ndescription: x\ntools: ['read', 'edit']\n---\n")
	require.Equal(t, []string{"backend", "general-purpose"}, namesOf(Of(named(t, "copilot"), root, "")))
}

// A folder with very many files is not read to its end.
func TestFewFilesAreRead(t *testing.T) {
	root := t.TempDir()
	for n := range maxFiles + 20 {
		write(t, root, fmt.Sprintf(".gemini/agents/a%03d.md", n), fmt.Sprintf(front, fmt.Sprintf("a%03d", n)))
	}
	require.Len(t, Of(named(t, "gemini"), root, "").Agents, maxFiles+1)
}

var strict = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// Whatever stands in a file, the name of an agent is of the strict form.
func FuzzParse(f *testing.F) {
	for _, text := range []string{fmt.Sprintf(front, "a"), "name = \"a\"\n[t]\n", "---\ntools:\n  - x\n  y: false\n---\n",
		"\ufeff---\nname: 'a'\n---\n", "---\n- x\n---\n", "x = \"\"\"\nname = \"b\"\n\"\"\"\n", "---\nname: a\x00b\n---\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		for _, ending := range []string{".md", ".toml"} {
			for _, c := range agentclient.All() {
				if a, ok := parse(source, ending, "file"); ok {
					require.Regexp(t, strict, a.name)
					a.writes(c)
				}
			}
		}
	})
}
