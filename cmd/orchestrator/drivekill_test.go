package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// KILL_AT names a file with the moment at which the service is to be killed.
const killVariable = "KILL_AT"

// moment notes what an agent does; where it is the moment to do so, it kills the service, and with it the agent.
func moment(what, id string) {
	file := os.Getenv(killVariable)
	if file == "" {
		return
	}
	if seen, err := os.OpenFile(file+".seen", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(seen, what, id)
		_ = seen.Close()
	}
	at, err := os.ReadFile(file)
	if err != nil || string(at) != what+" "+id+"\n" {
		return
	}
	_ = os.Remove(file)
	_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
	os.Exit(1)
}

// killingGit stands in for git. It kills the service that starts it before or after one of its commands.
const killingGit = `#!/bin/sh
if [ -f %[1]s ] && [ "$PPID" = "$(cat %[1]s.pid)" ]; then
	read -r who when what < %[1]s
	case "$who $PWD $*" in
	git*$what*)
		rm %[1]s
		[ "$when" = after ] && %[2]s "$@"
		kill -9 $PPID
		exit 1 ;;
	esac
fi
exec %[2]s "$@"
`

// mortal is a project whose service is killed while requirements are driven.
type mortal struct {
	t      *testing.T
	dir    string
	at     string // the file that KILL_AT names
	env    []string
	server *process
}

// mortalAgents declare the agents of the tests, which know KILL_AT.
func mortalAgents() (text string) {
	for role, kind := range map[string]string{"architect": "design_spec", "coder": "implementation", "tester": "test",
		"pm": "signoff"} {
		text += fmt.Sprintf("---\nname: agents.%[1]s\nversion: \"1\"\nrole: %[1]s\ndescription: Works.\n"+
			"satisfies: [ACHIEVE(requirement.%[2]s)]\nproduces: {type: object}\nreliability: medium\ncost: high\n"+
			"latency_ms: 60000\ntimeout_ms: 60000\nverify: off\nidempotent: false\n"+
			"implementation: {means: exec, argv: [agent, %[1]s], env: [PATH, %[3]s], stdin: prompt}\n",
			role, kind, killVariable)
	}
	return strings.TrimPrefix(text, "---\n")
}

func newMortal(t *testing.T, requirements int) *mortal {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("this needs git, which is not installed")
	}
	m := &mortal{t: t, dir: filepath.Join(t.TempDir(), "shop"), at: filepath.Join(t.TempDir(), "at")}
	bin := t.TempDir()
	document := "# Shop\n\n"
	for i := range requirements {
		document += fmt.Sprintf("- **SHOP-%03d**: The shop has part %d.\n", i+1, i+1)
	}
	for file, text := range map[string]string{
		filepath.Join(bin, "git"):                               fmt.Sprintf(killingGit, m.at, git),
		filepath.Join(m.dir, "REQUIREMENTS.md"):                 document,
		filepath.Join(m.dir, ".gitignore"):                      ".orchestrator/\nproject_status.*\n.project_status.*\n",
		filepath.Join(m.dir, ".orchestrator/tools/agents.yaml"): mortalAgents(),
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o700))
	}
	m.env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), killVariable+"="+m.at,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	m.git("init", "-q", "-b", "main")
	m.git("add", "-A")
	m.git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first")
	t.Cleanup(func() { m.server.kill() })
	m.start()
	return m
}

