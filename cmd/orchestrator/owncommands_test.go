package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/rules/boundary"
)

// kept are the commands that the main session of an agent client does not get through an enforced boundary: they change
// the boundary, tokens, settings, the service or its database, act in several roles at once, or start agents or other
// programs. All others read or propose, and pass.
var kept = []string{
	"answer", "apply", "audit witness", "backup", "boundary attest", "boundary bypass", "boundary doctor", "boundary drill", "boundary import",
	"boundary install", "boundary label", "boundary mode", "boundary recovery", "boundary reviewed", "boundary rollback", "boundary uninstall", "compact",
	"conduct", "config set", "config unset", "down", "drive", "hook", "init", "mcp install", "mcp status",
	"mcp uninstall", "merge-status", "migrate", "open", "restore", "schedules end", "serve", "token add", "token revoke", "up",
	"upgrade", "webhook add", "webhook remove", "webhook replay", "webhook test",
}

// making are the options by which a command that passes writes a file.
var making = map[string][]string{"adopt": {"out"}, "audit bundle": {"output"}, "import": {"export"}}

// reading are the commands with --as that propose nothing.
var reading = []string{"history", "list", "next", "show", "status", "watch", "whoami"}

// isPersons reports whether an option of a command says which service it asks, or by whose token it proposes: a session
// does not choose them.
func isPersons(name, option string) bool {
	switch option {
	case "server", "tls-ca", "token-file", "store", "store-file":
		return true
	case "data":
		return !slices.Contains([]string{"prompts", "tools", "token", "webhook"}, strings.Fields(name)[0])
	}
	return option == "as" && !slices.Contains(reading, name)
}

// Verifies: ORC-201
//
// A new command, or a new option of one, has no class until it stands in the table of own commands or here.
func TestEveryCommandHasAClass(t *testing.T) {
	var all []string
	dir := folder.In(t.TempDir())
	for _, cmd := range commandsOf(rootCommand()) {
		name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "orchestrator"), " ")
		all = append(all, name)
		passes := passesBoundary(t, dir, cmd.CommandPath())
		require.Equal(t, !slices.Contains(kept, name), passes, "orchestrator %s", name)
		if !passes {
			requirePersons(t, dir, cmd.CommandPath())
			continue
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			line := fmt.Sprintf("%s --%s", cmd.CommandPath(), f.Name)
			if f.NoOptDefVal == "" {
				line += " src/main.go"
			}
			may := !slices.Contains(making[name], f.Name) && !isPersons(name, f.Name)
			require.Equal(t, may, passesBoundary(t, dir, line), line)
			if f.Shorthand != "" {
				line = strings.Replace(line, "--"+f.Name, "-"+f.Shorthand, 1)
				require.Equal(t, may, passesBoundary(t, dir, line), line)
			}
		})
		require.False(t, passesBoundary(t, dir, cmd.CommandPath()+" --not-an-option"), name)
	}
	for _, name := range kept {
		require.Contains(t, all, name)
	}
	require.True(t, passesBoundary(t, dir, "orchestrator apply --dry-run plan.json"))
	require.True(t, passesBoundary(t, dir, "orchestrator open --print"))
	require.True(t, passesBoundary(t, dir, "orchestrator drive --plan --role coder"))
	require.True(t, passesBoundary(t, dir, "orchestrator conduct --plan obligations.json"))
	require.False(t, passesBoundary(t, dir, "orchestrator drive --plan=false"))
}

// requirePersons requires that a command is blocked for agents as for the main session, that a person can have it, and
// that the block says so.
func requirePersons(t *testing.T, dir folder.Dir, line string) {
	t.Helper()
	for _, agent := range []string{"", "a1"} {
		v := explained(t, dir, line, agent)
		require.Equal(t, boundary.Block, v.Would, line)
		require.Contains(t, []string{boundary.RuleOwn, boundary.RuleCommand}, v.Rule, line)
		require.Contains(t, v.Fix, "a person runs this command", line)
		if v.Rule == boundary.RuleOwn {
			require.Contains(t, v.Reason, line+" is a person's to run")
		}
	}
}

// commandsOf are a command and those below it that do something.
func commandsOf(cmd *cobra.Command) (all []*cobra.Command) {
	if cmd.Runnable() {
		all = append(all, cmd)
	}
	for _, sub := range cmd.Commands() {
		all = append(all, commandsOf(sub)...)
	}
	return all
}

// passesBoundary reports whether a main session's command is let through as one that changes no file.
func passesBoundary(t *testing.T, dir folder.Dir, line string) bool {
	t.Helper()
	v := explained(t, dir, line, "")
	return v.Decision == boundary.Allow && v.Class == boundary.Reads
}

// explained returns what becomes of a command of the main session, or of an agent.
func explained(t *testing.T, dir folder.Dir, line, agent string) boundary.Verdict {
	t.Helper()
	call, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": dir.Root,
		"agent_id": agent, "tool_name": "Bash", "tool_input": map[string]string{"command": line}})
	require.NoError(t, err)
	v, _, err := hook.Explain("claude", call, dir, boundary.DefaultPolicy())
	require.NoError(t, err)
	return v
}
