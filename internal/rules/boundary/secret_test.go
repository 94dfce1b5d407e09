package boundary

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-066
func TestSecret(t *testing.T) {
	for _, path := range []string{
		".orchestrator", ".orchestrator/tokens", ".orchestrator/tokens/pm.token", ".orchestrator/tokens.json", ".orchestrator/tokens.json.lock",
		".orchestrator/webhooks", ".orchestrator/webhooks/ops.secret", ".orchestrator/webhooks.json", "**/webhooks/ops.secret", "**/webhooks/*", "**/webhooks.json",
		".orchestrator/audit.key", ".orchestrator/witness.key", ".orchestrator/state.db", ".orchestrator/state.db.before-restore-1", "witness.key",
		"sub/.orchestrator/state.db", "/elsewhere/.orchestrator/tokens/x", "/elsewhere/.orchestrator", ".Orchestrator/Tokens/pm.token",
		".orchestrator/*", ".orchestrator/tok*", ".orchestrator/*/pm.token", ".orchestrator/[st]*",
		".*/tokens/pm.token", ".?rchestrator/audit.key", ".orch*", "*/.orch*/state.db", ".orch**/tokens", "**/.orchestrator/t*",
		"**/tokens/pm.token", "**/tokens/*", "**/pm.token", "a**/../**/*.token", "**/tokens.json", "**/audit.key", "**/state.db.copy", ".**/tokens/x.token",
	} {
		require.True(t, Target{Path: path}.Secret(), path)
		require.True(t, Target{Path: "link", Real: path}.Secret(), path)
	}
	for _, path := range []string{
		"", ".", "src/a.go", "tokens/pm.token", "tokens.json", "state.db", ".orchestrator/addr", ".orchestrator/audit.pub",
		".orchestrator/boundary/policy.json", "webhooks/ops.secret", "**/webhooks/ops.json", "**/webhooks", "**/hooks/ops.secret", ".orchestrator/tools/tokens.yaml", ".orchestrator/boundary/*", "docs/.orchestrator.md", "audit.key.md",
		"*/tokens/pm.token", "?orchestrator/tokens/pm.token", ".*rc", ".*/tools/x", ".[", "**", ".**", "**/tokens", "**/tokens/colors.json",
		"**/src/tokens/pm.token", "**/src/state.db", "**/README.md", ".orch**/tools/x", "src**/x/tokens/pm.token", "**/*",
	} {
		require.False(t, Target{Path: path, Real: path}.Secret(), path)
	}
	for path, want := range map[string]bool{
		".orch": true, ".orchestrator/": true, ".orchestrator/to": true, ".orchestrator/tokens/": true, ".orchestrator/boundary/": false,
		".o": true, ".": false, "": false, "src/": false, "/": false, "/var/": false, "sub/.orchestrator/s": true, ".orchestrator/x": false,
	} {
		require.Equal(t, want, Target{Path: path, Unknown: true}.Secret(), path)
	}
}

// TestToolsThatListShowNothing: the names of files are no secret.
func TestToolsThatListShowNothing(t *testing.T) {
	p := policy()
	for name, c := range map[string]struct {
		call Call
		rule string
	}{
		"LS of the tokens":          {Call{Tool: "LS", Targets: []Target{file(".orchestrator/tokens")}}, RuleReads},
		"Glob of the data folder":   {Call{Tool: "Glob", Targets: []Target{file(".orchestrator")}}, RuleReads},
		"Glob of the tokens":        {Call{Tool: "Glob", Targets: []Target{file(".orchestrator/tokens")}}, RuleSecret},
		"Grep of the data folder":   {Call{Tool: "Grep", Targets: []Target{file(".orchestrator")}}, RuleSecret},
		"Grep of the project":       {Call{Tool: "Grep", Targets: []Target{file(".")}}, RuleReads},
		"an agent is told a path":   {Call{Tool: "Task", Targets: []Target{file(".orchestrator/tokens")}}, RuleDelegates},
		"another server's reading":  {Call{Tool: "mcp__files__read_file", Targets: []Target{file(".orchestrator/audit.key")}}, RuleSecret},
		"NotebookRead":              {Call{Tool: "NotebookRead", Targets: []Target{file(".orchestrator/state.db")}}, RuleSecret},
		"a copy of the project":     {Call{Tool: "Bash", IsShell: true, Reads: []Target{file(".")}}, RuleSecret},
		"a command that reads code": {Call{Tool: "Bash", IsShell: true, Reads: []Target{file("src/a.go")}}, RuleReads},
	} {
		require.Equal(t, c.rule, Judge(&p, c.call).Rule, name)
	}
}

// TestNoBypassShowsSecrets: the rule warns in validate, and no bypass lifts it.
//
// Verifies: ORC-066
func TestNoBypassShowsSecrets(t *testing.T) {
	p, c := policy(), call("cat token", "agent")
	c.BypassEnv = "true"
	v := Judge(&p, c)
	require.Equal(t, []any{Block, Block, ""}, []any{v.Decision, v.Would, v.Bypass})
	require.Contains(t, Message(&p, c, v), "Bypass: none for tokens, keys and the database")
	c.BypassEnv = ""
	c.Grants = []Grant{{ID: "g", Since: noon, Until: noon.Add(1)}}
	require.Equal(t, Block, Judge(&p, c).Decision)
	c.Grants, p.Mode = nil, Validate
	require.Equal(t, Warn, Judge(&p, c).Decision)

	p.Mode = Enforce
	for _, actor := range []string{"main", "agent"} {
		c := call("cat token", actor)
		message := Message(&p, c, Judge(&p, c))
		require.Contains(t, message, "OPERATION BLOCKED: Bash on .orchestrator/tokens/pm.token [secret.reads]")
		require.Contains(t, message, "Action: use the orchestrator commands (review, show, next, status), "+
			"which read the token themselves")
		require.NotContains(t, message, "subagent_type")
		require.NotContains(t, message, "Agents:")
	}
}