func (m *mortal) git(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", m.dir}, args...)...).CombinedOutput()
	require.NoError(m.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (m *mortal) start() {
	m.t.Helper()
	server, err := start(m.dir, m.env, []string{program()}, "--workflow", "rework")
	require.NoError(m.t, err)
	m.server = server
	require.NoError(m.t, os.WriteFile(m.at+".pid", []byte(fmt.Sprint(server.cmd.Process.Pid)), 0o600))
}

// drive drives one requirement, and returns what was printed. The service is killed when it says enough.
func (m *mortal) drive(id string, enough func(line string) bool) (said string, done bool) {
	m.t.Helper()
	cmd := exec.Command(program(), "drive", "--requirement", id)
	cmd.Dir, cmd.Env = m.dir, m.env
	out, err := cmd.StdoutPipe()
	require.NoError(m.t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(m.t, cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if said += lines.Text() + "\n"; enough(lines.Text()) {
			m.server.kill()
		}
	}
	return said, cmd.Wait() == nil
}

func never(string) bool { return false }

// begun returns how often the agent of a role was started for a requirement.
func (m *mortal) begun(role, id string) int {
	seen, err := os.ReadFile(m.at + ".seen")
	require.NoError(m.t, err)
	return strings.Count(string(seen), role+" begun "+id+"\n")
}

// survives kills the service at a moment of a drive, starts it again, and holds the drive that follows to its promises.
func (m *mortal) survives(id, at string, enough func(line string) bool) {
	t := m.t
	t.Helper()
	if at != "" {
		require.NoError(t, os.WriteFile(m.at, []byte(at+"\n"), 0o600))
	}
	said, done := m.drive(id, enough)
	require.False(t, done, "the service was not killed at %q: %s", at, said)
	require.NoError(t, poll(func() error {
		if !m.server.ended() {
			return fmt.Errorf("the service still runs: %s", said)
		}
		return nil
	}))
	m.start()
	again, done := m.drive(id, never)
	if strings.HasPrefix(at, "coder written") {
		tree := filepath.Join(m.dir, ".orchestrator/worktrees", id)
		require.Contains(t, again, "has changes that nobody committed: src/"+id+".go")
		require.FileExists(t, filepath.Join(tree, "src", id+".go"), "nothing is lost")
		m.git("worktree", "remove", "--force", tree)
		again, done = m.drive(id, never)
	}
	require.True(t, done, "killed at %q, which said %s and then %s", at, said, again)
	killed, _, _ := strings.Cut(at, " ")
	for _, role := range []string{"architect", "coder", "tester", "pm"} {
		times := 1
		if role == killed && !strings.Contains(at, " sent ") {
			times = 2 // its end was not on record, and its work was not done
		}
		require.Equal(t, times, m.begun(role, id), "%s, killed at %q: %s", role, at, again)
	}
	subjects := m.git("log", "--format=%s", "main") + "\n"
	require.Equal(t, 1, strings.Count(subjects, "build src/"+id+".go\n"), "killed at %q", at)
	require.Equal(t, 1, strings.Count(subjects, "Merge orchestrator/"+id+" into main\n"), "killed at %q", at)
	require.NotContains(t, m.git("for-each-ref"), "orchestrator/"+id, "killed at %q", at)
	require.NotContains(t, m.git("worktree", "list"), id, "killed at %q", at)
	require.Empty(t, m.git("status", "--porcelain"), "killed at %q", at)
}

// ends ends the service, and has its log verified.
func (m *mortal) ends() {
	require.NoError(m.t, m.server.stop(0))
	verify := exec.Command(program(), "verify")
	verify.Dir, verify.Env = m.dir, m.env
	said, err := verify.CombinedOutput()
	require.NoError(m.t, err, "%s", said)
}

// A service that is killed at any moment of an agent's run loses nothing, and does nothing twice.
//
// Verifies: ORC-276
func TestADriveSurvivesAKillWhileAnAgentWorks(t *testing.T) {
	t.Parallel()
	moments := []string{"architect begun", "architect sent", "coder begun", "coder written", "coder committed",
		"coder sent", "tester begun", "tester attached", "tester sent", "pm begun", "pm sent"}
	m := newMortal(t, len(moments))
	for i, what := range moments {
		id := fmt.Sprintf("SHOP-%03d", i+1)
		m.survives(id, what+" "+id, never)
	}
	m.ends()
}

// The same holds before and after each command of git by which a tree is made, merged and removed: between the merge and
// the record of the move, too.
//
// Verifies: ORC-276
func TestADriveSurvivesAKillAroundAMerge(t *testing.T) {
	t.Parallel()
	var moments []string
	for _, command := range []string{"worktree add", "merge-tree", "commit-tree", "shop --no-pager*merge --quiet --ff-only",
		"worktrees/*merge --quiet --ff-only", "worktree remove", "update-ref -d"} {
		moments = append(moments, "git before "+command, "git after "+command)
	}
	m := newMortal(t, len(moments))
	for i, at := range moments {
		m.survives(fmt.Sprintf("SHOP-%03d", i+1), at, never)
	}
	m.ends()
}

// The same holds after each step that was told.
//
// Verifies: ORC-276
func TestADriveSurvivesAKillAfterEachStep(t *testing.T) {
	t.Parallel()
	const steps = 10 // the eleventh is the last
	m := newMortal(t, steps)
	for i := range steps {
		left := i + 1
		m.survives(fmt.Sprintf("SHOP-%03d", i+1), "", func(line string) bool {
			if strings.Contains(line, ": resolved by ") {
				left--
			}
			return left == 0
		})
	}
	m.ends()
}
