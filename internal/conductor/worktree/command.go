package worktree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/lazyregexp"
)

const (
	headsPrefix = "refs/heads/"
	prefix      = "orchestrator/"
	timeout     = 2 * time.Minute
	maxOutput   = 16 << 20 // bytes
)

// ourName is who merges.
var ourName = []string{"GIT_AUTHOR_NAME=orchestrator", "GIT_AUTHOR_EMAIL=orchestrator@localhost",
	"GIT_COMMITTER_NAME=orchestrator", "GIT_COMMITTER_EMAIL=orchestrator@localhost"}

// plainName matches the ids that can be names of branches and of folders as they are.
var plainName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// notPlain matches what such a name cannot have.
var notPlain = lazyregexp.New(`[^A-Za-z0-9_-]+`)

// nameOf returns the name of a requirement's branch and folder: its id, or for an id that git would refuse, or that
// another one could be taken for, what is left of it with a digest.
func nameOf(id string) string {
	if plainName().MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	words := strings.Trim(notPlain().ReplaceAllString(id, "-"), "-")
	return "id-" + words[:min(len(words), 40)] + "." + hex.EncodeToString(sum[:4])
}

// lockIn matches where git says that a file of its own is in the way: a command holds it, or has left it.
var lockIn = lazyregexp.New(`Unable to create '([^']+\.lock)': File exists`)

// run runs a command of git in a folder, and returns what it printed without the line end.
func (m *repository) run(ctx context.Context, dir string, args ...string) (string, error) {
	out, words, err := m.start(ctx, dir, args...)
	if err != nil {
		return "", failed(args[0], words, err)
	}
	return out, nil
}

// start runs a command of git, and returns its two outputs.
func (m *repository) start(ctx context.Context, dir string, args ...string) (out, words string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout) // no command is left half done
	defer cancel()
	command := m.git
	command.Dir, command.Env = dir, ourName
	cmd := command.Prepare(ctx, args...)
	said, complained := &git.Output{Most: maxOutput}, &git.Output{Most: 4 << 10, Cut: true}
	cmd.Stdout, cmd.Stderr = said, complained
	err = cmd.Run()
	return strings.TrimSuffix(said.String(), "\n"), complained.String(), err
}

// failed returns the error of a command of git that failed.
func failed(command, words string, err error) *fault.Error {
	why := cmp.Or(git.Cause(words), err.Error())
	f := fault.New(fault.Unavailable, CodeGit, "git %s: %s", command, why).
		WithFix("mend the repository, and drive again").Because(err)
	if lock := lockIn().FindStringSubmatch(why); lock != nil {
		f = f.WithFix("if no command of git is at work there, remove %s, and drive again", lock[1])
	}
	return f
}

// resolve returns the commit of a ref; "" where there is none.
func (m *repository) resolve(ctx context.Context, ref string) (string, error) {
	out, words, err := m.start(ctx, m.Root, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if git.ExitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", failed("rev-parse "+ref, words, err)
	}
	return out, nil
}

// tip returns the commit of the branch that counts, which has to be a local one.
func (m *repository) tip(ctx context.Context) (string, error) {
	name := m.Branch()
	at := ""
	if name != "" {
		var err error
		if at, err = m.resolve(ctx, headsPrefix+name); err != nil {
			return "", err
		}
	}
	if at == "" {
		return "", fault.New(fault.Conflict, CodeNoBranch, "there is no local branch %q with a commit to merge into",
			name).
			WithFix("commit something, or name a local branch: serve --branch NAME")
	}
	return at, nil
}

