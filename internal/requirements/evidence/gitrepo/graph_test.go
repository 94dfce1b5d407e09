package gitrepo

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forgeParent gives the commit child another first parent in the commit-graph, which git does not compare with the commit.
func forgeParent(c clone, child, parent string) {
	c.t.Helper()
	c.git("commit-graph", "write", "--reachable")
	name := filepath.Join(c.dir, ".git/objects/info/commit-graph")
	graph, err := os.ReadFile(name)
	require.NoError(c.t, err)
	known := strings.Fields(c.git("rev-list", "--all"))
	slices.Sort(known) // commits stand in the order of their ids
	entry := bytes.Index(graph[8:], []byte("CDAT")) + 8
	require.Greater(c.t, entry, 8)
	const idBytes, entryBytes = 20, 20 + 16 // folder, two parents, generation and time
	at := int(binary.BigEndian.Uint64(graph[entry+4:])) + slices.Index(known, child)*entryBytes + idBytes
	binary.BigEndian.PutUint32(graph[at:], uint32(slices.Index(known, parent)))
	require.NoError(c.t, os.Remove(name))
	require.NoError(c.t, os.WriteFile(name, graph, 0o444))
}

func TestAForgedCommitGraphIsNoHistory(t *testing.T) {
	c := newClone(t)
	first := c.commit("first")
	c.commit("second")
	tip := c.commit("third")
	c.git("checkout", "-q", "-b", "side", first)
	side := c.commit("side")
	r := c.open()
	outside := func() map[string]bool {
		t.Helper()
		left, err := r.Outside(t.Context(), []string{side}, tip)
		require.NoError(t, err)
		return left
	}
	require.Equal(t, map[string]bool{side: true}, outside())
	forgeParent(c, tip, side)
	require.Contains(t, c.git("rev-list", "main"), side, "git itself is not deceived: nothing was forged")
	require.Equal(t, map[string]bool{side: true}, outside())
}
