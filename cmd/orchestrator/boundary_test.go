package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what is printed into the pages that show it")

// boundaryBlock is a block of commands in a page about the boundary, and the output that is printed under it.
var boundaryBlock = regexp.MustCompile("(?s)<!-- boundary -->\n```sh\n(.*?)```\n```text\n(.*?)```\n")

// TestTheReadmesBoundary runs the blocks of each page as printed, one after the other, in a project that was just set
// up.
func TestTheReadmesBoundary(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the blocks need bash, which is not installed")
	}
	for _, page := range []string{"boundary", "enforcing"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			runBoundaryPage(t, bash, "../../docs/"+page+".md")
		})
	}
}

func runBoundaryPage(t *testing.T, bash, path string) {
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	page := string(raw)
	blocks := boundaryBlock.FindAllStringSubmatch(page, -1)
	require.Len(t, blocks, strings.Count(page, "<!-- boundary -->"), "every marked block is found")
	require.Greater(t, len(blocks), 3)

	dir := t.TempDir()
	out, code := orchestrate(t, dir, "boundary", "install", "claude", "--client-version", "2.1.300")
	require.Zero(t, code, out)
	var script strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&script, "%s\necho '--- end of block'\n", b[1])
	}
	cmd := exec.Command(bash, "-eu", "-o", "pipefail", "-c", script.String())
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	all, err := cmd.Output()
	require.NoError(t, err, string(all))
	printed := strings.Split(string(all), "--- end of block\n")
	require.Len(t, printed, len(blocks)+1)
	for i, b := range blocks {
		if *update {
			page = strings.Replace(page, b[0], strings.Replace(b[0], "```text\n"+b[2], "```text\n"+printed[i], 1), 1)
			continue
		}
		require.Equal(t, b[2], printed[i], "after the commands\n%s", b[1])
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
	}
}
