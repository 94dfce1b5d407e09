package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orchestrator/internal/fault"
)

// Everyone selects the history of every branch and tag.
var Everyone = []string{"--branches", "--remotes", "--tags"}

// Objects returns the full ids of the objects that a full or short hexadecimal id stands for. A full one may be
// missing.
func (r *Repository) Objects(ctx context.Context, id string) ([]string, error) {
	if len(id) == r.IDLength {
		return []string{id}, nil
	}
	for range 2 { // where packs are replaced while git lists them, it misses what they hold
		// Not "rev-parse --verify": that takes a branch of this name for the commit.
		out, err := r.git.run(ctx, "", "rev-parse", "--disambiguate="+id)
		if ids := linesOf(out); err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	return nil, nil
}

// Kinds returns what each object is, by full id: commit, tree, blob or tag. Missing objects are left out.
func (r *Repository) Kinds(ctx context.Context, ids []string) (map[string]string, error) {
	kinds := make(map[string]string, len(ids))
	if len(ids) == 0 {
		return kinds, nil
	}
	out, err := r.git.run(ctx, strings.Join(ids, "\n")+"\n", "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	answers := linesOf(out)
	if len(answers) != len(ids) {
		return nil, fault.New(fault.Unavailable, CodeFailed, "git cat-file answered %d of %d questions", len(answers),
			len(ids))
	}
	for i, answer := range answers {
		part := strings.Fields(answer)
		switch {
		case len(part) == 3 && part[0] == ids[i]:
			kinds[ids[i]] = part[1]
		case len(part) != 2 || part[0] != ids[i] || part[1] != "missing":
			return nil, fault.New(fault.Unavailable, CodeFailed, "git cat-file answered something else than was asked")
		}
	}
	return kinds, nil
}

// Tagged returns the full id of the commit that a tag points at, given by its own full id.
func (r *Repository) Tagged(ctx context.Context, id string) (string, error) {
	out, err := r.git.run(ctx, "", "rev-parse", "--verify", id+"^{commit}")
	return strings.TrimSpace(out), err
}

// Outside returns which of the commits are not in the history of from: "HEAD", a full id, or Everyone. Every commit
// must exist. A broken ref has no history.
func (r *Repository) Outside(ctx context.Context, commits []string, from ...string) (map[string]bool, error) {
	left := map[string]bool{}
	if len(commits) == 0 {
		return left, nil
	}
	limit := "--max-count=-1"
	if len(commits) == 1 {
		limit = "--max-count=1" // that any is outside means that this one is
	}
	args := append([]string{"rev-list", limit, "--ignore-missing", "--stdin", "--not"}, from...)
	out, err := r.git.run(ctx, strings.Join(commits, "\n")+"\n", append(args, "--")...)
	if err != nil {
		return nil, err
	}
	if lines := linesOf(out); len(commits) == 1 && len(lines) > 0 {
		left[commits[0]] = true
	} else {
		for _, commit := range lines {
			left[commit] = true
		}
	}
	return left, nil
}

// Shallow reports whether the history of this clone ends early.
func (r *Repository) Shallow(ctx context.Context) bool {
	out, err := r.git.run(ctx, "", "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(out) == "true"
}

// Cut returns what tells one place from another where the history of a shallow clone is cut off; "" for a clone that
// has all of it. Nothing is started.
func (r *Repository) Cut() string {
	info, err := os.Lstat(filepath.Join(r.common, "shallow"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return " " + err.Error()
	}
	return fmt.Sprintf(" %d %d", info.Size(), info.ModTime().UnixNano())
}

// Partial reports whether this clone was made without some of the objects. Older versions of git die in such a clone
// when they miss an object and may not fetch it.
func (r *Repository) Partial(ctx context.Context) bool { return r.git.partial(ctx) }

func (g *command) partial(ctx context.Context) bool {
	_, err := g.run(ctx, "", "config", "--get-regexp", `^remote\..*\.promisor$`)
	return err == nil
}

// Place returns what a commit has at path, and the zero Entry where it has nothing or a folder.
func (r *Repository) Place(ctx context.Context, commit, path string) (Entry, error) {
	return r.objects.place(ctx, commit, path)
}

// SameFiles reports whether two commits have the same files, with the same content and modes.
func (r *Repository) SameFiles(ctx context.Context, a, b string) (bool, error) {
	roots, err := r.renames.roots(ctx, Pair{a, b})
	return roots.From == roots.To, err
}

// ChangedBy returns the paths that a commit changed against its first parent, all of them for a commit without parent.
func (r *Repository) ChangedBy(ctx context.Context, commit string) ([]string, error) {
	return r.objects.changedBy(ctx, commit)
}

// Tree lists a commit, given by its full id.
func (r *Repository) Tree(ctx context.Context, commit string) (*Tree, error) {
	return r.trees.list(ctx, commit)
}

// Renames returns what was renamed between the commits of each pair. git is asked once for all of them.
func (r *Repository) Renames(ctx context.Context, pairs []Pair) (map[Pair]Renames, error) {
	return r.renames.between(ctx, pairs)
}

// Blob returns the content of a file, given by its id, of at most most bytes. A missing one is fault.NotFound, a larger
// one fault.TooLarge.
func (r *Repository) Blob(ctx context.Context, id string, most int64) ([]byte, error) {
	return r.batch.object(ctx, id, "blob", most)
}
