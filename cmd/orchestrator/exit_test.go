package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/orchestrator/cli"
)

// taken are arguments that commands take which ask a service; what they name is there.
var taken = map[string][]string{"answer": {"5d41402abc4b2a76", "o1", "Jeff"}, "ask": {"what is 2+2"}, "conduct": {"file.json"}, "backup": {"-o", "b.zip"}, "audit bundle": {"-o", "b.zip"},
	"change": {"R-1", "--status", "planned", "--reason", "r", "--evidence", "file:file.json"}, "show": {"R-1"}, "history": {"R-1"}, "claim": {"R-1"}, "note": {"R-1", "text"},
	"design": {"R-1", "--summary", "s"}, "implement": {"R-1", "--summary", "s"}, "test": {"R-1", "--plan", "p"},
	"boundary attest": {"team", "--note", "n"},
	"attach":          {"R-1", "file.json"}, "approve": {"R-1", "--yes"}, "accept": {"R-1", "--yes"}, "apply": {"plan.jsonl"}, "block": {"R-1", "--reason", "r"},
	"defer": {"R-1", "--reason", "r"}, "reopen": {"R-1", "--reason", "r"}, "schedules end": {"5d41402abc4b2a76-o1"}}

// Verifies: ORC-157
//
// TestEveryCommandHasTheSameExitCodes: a wrong command line is 2 and says what to do, and a service that does not
// answer is 3. The hook has the exit codes of its clients.
func TestEveryCommandHasTheSameExitCodes(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	for name, content := range map[string]string{"some.token": "orc_viewer_SOME\n", "file.json": `{"obligations":[]}`,
		"plan.jsonl": `{"role":"pm","requirement":"R-1","request":{"status":"planned"}}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	asking := 0
	for _, c := range leaves(rootCommand()) {
		path := strings.Fields(c.CommandPath())[1:]
		name := strings.Join(path, " ")
		if name == "hook" {
			continue
		}
		out, code := orchestrate(t, dir, append(path, "--frobnicate")...)
		require.Equal(t, cli.ExitUsage, code, "%s: %s", name, out)
		require.Contains(t, out, "unknown flag: --frobnicate\n  fix: "+c.CommandPath()+" --help lists the flags", name)

		out, code = orchestrate(t, dir, append(path, "a", "b", "c", "d")...)
		require.NotEqual(t, cli.ExitDone, code, "%s: some take any number of arguments, and none finds these: %s", name, out)
		require.Contains(t, out, "  fix: ", name)

		if c.Flags().Lookup("server") == nil || c.Flags().Lookup("token-file") == nil || name == "mcp install" {
			continue // mcp install only writes down whom to ask
		}
		asking++
		args := append(append(path, taken[name]...), "--server", "127.0.0.1:1", "--token-file", "some.token")
		out, code = orchestrate(t, dir, args...)
		require.Equal(t, cli.ExitUnreachable, code, "%v: %s", args, out)
		require.Contains(t, out, "no service answers at http://127.0.0.1:1\n", name)
		require.Contains(t, out, "  fix: ", name)
	}
	require.Greater(t, asking, 5, "commands that ask are not seen")
}
