package gitrepo

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// TestFewObjectsThatMakeManyPathsAreBounded: a folder may hold another one many times over, and git stores it once.
func TestFewObjectsThatMakeManyPathsAreBounded(t *testing.T) {
	c := newClone(t)
	c.commit("first")
	tree := func(lines string) string {
		cmd := exec.Command("git", "-C", c.dir, "mktree")
		cmd.Stdin = strings.NewReader(lines)
		id, err := cmd.Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(id))
	}
	for name, leaf := range map[string]string{
		"files": "100644 blob " + c.git("hash-object", "-w", "--stdin") + "\ta\n", "folders": "",
	} {
		id := tree(leaf)
		for range 8 {
			var lines strings.Builder
			for i := range 8 {
				fmt.Fprintf(&lines, "040000 tree %s\t%d\n", id, i)
			}
			id = tree(lines.String())
		}
		commit := c.git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit-tree", "-m", name, "-p", "HEAD", id)
		_, err := c.open().ChangedBy(t.Context(), commit)
		require.Equal(t, CodeFailed, fault.As(err).Code, name)
		require.Contains(t, fault.As(err).Detail, "more than 100000")
	}
}
