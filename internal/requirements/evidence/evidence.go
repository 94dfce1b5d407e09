// Package evidence looks cited files, commits and test reports up in a git repository, and later whether they still
// hold.
//
// What it cannot read it refuses: there is no answer "probably". A citation is text by someone who wants it to be
// accepted, so it is checked before anything is opened or started. git sees hexadecimal digits and nothing else of it;
// paths are compared with what git lists, and in the working tree they are opened under the root, never through a
// symbolic link. git runs without the caller's environment, without configuration from outside the repository, never
// over the network, and never longer than the deadline. What holds the answers in memory is derived from git and may be
// dropped at any time.
package evidence

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/git"
)

// Options are the limits of a Repository. A zero member stands for its default.
type Options struct {
	Git      string        // path of the git command; "" looks it up in PATH
	Timeout  time.Duration // of one lookup, and of one command of git in Recheck; 5 s
	MaxBytes int64         // of a file or report; 32 MiB
	Private  []string      // files and folders that nothing is looked up in, such as where the service keeps its tokens
}

const (
	defaultTimeout  = 5 * time.Second
	defaultMaxBytes = 32 << 20
)

// Repository is a git working tree in which evidence is looked up. Its methods may be called at the same time.
type Repository struct {
	options  Options
	root     string
	idLength int      // of a full id, in characters: 40 or 64
	private  []string // Options.Private that lie in the working tree, as paths from root
	common   string   // the git directory that all working trees of the repository share
	branch   atomic.Pointer[string]
	git      *gitCommand
	batch    *batch
	trees    trees
	facts    facts
	renames  renames
	reports  reports
	listing  listing
	assumed  assumed
}

// Open finds the working tree that dir lies in; its root is the top of that tree. Codes: git_missing where there is no
// git command, no_repository where dir is in no working tree, as in a bare repository.
func Open(ctx context.Context, dir string, o Options) (*Repository, error) {
	o = withDefaults(o)
	command, err := findGit(o.Git)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, noRepository(dir, err)
	}
	g := newGit(command, dir, o.Timeout)
	out, err := g.run(ctx, "", "rev-parse", "--is-inside-work-tree", "--show-object-format", "--absolute-git-dir",
		"--show-toplevel", "--git-common-dir")
	if err != nil {
		return nil, noRepository(dir, err)
	}
	part := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(part) != 5 || part[0] != "true" {
		return nil, noRepository(dir, nil)
	}
	lengths := map[string]int{"sha1": 40, "sha256": 64}
	r := &Repository{options: o, root: part[3], idLength: lengths[part[1]], git: g.at(part[2], part[3])}
	if r.idLength == 0 {
		return nil, noRepository(dir, fault.New(fault.Unavailable, failed, "unknown object format %q", part[1]))
	}
	if r.common = part[4]; !filepath.IsAbs(r.common) {
		r.common = filepath.Join(dir, r.common)
	}
	r.private = pathsUnder(r.root, o.Private)
	r.batch = newBatch(r.git)
	r.trees.turn, r.renames.turn, r.listing.turn, r.assumed.turn = newTurn(), newTurn(), newTurn(), newTurn()
	r.facts = facts{newTurn(), map[string]entry{}, map[string][]string{}, 0}
	r.reports = reports{newTurn(), map[string]*readReport{}}
	return r, nil
}

func withDefaults(o Options) Options {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	return o
}

func findGit(name string) (string, error) {
	command, err := git.Find(name)
	if err != nil {
		return "", fault.New(fault.Unavailable, CodeGitMissing, "there is no git command").
			WithFix("install git, or put it in PATH").Because(err)
	}
	return command, nil
}

func noRepository(dir string, err error) error {
	detail := fmt.Sprintf("%s is not in a git working tree", dir)
	if f := fault.As(err); f != nil {
		detail += ": " + f.Detail
	}
	return fault.New(fault.Unavailable, "no_repository", "%s", detail).
		WithFix("run git init there, or name a folder of a clone that is not bare").Because(err)
}

// Root returns the absolute path of the top of the working tree.
func (r *Repository) Root() string { return r.root }

// Look finds what e cites, or says what is wrong with it; exactly one of the two is nil. The Pointer of the field is
// left to the caller. Code CodeUnreadable means that it could not be looked up, and may be there.
func (r *Repository) Look(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, *fault.Field) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	found, err := r.look(ctx, e)
	if err != nil {
		return nil, field(err)
	}
	return found, nil
}

func (r *Repository) look(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, error) {
	if err := r.checkObjects(); err != nil {
		return nil, err
	}
	switch e.Kind {
	case lifecycle.EvidenceFile:
		return r.lookFile(ctx, e)
	case lifecycle.EvidenceCommit:
		return r.lookCommit(ctx, e)
	case lifecycle.EvidenceTest:
		return r.lookTest(ctx, e)
	}
	return nil, refuse("kind_unknown", "%q is no kind of evidence", e.Kind).WithFix("write file, commit or test")
}

// field returns an error as the part of a problem.
func field(err error) *fault.Field {
	f := fault.As(err)
	if f == nil {
		f = fault.New(fault.Unavailable, CodeUnreadable, "%v", err)
	}
	if f.Kind == fault.Unavailable {
		f = f.WithDetail("it cannot be looked up: %s", f.Detail).
			WithFix("%s", cmp.Or(f.Fix, "try again; if it stays so, the repository or git is broken"))
		f.Code = CodeUnreadable
	}
	return &fault.Field{Code: f.Code, Detail: f.Detail, Fix: f.Fix}
}

// Close ends the git process that is kept open. Lookups after it fail.
func (r *Repository) Close() error { return r.batch.close() }