// ahead returns how many commits are in the history of one commit and not in that of the base.
func (m *repository) ahead(ctx context.Context, base, at string) (int, error) {
	if at == "" {
		return 0, nil
	}
	out, err := m.run(ctx, m.Root, "rev-list", "--count", base+".."+at)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

// branchIn returns the ref that is checked out in a tree; "" where that is none, or cannot be told.
func (m *repository) branchIn(ctx context.Context, t *Tree) string {
	ref, err := m.run(ctx, t.Path, "symbolic-ref", "--quiet", "HEAD")
	if err != nil {
		return ""
	}
	return ref
}

// uncommitted returns the files of a tree that are not as its last commit has them, and those that are not committed.
func (m *repository) uncommitted(ctx context.Context, t *Tree) ([]string, error) {
	at, err := m.run(ctx, t.Path, "rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel")
	if err == nil && at != m.common+"\n"+t.Path {
		err = fmt.Errorf("%s is no working tree of this repository", t.Path)
	}
	if err != nil {
		return nil, err
	}
	return m.apparent(ctx, t.Path)
}

// changed returns the files of a working tree that git shows as changed: untracked is all or no, as git status has it.
func (m *repository) changed(ctx context.Context, dir, untracked string) (files []string, err error) {
	out, err := m.run(ctx, dir, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files="+untracked)
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			files = append(files, filepath.ToSlash(entry[3:]))
		}
	}
	return files, err
}

// apparent returns the files of a working tree that are not as its last commit has them, and those whose index keeps
// git from looking.
func (m *repository) apparent(ctx context.Context, dir string) ([]string, error) {
	changed, err := m.changed(ctx, dir, "all")
	if err != nil {
		return nil, err
	}
	unseen, err := m.unseen(ctx, dir)
	all := append(changed, unseen...)
	slices.Sort(all)
	return slices.Compact(all), err
}

// unseen returns the files of which the index of a working tree says that they are to be taken for unchanged
// (assume-unchanged), or that they need not be there (skip-worktree): git status does not show what becomes of them. A
// file that is not there because of a sparse checkout is as it should be.
func (m *repository) unseen(ctx context.Context, dir string) (files []string, err error) {
	out, err := m.run(ctx, dir, "ls-files", "-v", "-z")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		tag, file, _ := strings.Cut(entry, " ")
		if file != "" && (tag == "S" || unicode.IsLower(rune(tag[0]))) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	sparse, _, err := m.start(ctx, dir, "config", "--type=bool", "--get", "core.sparseCheckout")
	if err != nil && git.ExitCode(err) != 1 {
		return files, nil // it is not known to be sparse
	}
	return slices.DeleteFunc(files, func(file string) bool {
		_, err := os.Lstat(filepath.Join(dir, file))
		return sparse == "true" && errors.Is(err, fs.ErrNotExist)
	}), nil
}

// show makes git look again at files that the index kept it from looking at.
func (m *repository) show(ctx context.Context, dir string) error {
	files, err := m.unseen(ctx, dir)
	for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		for some := range slices.Chunk(files, 500) {
			if err == nil {
				_, err = m.run(ctx, dir, append([]string{"update-index", flag, "--"}, some...)...)
			}
		}
	}
	return err
}

// steering returns what differs between two commits, by the arguments of git diff, and is not for agents to change.
func (m *repository) steering(ctx context.Context, span ...string) ([]string, error) {
	if m.Steering == nil {
		return nil, nil
	}
	args := []string{"diff", "--name-only", "--no-renames", "--ignore-submodules=none", "-z"}
	out, err := m.run(ctx, m.Root, append(args, span...)...)
	changed := strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	return m.Steering(ctx, changed), nil
}

// newSteering returns what was changed on the way from one commit to another, is not for agents to change, and does not
// come from the branch that counts.
func (m *repository) newSteering(ctx context.Context, from, to string) ([]string, error) {
	if from == to || from == "" || to == "" {
		return nil, nil
	}
	tip, err := m.tip(ctx)
	if err != nil {
		return nil, err
	}
	own, err := m.steering(ctx, tip+"..."+to)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	now, err := m.steering(ctx, from+"..."+to)
	return slices.DeleteFunc(now, func(file string) bool { return !slices.Contains(own, file) }), err
}

// few returns the first of several names.
func few(names []string) string {
	const most = 10
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
