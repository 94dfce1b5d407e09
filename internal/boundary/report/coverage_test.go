package report_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// Nobody may read a token or change the boundary, so no agent has to be named for that.
func TestWhatNobodyMayDoNeedsNoDelegate(t *testing.T) {
	dir := boundarytest.Project(t)
	var lines []folder.Line
	for i, call := range []boundarytest.Call{
		{Tool: "Edit", File: "f.go"},
		{Tool: "Edit", File: "g.txt"},
		{Tool: "Edit", File: ".orchestrator/boundary/policy.json"},
		{Tool: "Read", File: ".orchestrator/tokens/pm.token"},
	} {
		call.ID, call.Session, call.Actor = boundarytest.ID(i), "s", boundary.Main
		call.At = boundarytest.Day0.Add(time.Duration(i) * time.Hour)
		lines = append(lines, boundarytest.Judged(t, dir, call))
		require.True(t, lines[i].Verdict.Violation(), call.File)
	}
	ofAgent := boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(9), Session: "s", Tool: "Edit", File: "h.txt", Actor: boundary.Agent, At: boundarytest.Day0})
	ofAgent.Verdict.Decision, ofAgent.Verdict.Would = boundary.Warn, boundary.Block
	boundarytest.Add(t, dir, append(lines, ofAgent)...)
	p, err := dir.Policy()
	require.NoError(t, err)
	for i := range p.Agents {
		p.Agents[i].MayWrite = []string{"*.go"}
	}
	f := boundarytest.History(t, dir).Figures(&p, boundarytest.Day0.Add(day))
	require.Equal(t, []string{"Edit on g.txt"}, f.Uncovered)
}

// A policy that gives rights to agents which no project has covers nothing, and one that gives them to all covers what
// the agents that come with a client may write.
func TestOnlyAgentsThatExistCover(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir := boundarytest.Project(t)
	call := boundarytest.Call{ID: "1", Session: "s", Tool: "Edit", File: "src/f.go", Actor: boundary.Main,
		At: boundarytest.Day0}
	one := boundarytest.Judged(t, dir, call)
	call.ID = "2"
	both := boundarytest.Judged(t, dir, call)
	both.Named = append(both.Named, boundary.Target{Path: "docs/a.md"})
	call.ID, call.File = "3", ""
	none := boundarytest.Judged(t, dir, call)
	boundarytest.Add(t, dir, one, both, none)
	p, err := dir.Policy()
	require.NoError(t, err)
	gaps := func() []string {
		return boundarytest.History(t, dir).Figures(&p, boundarytest.Day0.Add(day)).Uncovered
	}
	require.Empty(t, gaps())
	p.Agents = p.Agents[:4]
	require.Equal(t, []string{"Edit", "Edit on src/f.go"}, gaps(), "modular-builder and its like are nowhere")
	p.Agents = []boundary.Rights{
		{Name: "builder", MayWrite: []string{"src/**"}},
		{Name: "general-purpose", MayWrite: []string{"docs/**"}},
	}
	require.Equal(t, []string{"Edit on src/f.go"}, gaps())
	builder := filepath.Join(dir.Root, ".claude", "agents", "builder.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(builder), 0o700))
	require.NoError(t, os.WriteFile(builder, []byte("---\nname: builder\n---\n"), 0o600))
	require.Equal(t, []string{"Edit on src/f.go and more at once"}, gaps())
}
