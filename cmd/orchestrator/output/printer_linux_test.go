package output

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/orchestrator/output/outputtest"
)

// TestColoursAreForATerminalThatWantsThem: NO_COLOR and TERM=dumb each turn them off.
func TestColoursAreForATerminalThatWantsThem(t *testing.T) {
	at, _ := outputtest.Terminal(t, 80)
	for _, c := range []struct {
		no, term string
		want     bool
	}{{"", "xterm", true}, {"1", "xterm", false}, {"", "dumb", false}} {
		t.Setenv("NO_COLOR", c.no)
		t.Setenv("TERM", c.term)
		require.Equal(t, c.want, Colourful(at), "%+v", c)
	}
	t.Setenv("TERM", "xterm")
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	defer file.Close()
	require.False(t, Colourful(file))
}
