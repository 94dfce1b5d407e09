package toolchain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-233
func TestNoReading(t *testing.T) {
	require.True(t, slices.IsSorted(persons))
	for words, why := range map[string]string{
		"up":                  "orchestrator up is a person's to run",
		"token add --role pm": "orchestrator token add is a person's to run",
		"log":                 "there is no command orchestrator log: orchestrator --help",
		"token frob":          "there is no command orchestrator token frob",
		"config show":         "there is no command orchestrator config show",
		"boundary log extra":  "with these words, orchestrator boundary log is not known to read",
		"list --frob":         "with these words, orchestrator list is not known",
		"--json list":         "with these words, orchestrator is not known to read or to propose: orchestrator help shows",
		"st" + Unfinished:     "there is no command orchestrator st:",
	} {
		require.Contains(t, NoReading(strings.Fields(words)), why)
	}
}
