package evidence

import (
	"context"
	"strings"
	"time"

	"orchestrator/internal/requirements/evidence/gitrepo"
)

const (
	listingAge = 2 * time.Second // for which what git listed is believed
	maxListing = 8 << 20         // bytes of a listing that is kept
)

// listing keeps for a moment what git tracks, and what it would add, in the working tree: a change may cite many files.
type listing struct {
	turn  gitrepo.Turn
	at    time.Time // before git listed it
	paths string    // each between two NULs
}

// checkKept refuses a file of the working tree that no commit will ever have: one that git ignores, or one of another
// repository. It is asked before the file is read, since what is found of it is public. The path is looked for in what
// git lists, and git is not told it.
func (r *Repository) checkKept(ctx context.Context, path string) error {
	l := &r.listing
	if err := l.turn.Take(ctx); err != nil {
		return err
	}
	defer l.turn.Give()
	if time.Since(l.at) < listingAge && l.has(path) {
		return nil
	}
	begun := time.Now()
	out, err := r.git.Files(ctx)
	if err != nil {
		return err
	}
	now := listing{paths: "\x00" + out}
	if len(out) <= maxListing {
		l.at, l.paths = begun, now.paths
	}
	if now.has(path) {
		return nil
	}
	return refuse("file_ignored",
		"%s is %s, but no commit will have it: git ignores it, or it belongs to another repository", path, inWorktree).
		WithFix("cite a file that git tracks, or would add; a test report may be ignored")
}

func (l *listing) has(path string) bool { return strings.Contains(l.paths, "\x00"+path+"\x00") }
