package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tourBlock is a block of commands in the README, and the output that is printed under it.
var tourBlock = regexp.MustCompile("(?s)<!-- tour -->\n```sh\n(.*?)```\n(?:```text\n(.*?)```\n)?")

// TestTheReadmesTour runs the README's tour as printed, on this project's own requirements.
func TestTheReadmesTour(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the tour needs %s, which is not installed", tool)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	blocks := tourBlock.FindAllStringSubmatch(string(readme), -1)
	require.Len(t, blocks, strings.Count(string(readme), "<!-- tour -->"), "every marked block is found")
	require.Greater(t, len(blocks), 5)

	dir := t.TempDir()
	requirements, err := os.ReadFile("../../REQUIREMENTS.md")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "REQUIREMENTS.md"), requirements, 0o600))
	startServer(t, dir)

	var script strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&script, "%s\necho '--- end of block'\n", b[1])
	}
	cmd := exec.Command("bash", "-eu", "-o", "pipefail", "-c", script.String())
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	printed := strings.Split(string(out), "--- end of block\n")
	require.Len(t, printed, len(blocks)+1)
	for i, b := range blocks {
		require.Equal(t, b[2], printed[i], "after the commands\n%s", b[1])
	}
}
