package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/git"
)

const maxOutput = 256 << 20 // bytes that one command of git may print: the paths of two million files

// CodeFailed is the code of a command that ended badly, or said what it should not. It may go better the next time.
const CodeFailed fault.Code = "git_failed"

// command runs the git command in one repository.
type command struct {
	start   git.Command
	timeout time.Duration
	hide    *strings.Replacer // keeps where the repository lies out of what git says
	starts  atomic.Int64      // processes started, for tests
}

// newCommand returns the command to use before the repository is known; at pins it to one repository.
func newCommand(path, dir string, timeout time.Duration) *command {
	return &command{start: git.Command{Path: path, Dir: dir}, timeout: timeout, hide: strings.NewReplacer()}
}

// at returns g in the repository of gitDir with the working tree root. With both named, git looks for no other
// repository further up when this one is deleted.
func (g *command) at(gitDir, root string) *command {
	pinned := newCommand(g.start.Path, root, g.timeout)
	pinned.hide = strings.NewReplacer(gitDir, ".git", root, ".")
	pinned.start.Env = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + root}
	return pinned
}

func (g *command) prepare(ctx context.Context, args ...string) *git.Process {
	g.starts.Add(1)
	return g.start.Prepare(ctx, args...)
}

// run gives a command its input and returns what it printed. An exit code other than 0 is an error; see exitCode.
func (g *command) run(ctx context.Context, input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	cmd := g.prepare(ctx, args...)
	out, words := &git.Output{Most: maxOutput}, &git.Output{Most: 4 << 10, Cut: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), out, words
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return "", g.late(ctx, args[0])
	case out.Full:
		return "", fault.New(fault.Unavailable, CodeFailed, "git %s printed more than %d bytes", args[0], maxOutput)
	case err != nil:
		said := cmp.Or(g.hide.Replace(git.Cause(words.String())), reasonOf(err))
		return "", fault.New(fault.Unavailable, CodeFailed, "git %s: %s", args[0], said).Because(err)
	}
	return out.String(), nil
}

// late returns the error of a command that ctx ended.
func (g *command) late(ctx context.Context, command string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, CodeFailed, "git %s did not answer within %s", command, g.timeout).
			Because(ctx.Err())
	}
	return fault.New(fault.Unavailable, CodeFailed, "git %s was called off", command).Because(ctx.Err())
}

// reasonOf returns err without the path that the system was given.
func reasonOf(err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// linesOf returns the non-empty lines of what a command printed.
func linesOf(out string) []string {
	return strings.FieldsFunc(out, func(c rune) bool { return c == '\n' })
}

// Turn lets one goroutine at a time do something, and the others give up waiting when their context ends.
type Turn chan struct{}

// NewTurn returns a turn that nobody has.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits until nobody else has the turn. An error means that ctx ended first.
func (t Turn) Take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, CodeFailed, "another lookup did not end in time").Because(ctx.Err())
	}
}

// Give ends the turn.
func (t Turn) Give() { <-t }
