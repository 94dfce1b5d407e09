package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command that was interrupted says so, and what to do, however deep it was at work.
func TestAnInterruptionIsSaid(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	stderr := os.Stderr
	os.Stderr = write
	PrintError(fmt.Errorf("reading page 7: %w", context.Canceled))
	os.Stderr = stderr
	require.NoError(t, write.Close())
	said, err := io.ReadAll(read)
	require.NoError(t, err)
	require.Equal(t, "orchestrator: interrupted before the command had ended\n  fix: repeat it: it goes on, or begins anew\n",
		string(said))
}
