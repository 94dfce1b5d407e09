package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/orchestrator/clientcmd"
)

// Verifies: ORC-160

// TestExamplesOfCommandsOnRequirementsAreRight: each example names a command with flags that it has and arguments that it takes.
func TestExamplesOfCommandsOnRequirementsAreRight(t *testing.T) {
	t.Parallel()
	for _, verb := range clientcmd.Commands() {
		require.NotEmpty(t, verb.Example, verb.Name())
		for line := range strings.Lines(verb.Example) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "   ")
			if _, after, piped := strings.Cut(line, " | "); piped {
				line = after
			}
			words := regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1)
			require.Equal(t, "orchestrator", words[0], line)
			cmd, rest, err := rootCommand().Find(words[1:])
			require.NoError(t, err, line)
			require.Equal(t, verb.Name(), cmd.Name(), line)
			require.NoError(t, cmd.ParseFlags(rest), line)
			require.NoError(t, cmd.Args(cmd, cmd.Flags().Args()), line)
		}
	}
}
