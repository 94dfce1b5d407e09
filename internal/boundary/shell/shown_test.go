package shell

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const shownFile = "testdata/shown.tsv"

// TestShown: a row of shown.tsv has what becomes of the command, which the boundary tests, the files that it may show,
// the shell, and the command, whose line ends are ␤.
func TestShown(t *testing.T) {
	data, err := os.ReadFile(shownFile)
	require.NoError(t, err)
	var anew strings.Builder
	for line := range strings.Lines(string(data)) {
		cells := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		require.Len(t, cells, 4, line)
		read := example{shell: cells[2], command: strings.ReplaceAll(cells[3], "␤", "\n")}.read
		var shown []string
		for _, target := range read().Shown {
			path := target.Path
			if !target.Known {
				path += "…"
			}
			shown = append(shown, strings.ReplaceAll(path, "\n", "␤"))
		}
		if got := strings.Join(shown, " , "); *update {
			cells[1] = got
		} else {
			require.Equal(t, cells[1], got, cells[3])
		}
		anew.WriteString(strings.Join(cells, "\t") + "\n")
	}
	if *update {
		require.NoError(t, os.WriteFile(shownFile, []byte(anew.String()), 0o644))
	}
}
