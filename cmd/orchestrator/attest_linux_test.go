package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/orchestrator/output/outputtest"
	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// Verifies: ORC-217
//
// Without a service a person attests in a terminal, under the name that the machine has for them.
func TestAPersonAttestsInATerminal(t *testing.T) {
	t.Parallel()
	dir := folder.In(t.TempDir())
	_, err := dir.Make(boundary.DefaultPolicy())
	require.NoError(t, err)
	terminal, _ := outputtest.Terminal(t, 80)
	cmd := exec.CommandContext(t.Context(), program(), "boundary", "attest", "team", "--note", "all were briefed")
	cmd.Dir, cmd.Stdin = dir.Root, terminal
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `^team: attested on \d{4}-\d\d-\d\d by local:\S+: all were briefed\n$`, string(out))
	said := boundarytest.History(t, dir).Attestations
	require.Len(t, said, 1)
	require.Equal(t, []string{"team", "all were briefed"}, []string{said[0].What, said[0].Reason})
}
