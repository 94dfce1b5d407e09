package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// A main session writes the plans and the memory of its client, by the client's own tools and nowhere else.
//
// Verifies: ORC-194
func TestPlansAndMemory(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	home := t.TempDir()
	for _, made := range []string{".claude/plans", ".claude/plans/wt/.git", ".claude/plans/deep", ".claude/projects/x/memory/topics",
		".claude/projects/x/memory/copy", "other", ".gemini/tmp/x/plans", ".copilot/session-state/s"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, made), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(home, ".claude/projects/x/memory/copy/.git"), []byte("gitdir: /elsewhere"), 0o600))
	require.NoError(t, os.Symlink(p.dir.Root, filepath.Join(home, ".claude/projects/linked")))
	require.NoError(t, os.MkdirAll(filepath.Join(p.dir.Root, "memory"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(p.dir.Root, "src.md"), filepath.Join(home, ".claude/plans/link.md")))
	require.NoError(t, os.Symlink(filepath.Join(home, "other/x.md"), filepath.Join(home, ".claude/plans/away.md")))
	env := "HOME=" + home
	write := func(path string) string {
		return p.call("Write", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, path))
	}
	for path, code := range map[string]int{
		".claude/plans/a.md": 0, ".claude/projects/x/memory/MEMORY.md": 0, ".claude/projects/x/memory/topics/a.md": 0,
		".claude/plans/a.sh": 2, ".claude/plans/deep/a.md": 2, ".claude/CLAUDE.md": 2, ".claude/settings.json": 2,
		".claude/projects/x/a.md": 2, ".claude/plans/../a.md": 2, ".claude/plans/wt/a.md": 2,
		".claude/projects/x/memory/copy/a.md": 2, ".claude/projects/linked/memory/a.md": 2,
		".claude/plans/link.md": 2, ".claude/plans/away.md": 2, "other/a.md": 2, ".gemini/tmp/x/plans/a.md": 2,
	} {
		got := p.hook(strings.NewReader(write(filepath.Join(home, path))), env)
		if strings.Contains(path, "..") {
			got = p.hook(strings.NewReader(write(home+"/"+path)), env)
		}
		require.Equal(t, code, got.code, "%s: %s", path, got.stderr)
	}
	require.Equal(t, 2, p.hook(strings.NewReader(p.call("Bash", `{"command":"echo x > ~/.claude/plans/a.md"}`)), env).code, "a shell does more")
	require.Equal(t, 2, p.hook(strings.NewReader(p.call("mcp__fs__write_file", fmt.Sprintf(`{"path":%q}`, home+"/.claude/plans/a.md"))), env).code)
	gemini := strings.Replace(p.call("write_file", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, home+"/.gemini/tmp/x/plans/a.md")), "PreToolUse", "BeforeTool", 1)
	require.Equal(t, 0, p.hookOf("gemini", strings.NewReader(gemini), env).code)
	copilot := fmt.Sprintf(`{"timestamp":1,"sessionId":"s","cwd":%q,"toolName":"create","toolArgs":{"path":%q,"file_text":"x"}}`, p.dir.Root, home+"/.copilot/session-state/s/plan.md")
	require.Equal(t, reply{}, p.hookOf("copilot", strings.NewReader(copilot), env))

	policy := boundary.DefaultPolicy()
	for _, l := range p.lines() { // judged again, each is decided as it was
		policy.Mode = l.Mode
		require.Equal(t, l.Verdict.Decision, boundary.Judge(&policy, l.Call()).Decision, "%+v", l.Named)
	}
}

// The user's folder may have another name by a link, the client's folder may be one, and a project may lie in it.
//
// Verifies: ORC-194
func TestPlansBehindLinks(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	base := t.TempDir()
	home := filepath.Join(base, "home")
	require.NoError(t, os.MkdirAll(filepath.Join(base, "dotfiles/claude/plans"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(base, "dotfiles/.git"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(base, "real"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(base, "real"), home))
	require.NoError(t, os.Symlink(filepath.Join(base, "dotfiles/claude"), filepath.Join(home, ".claude")))
	env := "HOME=" + home
	plan := p.call("Write", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, home+"/.claude/plans/a.md"))
	require.Equal(t, reply{}, p.hook(strings.NewReader(plan), env))

	inside := project{t, folder.In(filepath.Join(home, ".claude/plans"))}
	inside.set(func(b *boundary.Policy) { b.Mode = boundary.Enforce; b.ExemptPaths = nil })
	require.Equal(t, 2, inside.hook(strings.NewReader(plan), env).code, "what lies in a project is the project's")
}

// An exemption may name the user's folder, which the journal notes to judge the call again.
//
// Verifies: ORC-194
func TestExemptionsInTheUsersFolder(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	p.set(func(b *boundary.Policy) { b.Mode = boundary.Enforce; b.ExemptPaths = []string{"~/notes/**"} })
	home := t.TempDir()
	env := "HOME=" + home
	write := func(path string) int {
		return p.hook(strings.NewReader(p.call("Write", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, path))), env).code
	}
	require.Equal(t, 0, write(home+"/notes/a.txt"))
	require.Equal(t, 0, write("~/notes/a.txt"))
	require.Equal(t, 2, write(home+"/a.txt"))
	require.Equal(t, 2, write("notes/a.txt"))
	require.Equal(t, 0, p.hook(strings.NewReader(p.call("Bash", `{"command":"echo x > ~/notes/a.txt"}`)), env).code)
	policy, err := p.dir.Policy()
	require.NoError(t, err)
	for _, l := range p.lines() {
		require.Equal(t, l.Verdict.Decision, boundary.Judge(&policy, l.Call()).Decision, "%+v", l.Named)
		require.Equal(t, l.Named != nil && l.Named[0].Path == "notes/a.txt", l.Homes == nil, "%+v", l)
	}
}
