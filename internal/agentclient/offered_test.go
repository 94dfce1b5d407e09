package agentclient

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the real clients offered their models, as testdata/CLIENT/VERSION/tools.json has it, is in their tables, by the
// name that a hook is given.
//
// Verifies: ORC-191
func TestWhatRealClientsOfferIsKnown(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*/tools.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		c, found := Named(strings.Split(file, "/")[1])
		require.True(t, found, file)
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var offered map[string][]struct{ Name, Namespace string }
		require.NoError(t, json.Unmarshal(raw, &offered))
		for _, tools := range offered {
			for _, tool := range tools {
				require.True(t, knows(c, tool.Namespace+tool.Name), "%s: no row for %s%s", file, tool.Namespace, tool.Name)
			}
		}
	}
}

// knows reports whether the client's table has a tool, by the client's own name.
func knows(c *Client, own string) bool {
	_, found := c.form.find(own)
	return found
}
