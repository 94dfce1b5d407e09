// Package evidence looks cited files, commits and test reports up in a git repository, and later whether they still hold.
//
// What it cannot read it refuses: there is no answer "probably". A citation is text by someone who wants it to be
// accepted, so it is checked before anything is opened or started: git sees only full hexadecimal ids that git itself
// has listed, or hexadecimal digits; paths are compared with what git lists, and in the working tree they are opened
// under the root, never through a symbolic link. git runs without the caller's environment, without configuration
// outside the repository, never over the network, and never longer than the deadline.
package evidence

import (
	"context"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// Options are the limits of a Repository. A zero member stands for its default.
type Options struct {
	Git      string        // path of the git command; "" looks it up in PATH
	Timeout  time.Duration // of one lookup, and of one command of git in Recheck; 5 s
	MaxBytes int64         // of a file or report; 32 MiB
}

// Repository is a git working tree in which evidence is looked up. Its methods may be called at the same time.
type Repository struct {
	root string
}

// Verdict is what checking a citation again came to.
type Verdict struct {
	Reason  string // "" when it holds; else one of the reasons of lifecycle.Stale
	Detail  string // what was cited and what is there now; "" when it holds
	MovedTo string // it holds, but stands at path, or path:first-last, now
}

// Open finds the working tree that dir lies in; its root is the top of that tree. Codes: git_missing where there is no
// git command, no_repository where dir is in no working tree, as in a bare repository.
func Open(ctx context.Context, dir string, o Options) (*Repository, error) {
	return nil, fault.New(fault.Unavailable, "no_repository", "%s is not in a git working tree", dir)
}

// Root is the absolute path of the top of the working tree.
func (r *Repository) Root() string { return r.root }

// Head is the full id of the commit that is checked out, or "" before the first commit.
func (r *Repository) Head(ctx context.Context) (string, error) { return "", nil }

// Look finds what e cites, or says what is wrong with it; exactly one of the two is nil. The Pointer of the field is
// left to the caller.
func (r *Repository) Look(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, *fault.Field) {
	return nil, &fault.Field{Code: "evidence_unreadable", Detail: "not built yet"}
}

// Recheck says of each cited item, in their order, whether what was found then still holds. Items carry Found. What
// cannot be read is lifecycle.Unreadable; the error is that of ctx alone.
func (r *Repository) Recheck(ctx context.Context, cited []lifecycle.Evidence) ([]Verdict, error) {
	return make([]Verdict, len(cited)), nil
}

// Close ends the git process that is kept open.
func (r *Repository) Close() error { return nil }
