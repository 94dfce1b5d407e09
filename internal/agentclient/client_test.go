package agentclient_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

var update = flag.Bool("update", false, "rewrite testdata/*/*.event.json, *.error and *.answer")

// golden compares with a file, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func protocol(t testing.TB, client string) *agentclient.Client {
	t.Helper()
	p, found := agentclient.Named(client)
	require.True(t, found)
	return p
}

// Each testdata/CLIENT/CASE.stdin is read as CASE.event.json says, or refused as CASE.error says.
func TestParse(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.stdin")
	require.NoError(t, err)
	seen := map[string]int{}
	for _, file := range files {
		client := filepath.Base(filepath.Dir(file))
		seen[client]++
		t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".stdin"), func(t *testing.T) {
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			event, err := protocol(t, client).Parse(stdin)
			require.NotNil(t, event.Paths)
			require.Contains(t, []string{client, "cursor"}, event.Client)
			base := strings.TrimSuffix(file, ".stdin")
			if err != nil {
				require.NoFileExists(t, base+".event.json", "this call was readable")
				golden(t, base+".error", err.Error()+"\n")
				return
			}
			require.NoFileExists(t, base+".error", "this call was refused")
			text, err := json.MarshalIndent(event, "", "  ")
			require.NoError(t, err)
			golden(t, base+".event.json", string(text)+"\n")
		})
	}
	for _, name := range agentclient.Names() {
		require.GreaterOrEqual(t, seen[name], 5, "%s has too few cases", name)
	}
}

// What each client is told before a tool runs.
func TestAnswers(t *testing.T) {
	const message = "Edit of main.go: delegate to \"coder\".\nBypass: …\x07"
	for _, name := range agentclient.Names() {
		for _, decision := range []boundary.Decision{boundary.Allow, boundary.Warn, boundary.Ask, boundary.Block} {
			t.Run(name+"/"+string(decision), func(t *testing.T) {
				answer := protocol(t, name).Answer(agentclient.Before, decision, message)
				golden(t, filepath.Join("testdata", name, string(decision)+".answer"), show(answer))
			})
		}
	}
}

// A client that takes every answer as JSON is denied by one; the others are answered as ever.
//
// Verifies: ORC-196
func TestAnswersAsJSON(t *testing.T) {
	for _, name := range agentclient.Names() {
		p := protocol(t, name)
		plain, asJSON := p.Answer(agentclient.Before, boundary.Block, "why"), p.AsJSON().Answer(agentclient.Before, boundary.Block, "why")
		if p.Wiring.JSONFlag == nil {
			require.Equal(t, plain, asJSON, name)
			continue
		}
		golden(t, filepath.Join("testdata", name, "deny.answer"), show(asJSON))
		require.Equal(t, 2, plain.Exit, "the client itself is as it was")
		require.True(t, blocks(t, name, asJSON))
		for _, decision := range []boundary.Decision{boundary.Allow, boundary.Warn, boundary.Ask} {
			require.Equal(t, p.Answer(agentclient.Before, decision, "why"), p.AsJSON().Answer(agentclient.Before, decision, "why"))
		}
	}
}

func show(a agentclient.Answer) string {
	return fmt.Sprintf("exit %d\n-- stdout --\n%s-- stderr --\n%s", a.Exit, a.Stdout, a.Stderr)
}

// blocks reports whether the client stops the tool on this answer.
func blocks(t *testing.T, client string, a agentclient.Answer) bool {
	t.Helper()
	require.Contains(t, []int{0, 2}, a.Exit)
	if a.Exit == 2 {
		require.NotEmpty(t, strings.TrimSpace(string(a.Stderr)), "a block without a reason lets the call through in Codex")
		return true
	}
	if len(a.Stdout) == 0 {
		return false
	}
	var said map[string]any
	require.NoError(t, json.Unmarshal(a.Stdout, &said))
	inner, _ := said["hookSpecificOutput"].(map[string]any)
	for _, decision := range []any{said["permission"], said["permissionDecision"], inner["permissionDecision"]} {
		require.True(t, decision != "allow" || client == "cursor", "an explicit allow passes over the client's own prompt")
		if decision == "deny" {
			return true
		}
	}
	return false
}

