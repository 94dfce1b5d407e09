package evidence

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/git"
)

const (
	maxOutput = 256 << 20    // bytes that one command of git may print: the paths of two million files
	failed    = "git_failed" // code of a command that ended badly; callers only see the text
)

// The codes of evidence that a caller decides by.
const (
	CodeUnreadable fault.Code = "evidence_unreadable" // it could not be looked up, and may be there
	CodeGitMissing fault.Code = "git_missing"         // there is no program git

	codeLinesOutside fault.Code = "lines_outside" // the file has fewer lines
)

// gitCommand runs the git command in one repository.
type gitCommand struct {
	start   git.Command
	timeout time.Duration
	hide    *strings.Replacer // keeps where the repository lies out of what git says
	starts  atomic.Int64      // processes started, for tests
}

// newGit returns the command to use before the repository is known; at pins it to one repository.
func newGit(command, dir string, timeout time.Duration) *gitCommand {
	return &gitCommand{start: git.Command{Path: command, Dir: dir}, timeout: timeout, hide: strings.NewReplacer()}
}

// at returns g in the repository of gitDir with the working tree root. With both named, git looks for no other
// repository further up when this one is deleted.
func (g *gitCommand) at(gitDir, root string) *gitCommand {
	pinned := newGit(g.start.Path, root, g.timeout)
	pinned.hide = strings.NewReplacer(gitDir, ".git", root, ".")
	pinned.start.Env = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + root}
	return pinned
}

func (g *gitCommand) prepare(ctx context.Context, args ...string) *git.Process {
	g.starts.Add(1)
	return g.start.Prepare(ctx, args...)
}

// run gives a command its input and returns what it printed. An exit code other than 0 is an error; see exitCode.
func (g *gitCommand) run(ctx context.Context, input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	cmd := g.prepare(ctx, args...)
	out, words := &git.Output{Most: maxOutput}, &git.Output{Most: 4 << 10, Cut: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), out, words
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return "", g.late(ctx, args[0])
	case out.Full:
		return "", fault.New(fault.Unavailable, failed, "git %s printed more than %d bytes", args[0], maxOutput)
	case err != nil:
		said, _, _ := strings.Cut(strings.TrimSpace(words.String()), "\n")
		said = cmp.Or(g.hide.Replace(strings.TrimPrefix(said, "fatal: ")), reason(err))
		return "", fault.New(fault.Unavailable, failed, "git %s: %s", args[0], said).Because(err)
	}
	return out.String(), nil
}

// late returns the error of a command that ctx ended.
func (g *gitCommand) late(ctx context.Context, command string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, failed, "git %s did not answer within %s", command, g.timeout).
			Because(ctx.Err())
	}
	return fault.New(fault.Unavailable, failed, "git %s was called off", command).Because(ctx.Err())
}

// linesOf returns the non-empty lines of what a command printed.
func linesOf(out string) []string {
	return strings.FieldsFunc(out, func(c rune) bool { return c == '\n' })
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
