package evidence

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"orchestrator/internal/fault"
)

const (
	maxOutput = 256 << 20    // bytes that one command of git may print: the paths of two million files
	lastWords = time.Second  // for a killed process to let go of its pipes
	noFile    = "/dev/null"  // for git: there is none
	failed    = "git_failed" // code of a command that ended badly; callers only see the text
	unread    = "evidence_unreadable"
)

// git starts the git command in one repository, with an environment and options that leave nothing to whoever wrote
// the repository's configuration, to the caller's environment, or to the network.
type git struct {
	command string // absolute path
	dir     string // where it runs
	env     []string
	timeout time.Duration
	hide    *strings.Replacer // keeps where the repository lies out of what git says
	starts  atomic.Int64      // processes started, for tests
}

// newGit is git as it is used before the repository is known. at pins it to one repository.
func newGit(command, dir string, timeout time.Duration) *git {
	return &git{command: command, dir: dir, timeout: timeout, hide: strings.NewReplacer(), env: []string{
		"PATH=" + os.Getenv("PATH"),
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + noFile,
		"GIT_NO_REPLACE_OBJECTS=1", // a replacement shows another content under the same id
		"GIT_GRAFT_FILE=" + noFile, // and a graft another history
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", // for versions that do not know the line above
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
	}}
}

// at is g in the repository of gitDir with the working tree root. With both named, git looks for no other repository
// further up when this one is deleted.
func (g *git) at(gitDir, root string) *git {
	pinned := newGit(g.command, root, g.timeout)
	pinned.hide = strings.NewReplacer(gitDir, ".git", root, ".")
	pinned.env = append(pinned.env, "GIT_DIR="+gitDir, "GIT_WORK_TREE="+root)
	return pinned
}

// prepare makes a command that is killed with all its children when ctx ends.
//
// safe.directory: git refuses repositories of other users because their configuration can start programs. The operator
// named this one, often from a container with another user, and none of the commands used here starts one.
func (g *git) prepare(ctx context.Context, args ...string) *exec.Cmd {
	g.starts.Add(1)
	options := []string{"--no-pager", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + noFile}
	cmd := exec.CommandContext(ctx, g.command, append(options, args...)...)
	cmd.Dir, cmd.Env = g.dir, g.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = lastWords
	return cmd
}

// run gives a command its input and returns what it printed. An exit code other than 0 is an error; see exitCode.
func (g *git) run(ctx context.Context, input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	cmd := g.prepare(ctx, args...)
	out, words := &capped{most: maxOutput}, &capped{most: 4 << 10}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), out, quiet{words}
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return "", g.late(ctx, args[0])
	case out.full:
		return "", fault.New(fault.Unavailable, failed, "git %s printed more than %d bytes", args[0], maxOutput)
	case err != nil:
		said, _, _ := strings.Cut(strings.TrimSpace(words.String()), "\n")
		said = cmp.Or(g.hide.Replace(strings.TrimPrefix(said, "fatal: ")), reason(err))
		return "", fault.New(fault.Unavailable, failed, "git %s: %s", args[0], said).Because(err)
	}
	return out.String(), nil
}

// late is the error of a command that ctx ended.
func (g *git) late(ctx context.Context, command string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, failed, "git %s did not answer within %s", command, g.timeout).Because(ctx.Err())
	}
	return fault.New(fault.Unavailable, failed, "git %s was called off", command).Because(ctx.Err())
}

// exitCode is the code that a command of git ended with, -1 where it did not end by itself.
func exitCode(err error) int {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// linesOf are the non-empty lines of what a command printed.
func linesOf(out string) []string {
	return strings.FieldsFunc(out, func(c rune) bool { return c == '\n' })
}

// capped keeps what is written to it, up to most bytes; more is an error.
type capped struct {
	bytes.Buffer
	most int
	full bool
}

func (c *capped) Write(p []byte) (int, error) {
	if c.full = c.full || c.Len()+len(p) > c.most; c.full {
		return 0, fmt.Errorf("more than %d bytes", c.most)
	}
	return c.Buffer.Write(p)
}

// quiet takes everything and lets its writer keep what it can.
type quiet struct{ io.Writer }

func (q quiet) Write(p []byte) (int, error) {
	_, _ = q.Writer.Write(p)
	return len(p), nil
}

// turn lets one goroutine at a time do something, and the others give up waiting when their context ends.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, failed, "another lookup did not end in time").Because(ctx.Err())
	}
}

func (t turn) give() { <-t }
