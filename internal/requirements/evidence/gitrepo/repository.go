// Package gitrepo reads one git repository: the tip of a branch, the history of commits, what they have, and what was
// renamed between them.
//
// git sees hexadecimal ids, constants, and the name of a branch that an operator gave; never a path, and nothing that
// could be an option. What it prints is bounded, and what it says of where the repository lies is taken out. How often
// it is started does not depend on how much is asked at once: objects are read through one process that is kept open.
// What holds the answers in memory is derived from git and may be dropped at any time.
package gitrepo

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
)

// Repository is a git working tree and its repository. Its methods may be called at the same time.
type Repository struct {
	Root     string // absolute path of the top of the working tree
	IDLength int    // of a full id, in characters: 40 or 64

	common  string // the git directory that all working trees of the repository share
	branch  atomic.Pointer[string]
	git     *command
	batch   *batch
	trees   trees
	objects *objects
	renames renames
}

// Open finds the working tree that dir, an absolute path, lies in. One command may take timeout. Code: no_repository
// where dir is in no working tree, as in a bare repository.
func Open(ctx context.Context, git, dir string, timeout time.Duration) (*Repository, error) {
	g := newCommand(git, dir, timeout)
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
	r := &Repository{Root: part[3], IDLength: lengths[part[1]], common: part[4], git: g.at(part[2], part[3])}
	if r.IDLength == 0 {
		return nil, noRepository(dir, fault.New(fault.Unavailable, CodeFailed, "unknown object format %q", part[1]))
	}
	if !filepath.IsAbs(r.common) {
		r.common = filepath.Join(dir, r.common)
	}
	r.batch = newBatch(r.git)
	r.objects = newObjects(r.batch, r.IDLength/2)
	r.trees = trees{git: r.git, turn: NewTurn()}
	r.renames = renames{git: r.git, objects: r.objects, turn: NewTurn(), kept: map[Pair]Renames{}}
	return r, nil
}

func noRepository(dir string, err error) error {
	return fault.New(fault.Unavailable, "no_repository", "%s is not in a git working tree", dir).
		WithFix("run git init there, or name a folder of a clone that is not bare").Because(err)
}

// SetTimeout sets how long one command may take from now on. It must not be called while others are.
func (r *Repository) SetTimeout(timeout time.Duration) { r.git.timeout = timeout }

// Starts returns how many processes were started.
func (r *Repository) Starts() int64 { return r.git.starts.Load() }

// Files lists the files of the working tree that git tracks, or would add, each with a NUL behind it.
func (r *Repository) Files(ctx context.Context) (string, error) {
	return r.git.run(ctx, "", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
}

// Close ends the git process that is kept open. Reading objects after it fails.
func (r *Repository) Close() error { return r.batch.close() }
