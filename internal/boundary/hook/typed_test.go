package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// ofMain judges a main session's event with the policy of a new project that is enforced.
func (p project) ofMain(e agentclient.Event, home string, change func(*boundary.Policy)) boundary.Verdict {
	p.t.Helper()
	policy := boundary.DefaultPolicy()
	policy.Mode = boundary.Enforce
	if change != nil {
		change(&policy)
	}
	e.Actor = boundary.Actor{Kind: boundary.Main}
	return boundary.Judge(&policy, callOf(e, newResolver(p.dir.Root, e.Cwd, p.dir.Root, home), time.Unix(0, 0)))
}

// Verifies: ORC-202
//
// What a session can type into is no reader in Codex, whose calls do not say whether a command has a terminal, and none
// that a policy vouches for.
func TestWhatCanBeTypedInto(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	vouching := func(b *boundary.Policy) { b.ReadingCommands = []string{"man"} }
	for command, reads := range map[string]bool{
		"less go.mod": false, "more a": false, "git --paginate diff": false, "git commit": false, "bat a": false,
		"cat a | less": false, "time less a": false, "git help log": false, "top": false, "f() { less a; }; f": false,
		"man ls": false, "GIT_PAGER=less git log": false, "unset GIT_PAGER; git log": false,
		"git -c core.pager=less log": false, "find . -name a -exec less {} ';'": false,
		"orchestrator design REQ-1": false, "git commit; ls -m": false, "git log; vi x": false, "git commit -m a -e": false,
		"export -n GIT_PAGER; git log": false, "GIT_PAGER=(a); git log": false, "f() { local GIT_PAGER; git log; }; f": false,
		"sudo git log": false, "git add -p": false, "git commit $(echo -m)": false, "git tag -a v1; git commit -m x": false,
		"git commit -m a; ls -e": true, "GIT_PAGER=cat git log": true, "git -c core.pager=cat log": true,
		"git log; ls -p": true, "cat a | git commit -F -": true, "git commit -m \"$(cat a)\"": true,
		"git log -p": true, "git diff": true, "git commit -m a": true, "npm test": true, "orchestrator review": true,
		"cat go.mod": true, "ls -la": true, "go test ./...": true, "grep x a | head": true,
	} {
		v := p.ofMain(agentclient.Event{Client: "codex", Tool: toolBash, Command: command, Cwd: p.dir.Root,
			Interactive: true}, "", vouching)
		require.Equal(t, reads, v.Decision == boundary.Allow, "%s: %+v", command, v)
	}
	client, _ := agentclient.Named("codex")
	event, err := client.Parse([]byte(`{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse",` +
		`"tool_name":"Bash","tool_input":{"command":"less go.mod"}}`)) // as 0.169.0 sends exec_command with a tty
	require.NoError(t, err)
	require.Equal(t, boundary.RuleAmbiguous, p.ofMain(event, "", nil).Rule)
}

// Verifies: ORC-203
//
// A skill is judged by the commands of its file, wherever the client finds it.
func TestSkills(t *testing.T) {
	p, home := newProject(t, boundary.Enforce), t.TempDir()
	write := func(root, name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	write(p.dir.Root, ".claude/skills/plain/SKILL.md", "Read the code.")
	write(p.dir.Root, ".claude/skills/reads/SKILL.md", "Now: !`git status`\n")
	write(p.dir.Root, ".claude/skills/tests/SKILL.md", "!`go test ./...`\n")
	write(p.dir.Root, ".claude/skills/writes/SKILL.md", "!`echo x > main.go`\n")
	write(p.dir.Root, ".claude/skills/any/SKILL.md", "!`cat $ARGUMENTS`\n")
	write(p.dir.Root, ".claude/skills/hooked/SKILL.md", "---\nhooks: {}\n---\n")
	write(p.dir.Root, ".claude/commands/ops/deploy.md", "```!\n./deploy.sh\n```\n")
	write(p.dir.Root, "sub/.claude/skills/below/SKILL.md", "!`rm x`\n")
	write(p.dir.Root, ".claude/skills/both/SKILL.md", "!`ls`\n")
	write(home, ".claude/skills/both/SKILL.md", "!`rm x`\n")
	write(home, ".claude/skills/mine/SKILL.md", "!`rm x`\n")
	write(p.dir.Root, "elsewhere.md", "x")
	require.NoError(t, os.MkdirAll(filepath.Join(p.dir.Root, ".claude/skills/link"), 0o700))
	require.NoError(t, os.Symlink("../../../elsewhere.md", filepath.Join(p.dir.Root, ".claude/skills/link/SKILL.md")))
	for _, one := range []struct{ skill, args, cwd, rule string }{
		{"plain", "", "", boundary.RuleReads},
		{"reads", "", "", boundary.RuleReads},
		{"tests", "", "", boundary.RuleProduces},
		{"writes", "", "", boundary.RuleWrites},
		{"any", "go.mod", "", boundary.RuleReads},
		{"any", "a; rm b", "", boundary.RuleWrites},
		{"hooked", "", "", boundary.RuleAmbiguous},
		{"link", "", "", boundary.RuleAmbiguous},
		{"ops:deploy", "", "", boundary.RuleAmbiguous},
		{"both", "", "", boundary.RuleWrites},
		{"mine", "", "", boundary.RuleWrites},
		{"below", "", "sub/deeper", boundary.RuleWrites},
		{"writes", "", "sub/deeper", boundary.RuleWrites},
		{"writes", "", "/elsewhere", boundary.RuleWrites},
		{"below", "", "", boundary.RuleReads},
		{"bundled", "", "", boundary.RuleReads},
		{"/writes", "", "", boundary.RuleWrites},
		{"../skills/writes", "", "", boundary.RuleAmbiguous},
		{"..", "", "", boundary.RuleAmbiguous},
		{"a b", "", "", boundary.RuleAmbiguous},
	} {
		cwd := filepath.Join(p.dir.Root, one.cwd)
		if filepath.IsAbs(one.cwd) {
			cwd = one.cwd
		}
		e := agentclient.Event{Client: "claude", Tool: "Skill", Skill: one.skill, SkillArgs: one.args, Cwd: cwd}
		require.Equal(t, one.rule, p.ofMain(e, home, nil).Rule, "%+v", one)
		e.Client = "opencode"
		require.Equal(t, boundary.RuleReads, p.ofMain(e, home, nil).Rule, "it runs no command of a skill")
	}
	answer := p.hook(strings.NewReader(p.call("Skill", `{"skill":"writes"}`)))
	require.Equal(t, 2, answer.code)
	require.Contains(t, answer.stderr, "> writes a file")
}

// TestSlashCommands: a command by its line is judged by its file, as the skill of that name is.
func TestSlashCommands(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	folder := filepath.Join(p.dir.Root, ".claude", "commands")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	for name, text := range map[string]string{"writes": "!`echo x > main.go`\n", "any": "!`cat $ARGUMENTS`\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".md"), []byte(text), 0o600))
	}
	for line, code := range map[string]int{
		"/writes": 2, "/writes x": 2, " /writes\tx": 2, "writes": 2, "/any go.mod": 0, "/any a; rm b": 2, "/compact": 0,
		"/plugin:name": 2, "/../writes": 2, "": 0,
	} {
		input, err := json.Marshal(map[string]string{"command": line})
		require.NoError(t, err)
		require.Equal(t, code, p.hook(strings.NewReader(p.call("SlashCommand", string(input)))).code, line)
	}
}
