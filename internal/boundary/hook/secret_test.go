package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// TestSecretsAreNotReadByCommands judges every command of the table as an agent's that may write everything.
func TestSecretsAreNotReadByCommands(t *testing.T) {
	table, err := os.ReadFile("../shell/testdata/shown.tsv")
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".orchestrator", "tokens"), 0o700))
	secret := filepath.Join(root, ".orchestrator", "tokens", "pm.token")
	require.NoError(t, os.WriteFile(secret, []byte("s"), 0o600))
	require.NoError(t, os.Symlink(secret, filepath.Join(root, "link-to-token")))
	policy := boundary.DefaultPolicy()
	policy.Mode = boundary.Enforce
	for line := range strings.Lines(string(table)) {
		cells := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		tool := map[string]string{"bash": toolBash, "powershell": toolPowerShell}[cells[2]]
		e := agentclient.Event{
			Tool: tool, Command: strings.ReplaceAll(cells[3], "␤", "\n"), Cwd: root,
			Actor: boundary.Actor{Kind: boundary.Agent, ID: "a", Type: "modular-builder"},
		}
		v := boundary.Judge(&policy, callOf(e, newResolver(root, root, root, "/home/somebody"), time.Now()))
		refused := v.Would == boundary.Block && v.Rule == boundary.RuleSecret
		if (cells[0] == "block") != refused {
			t.Errorf("%s: %s by %s", cells[3], v.Would, v.Rule)
		}
	}
}
