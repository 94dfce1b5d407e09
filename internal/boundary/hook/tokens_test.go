package hook

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// TestTokensOfTheEnvironmentAreSecrets: what the session's environment has of tokens is shown to none of its agents: the
// variable, by whatever shows all of them, and the file that a variable names, wherever it lies.
func TestTokensOfTheEnvironmentAreSecrets(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	file := filepath.Join(elsewhere, "mine")
	require.NoError(t, os.WriteFile(file, []byte("s"), 0o600))
	require.NoError(t, os.Symlink(file, filepath.Join(root, "link")))
	policy := boundary.DefaultPolicy()
	policy.Mode = boundary.Enforce
	judge := func(e agentclient.Event, environment map[string]string) boundary.Verdict {
		e.Client, e.Cwd, e.Actor = "claude", root, boundary.Actor{Kind: boundary.Agent, ID: "a", Type: "modular-builder"}
		r := newResolver(root, root, root, "").under(&policy).withTokens(func(name string) string { return environment[name] })
		call := callOf(e, r, time.Now())
		call.Guarded = r.guarded("")
		return boundary.Judge(&policy, call)
	}
	held := map[string]string{"ORCHESTRATOR_TOKEN": "s"}
	for command, shows := range map[string]bool{
		"env": true, "env A=b": true, "printenv": true, "printenv $X": true, "set": true, "export": true, "export -p": true,
		"declare -p": true, "declare -x": true, "command set": true, "builtin export -p": true, "ps e": true, "ps axe": true, "ps -E": true,
		"cat /proc/self/environ": true, "cat /proc/*/environ": true, "cat /proc/$$/environ": true, "strings < /proc/1/environ": true,
		"cd /proc/self; cat environ": true, "env | grep T": true, "awk 'BEGIN{print ENVIRON[\"x\"]}'": true, "jq -n env": true,
		"jq -n '$ENV.x'": true, "echo ${!x}": true,
		"env A=b ls": false, "printenv HOME": false, "set -eu": false, "export A=b": false, "ps aux": false, "ps -ef": false,
		"ps -o user": false, "awk '{print $1}' f": false, "jq .env f": false, "cat environ": false, "cat /proc/cpuinfo": false,
		"echo ${!x[@]}": false,
	} {
		e := agentclient.Event{Tool: toolBash, Command: command}
		require.Equal(t, shows, judge(e, held).Rule == boundary.RuleSecret, command)
		require.NotEqual(t, boundary.RuleSecret, judge(e, nil).Rule, command)
	}
	named := map[string]string{"ORCHESTRATOR_TOKEN_FILE": file}
	for _, e := range []agentclient.Event{
		{Tool: toolBash, Command: "cat " + file}, {Tool: toolBash, Command: "cat link"}, {Tool: toolBash, Command: "base64 < link"},
		{Tool: "Read", Paths: []string{file}}, {Tool: "Read", Paths: []string{"link"}},
	} {
		require.Equal(t, boundary.RuleSecret, judge(e, named).Rule, "%+v", e)
		require.NotEqual(t, boundary.RuleSecret, judge(e, nil).Rule, "%+v", e)
	}
	for _, e := range []agentclient.Event{
		{Tool: toolBash, Command: "echo x > " + file}, {Tool: "Write", Paths: []string{file}}, {Tool: toolBash, Command: "rm " + file},
	} {
		require.Equal(t, boundary.Block, judge(e, named).Decision, "%+v", e)
	}
}
