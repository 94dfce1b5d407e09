package hook

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// Verifies: ORC-212
//
// In confirm a client that can ask is told to, any other blocks, and the journal has what happened.
func TestConfirmAsksWhereTheClientCan(t *testing.T) {
	asked := 0
	p := newProject(t, boundary.Confirm)
	for client, call := range p.edits() {
		c, _ := agentclient.Named(client)
		want, title := boundary.Block, "OPERATION BLOCKED"
		if c.Asks() {
			want, title = boundary.Ask, "A PERSON DECIDES"
			asked++
		}
		got := p.hookOf(client, strings.NewReader(call))
		heard, err := c.Heard(agentclient.Answer{Stdout: []byte(got.stdout), Stderr: []byte(got.stderr), Exit: got.code})
		require.NoError(t, err, client)
		require.Equal(t, want, heard, "%s: %+v", client, got)
		require.Contains(t, got.stdout+got.stderr, title, client)
		lines := p.lines()
		require.Equal(t, want, lines[len(lines)-1].Verdict.Decision, client)
		require.Equal(t, boundary.Block, lines[len(lines)-1].Verdict.Would, client)
	}
	require.NotZero(t, asked)
	require.Less(t, asked, len(agentclient.Names()))

	require.Equal(t, 2, p.hook(strings.NewReader(p.call("Write", `{"file_path":".orchestrator/boundary/policy.json"}`, asAgent))).code)
	require.Equal(t, 2, p.hook(strings.NewReader(p.call("Read", `{"file_path":".orchestrator/tokens/pm.token"}`))).code)
	require.Equal(t, 2, p.hook(strings.NewReader("nonsense")).code, "what cannot be read is blocked as in enforce")
}

// Verifies: ORC-213
func TestAPathHasAModeOfItsOwn(t *testing.T) {
	p := newProject(t, boundary.Validate)
	p.set(func(b *boundary.Policy) {
		b.PathModes = []boundary.PathMode{{Paths: []string{"src/**"}, Mode: boundary.Enforce}}
	})
	require.Equal(t, 2, p.hook(strings.NewReader(p.edit())).code)
	require.Equal(t, 0, p.hook(strings.NewReader(p.call("Edit", `{"file_path":"lib/a.go"}`))).code)
	require.Equal(t, 2, p.hook(strings.NewReader(p.call("Bash", `{"command":"echo a > lib/b && echo b > src/b"}`))).code)
	require.False(t, p.dir.IsMarked(), "the project as a whole is not")
	p.set(func(b *boundary.Policy) {
		b.Mode, b.PathModes = boundary.Enforce, []boundary.PathMode{{Paths: []string{"docs/**"}, Mode: boundary.Validate}}
	})
	require.Equal(t, 2, p.hook(strings.NewReader(p.edit())).code)
	warned := p.hook(strings.NewReader(p.call("Edit", `{"file_path":"docs/a.md"}`)))
	require.Equal(t, 0, warned.code)
	require.Contains(t, warned.stdout, "BOUNDARY WARNING")
	lines := p.lines()
	require.Equal(t, boundary.Validate, lines[len(lines)-1].Verdict.Mode)
	require.Equal(t, boundary.Enforce, lines[len(lines)-1].Mode)
}
