package boundary

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary/glob"
)

func TestTheDefaultPolicyIsValid(t *testing.T) {
	p := DefaultPolicy()
	require.NoError(t, p.Check())
	require.Equal(t, Validate, p.Mode, "a project begins by watching")
}

func TestSince(t *testing.T) {
	p := DefaultPolicy()
	at, err := p.Since()
	require.NoError(t, err)
	require.True(t, at.IsZero(), "nobody wrote it down")
	p.ModeSince = "2026-03-04"
	require.NoError(t, p.Check())
	at, err = p.Since()
	require.NoError(t, err)
	require.Equal(t, "2026-03-04", at.Format("2006-01-02"))
}

func TestPoliciesAreChecked(t *testing.T) {
	for pointer, change := range map[string]func(*Policy){
		"/schema_version":             func(p *Policy) { p.SchemaVersion = 2 },
		"/mode":                       func(p *Policy) { p.Mode = "on" },
		"/mode_since":                 func(p *Policy) { p.ModeSince = "yesterday" },
		"/unknown_actor":              func(p *Policy) { p.UnknownActor = "" },
		"/ambiguous":                  func(p *Policy) { p.Ambiguous = Warn },
		"/exempt_paths/0":             func(p *Policy) { p.ExemptPaths = []string{""} },
		"/exempt_paths/1":             func(p *Policy) { p.ExemptPaths = []string{"a", "../b"} },
		"/protected_paths/0":          func(p *Policy) { p.ProtectedPaths = []string{"[a"} },
		"/agents/0/name":              func(p *Policy) { p.Agents[0].Name = "" },
		"/agents/1/name":              func(p *Policy) { p.Agents[1].Name = "[" },
		"/agents/1/may_write/0":       func(p *Policy) { p.Agents[1].MayWrite = []string{""} },
		"/blocked_tools/0":            func(p *Policy) { p.BlockedTools = []string{"["} },
		"/allowed_tools/0":            func(p *Policy) { p.AllowedTools = []string{""} },
		"/delegate_tools/0":           func(p *Policy) { p.DelegateTools = []string{""} },
		"/produces":                   func(p *Policy) { p.Produces = "warn" },
		"/reading_commands/0":         func(p *Policy) { p.ReadingCommands = []string{" "} },
		"/thresholds/accuracy":        func(p *Policy) { p.Thresholds.Accuracy = 95 },
		"/thresholds/hook_errors":     func(p *Policy) { p.Thresholds.HookErrors = -1 },
		"/thresholds/misidentified":   func(p *Policy) { p.Thresholds.Misidentified = math.NaN() },
		"/thresholds/bypass_review":   func(p *Policy) { p.Thresholds.BypassReview = 2 },
		"/thresholds/bypass_rollback": func(p *Policy) { p.Thresholds.BypassRollback = 2 },
		"/thresholds":                 func(p *Policy) { p.Thresholds.ToolUses = -1 },
	} {
		p := DefaultPolicy()
		change(&p)
		var f *fault.Error
		require.True(t, errors.As(p.Check(), &f), pointer)
		require.Equal(t, "invalid_policy", string(f.Code))
		require.Len(t, f.Fields, 1, pointer)
		require.Equal(t, pointer, f.Fields[0].Pointer)
		require.NotEmpty(t, f.Fields[0].Fix)
	}
}

func TestPatternsOfPaths(t *testing.T) {
	for _, one := range []struct {
		pattern, path string
		want          bool
	}{
		{"**", "a", true}, {"**", "a/b/c", true}, {"docs/**", "docs", true}, {"docs/**", "docs/a/b", true}, {"docs/**", "docsx/a", false},
		{"**/x.go", "x.go", true}, {"**/x.go", "a/b/x.go", true}, {"**/x.go", "a/x.gox", false}, {"a/**/**/b", "a/b", true}, {"a/**/b/**/c", "a/x/b/y/z/c", true},
		{"*.md", "a.md", true}, {"*.md", "a/b.md", false}, {"a?c", "abc", true}, {"a?c", "a/c", false}, {"a/*", "a", false}, {"a", "a/b", false},
		{"/tmp/**", "/tmp/a", true}, {"/tmp/**", "tmp/a", false}, {"tmp/**", "/tmp/a", false}, {"[", "[", false}, {`\*`, "*", true}, {`\*`, "a", false},
	} {
		require.Equal(t, one.want, glob.Path(one.pattern, one.path), "%v", one)
	}
}

// Whoever may write a file is an agent that exists: the policy may give rights to names that no client has.
func TestWhetherAnAgentMayWrite(t *testing.T) {
	d := Delegation{Agents: []AgentType{{Name: "writer"}, {Name: "explorer"}}}
	p := DefaultPolicy()
	require.True(t, d.MayWrite(&p, []Target{file("a")}), "what is for everybody is for these")
	require.True(t, d.MayWrite(&p, nil))
	require.False(t, Delegation{}.MayWrite(&p, nil))
	p.Agents = p.Agents[:4]
	require.False(t, d.MayWrite(&p, []Target{file("a")}), "none of the four is there")
	p.Agents = []Rights{{Name: "writer", MayWrite: []string{"docs/**"}}, {Name: "*", MayWrite: []string{"src/**"}}}
	require.True(t, d.MayWrite(&p, []Target{file("docs/a")}))
	require.True(t, d.MayWrite(&p, []Target{file("src/a")}))
	require.False(t, d.MayWrite(&p, []Target{file("docs/a"), file("src/a")}), "no agent alone")
}

// A tool that no list names, by neither of its names, has the class of its name.
//
// Verifies: ORC-197
func TestToolsThatNoListNames(t *testing.T) {
	p := DefaultPolicy()
	p.BlockedTools = append(p.BlockedTools, "frob*")
	for tool, want := range map[string]Class{"mcp__db__query": Ambiguous, "mcp__fs__write_file": Writes, "list_pages": Reads,
		"mcp__orchestrator__change": Reads, "orchestrator-change": Reads, "mcp__orchestrator__run_query": Ambiguous, "mcp__orchestrator__delete": Writes} {
		class, unlisted := p.Unlisted(Call{Tool: tool})
		require.True(t, unlisted, tool)
		require.Equal(t, want, class)
		require.Equal(t, want, Judge(&p, Call{Tool: tool}).Class)
	}
	for _, c := range []Call{{}, {Tool: "Read"}, {Tool: "Task"}, {Tool: "Edit"}, {Tool: "x", OwnTool: "frobnicate"}, {Tool: "Bash", IsShell: true}} {
		_, unlisted := p.Unlisted(c)
		require.False(t, unlisted, c.Tool)
	}
	require.Equal(t, Writes, Judge(&p, Call{Tool: "Task", OwnTool: "frobnicate"}).Class, "a policy may list either name")
}
