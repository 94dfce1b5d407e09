package hook

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

var update = flag.Bool("update", false, "compute the lists of commands in docs anew; read the difference")

const (
	everydayPage = "../../../docs/boundary-commands.md"
	hostilePage  = "../../../docs/boundary-hostile.md"
)

// Verifies: ORC-204
//
// The pages are true: the classes and reasons of their commands are those that a main session's call gets. Every line
// of the first page passes, and none of the second.
func TestCommandsOfThePages(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	for _, folder := range []string{"src", "scratch", "bin"} {
		require.NoError(t, os.Mkdir(filepath.Join(p.dir.Root, folder), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.dir.Root, "bin/tracked"), nil, 0o700))
	git(t, p.dir.Root, "init", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(p.dir.Root, "bin/tracked.log"), nil, 0o600))
	git(t, p.dir.Root, "add", "bin/tracked", "bin/tracked.log")
	seen := map[string]bool{}
	p.judgePage(everydayPage, seen, true)
	require.GreaterOrEqual(t, len(seen), 80)
	everyday := len(seen)
	p.judgePage(hostilePage, seen, false)
	require.GreaterOrEqual(t, len(seen)-everyday, 60)
}

// judgePage judges the commands of a page's list, and requires that all of them pass or none.
func (p project) judgePage(name string, seen map[string]bool, passes bool) {
	t := p.t
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	var out bytes.Buffer
	inList := false
	for line := range strings.Lines(string(page)) {
		text := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(text, "```") {
			inList = text == "```text"
		} else if inList {
			_, command, _ := strings.Cut(text, " ")
			command, _, _ = strings.Cut(strings.TrimLeft(command, " "), "  # ")
			require.False(t, seen[command], "twice: %s", command)
			seen[command] = true
			v := p.judged(strings.ReplaceAll(command, "␤", "\n"))
			require.Equal(t, passes, v.Decision == boundary.Allow, "%s: %+v", command, v)
			line = fmt.Sprintf("%-9s %s", v.Class, command)
			if !passes {
				line += "  # " + v.Reason
			}
			line += "\n"
		}
		out.WriteString(line)
	}
	if *update {
		require.NoError(t, os.WriteFile(name, out.Bytes(), 0o644))
		return
	}
	require.Equal(t, string(page), out.String(), "run with -update, and read what changed")
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
}

// judged returns the verdict on a command of the main session, with the policy of a new project that is enforced.
func (p project) judged(command string) boundary.Verdict {
	p.t.Helper()
	policy := boundary.DefaultPolicy()
	policy.Mode = boundary.Enforce
	event := agentclient.Event{Client: "claude", Tool: toolBash, Command: command, Cwd: p.dir.Root,
		Actor: boundary.Actor{Kind: boundary.Main}}
	call := callOf(event, newResolver(p.dir.Root, p.dir.Root, p.dir.Root, "").under(&policy), time.Unix(0, 0))
	return boundary.Judge(&policy, call)
}