func TestAnswersHold(t *testing.T) {
	for _, name := range agentclient.Names() {
		p := protocol(t, name)
		require.Equal(t, name, p.Name)
		for _, message := range []string{"why", "", " \n", "\xff", strings.Repeat("é", 5000)} {
			require.False(t, blocks(t, name, p.Answer(agentclient.Before, boundary.Allow, message)), name)
			require.False(t, blocks(t, name, p.Answer(agentclient.Before, boundary.Warn, message)), name)
			require.True(t, blocks(t, name, p.Answer(agentclient.Before, boundary.Block, message)), name)
			require.True(t, blocks(t, name, p.Answer(agentclient.Before, "nonsense", message)), name)
			asks := slices.Contains([]string{"claude", "qwen", "copilot"}, name)
			ask := p.Answer(agentclient.Before, boundary.Ask, message)
			require.Equal(t, !asks, blocks(t, name, ask), "%s cannot ask, so it must block", name)
			require.Equal(t, asks, strings.Contains(string(ask.Stdout), `"ask"`))
			for _, later := range []agentclient.When{agentclient.After, agentclient.Failed, agentclient.Other} {
				said := p.Answer(later, boundary.Block, message)
				require.Equal(t, 0, said.Exit)
				require.Empty(t, said.Stderr)
				require.Equal(t, map[bool]string{true: "{}\n", false: ""}[name == "cursor"], string(said.Stdout))
			}
		}
	}
}

func TestUnknownClient(t *testing.T) {
	for _, name := range []string{"", "Claude", "claude ", "vim"} {
		_, found := agentclient.Named(name)
		require.False(t, found, name)
	}
}

// A large call is read in place: what a tool is to write is not copied, or a hook would take too long over it.
func TestLargeCall(t *testing.T) {
	stdin := []byte(`{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a","content":"` + strings.Repeat("x", 8<<20) + `"}}`)
	p := protocol(t, "claude")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	event, err := p.Parse(stdin)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, event.Paths)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func BenchmarkParse(b *testing.B) {
	stdin, err := os.ReadFile("testdata/claude/edit_agent.stdin")
	require.NoError(b, err)
	p := protocol(b, "claude")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = p.Parse(stdin)
	}
}

// Whatever comes in, every client's Parse returns; what it accepts before a tool names the tool.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.stdin")
	require.NoError(f, err)
	for _, file := range files {
		if stdin, err := os.ReadFile(file); err == nil && len(stdin) < 4096 {
			f.Add(stdin)
		}
	}
	f.Fuzz(func(t *testing.T, stdin []byte) {
		for _, name := range agentclient.Names() {
			event, err := protocol(t, name).Parse(stdin)
			require.Contains(t, []string{name, "cursor"}, event.Client)
			require.NotNil(t, event.Paths)
			require.NotContains(t, event.Paths, "")
			if err == nil && event.When == agentclient.Before {
				require.NotEmpty(t, event.Tool)
				require.NotEmpty(t, event.OwnTool)
			}
			if err != nil {
				require.Equal(t, boundary.Unknown, event.Actor.Kind)
			}
			if event.Actor.Kind == boundary.Agent {
				require.NotEmpty(t, event.Actor.ID)
			}
		}
	})
}

// Cursor takes silence for a broken hook and blocks, so that every answer of it is JSON, and says what is to happen.
func TestCursorIsAlwaysAnswered(t *testing.T) {
	p := protocol(t, "cursor")
	for decision, permission := range map[boundary.Decision]string{boundary.Allow: "allow", boundary.Warn: "allow", boundary.Ask: "deny", boundary.Block: "deny"} {
		var said map[string]string
		require.NoError(t, json.Unmarshal(p.Answer(agentclient.Before, decision, "why").Stdout, &said))
		require.Equal(t, permission, said["permission"], decision)
	}
}
