package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

const maxRenames = 64 // earlier commits whose renames are kept

// file checks a cited file. What was found at a commit of another branch holds as long as that commit is there: to
// check another branch out changes nothing. What was found at HEAD is compared with the HEAD of now, even where the
// commit of then was amended away. What the evidence itself tied to a commit is gone with that commit.
func (c *check) file(ctx context.Context, e lifecycle.Evidence) Standing {
	now, then := c.tree.entries[e.Path], e.Found
	if then.In != lifecycle.InWorktree {
		switch at := c.ancestries[then.Commit]; {
		case at == elsewhere:
			return Standing{}
		case at != inHistory && then.In == lifecycle.InCommit:
			return c.commit(then.Commit)
		}
	}
	if now.isFile() && now.id == then.Blob {
		return Standing{}
	}
	lines, err := parseSpan(e.Lines)
	if err != nil {
		return cannot(err)
	}
	if now.isFile() {
		return c.fileAt(ctx, e, lines, e.Path)
	}
	if then.In == lifecycle.InWorktree && now.mode == "" {
		return c.fileOnDisk(ctx, e, lines)
	}
	return c.moved(ctx, e, lines)
}

// fileAt compares with what HEAD has at path.
func (c *check) fileAt(ctx context.Context, e lifecycle.Evidence, lines span, path string) Standing {
	content, err := c.blob(ctx, &c.now, path, c.tree.entries[path].id)
	if err != nil {
		return cannot(err)
	}
	return c.compare(ctx, e, lines, path, content, "at HEAD ("+short(c.head)+")")
}

// blob reads a file of git, and keeps it.
func (c *check) blob(ctx context.Context, k *kept, path, id string) ([]byte, error) {
	if k.key == id {
		return k.content, nil
	}
	content, err := c.r.blob(ctx, path, id)
	if errors.Is(err, context.DeadlineExceeded) {
		c.failure = err
	}
	if err == nil {
		*k = kept{id, content}
	}
	return content, err
}

// fileOnDisk compares with the working tree, for a file that HEAD lacked then and still lacks.
func (c *check) fileOnDisk(ctx context.Context, e lifecycle.Evidence, lines span) Standing {
	err := c.r.checkPath(e.Path)
	var f diskFile
	if err == nil {
		f, err = stat(c.root, e.Path)
	}
	switch {
	case errors.Is(err, fault.NotFound):
		if to, found := c.sameContent(e, lines); found {
			return Standing{MovedTo: to}
		}
		return Standing{Reason: lifecycle.FileGone, Detail: fault.As(err).Detail}
	case errors.Is(err, fault.Invalid):
		return Standing{Reason: lifecycle.FileGone, Detail: fault.As(err).Detail}
	case err != nil:
		return cannot(err)
	}
	if key := "disk:" + e.Path; c.now.key != key {
		content, err := read(ctx, c.root, f, c.r.options.MaxBytes)
		if err != nil {
			return cannot(err)
		}
		c.now = kept{key, content}
	}
	return c.compare(ctx, e, lines, e.Path, c.now.content, inWorktree)
}

// compare looks for what was cited in the content that path has now.
func (c *check) compare(ctx context.Context, e lifecycle.Evidence, lines span, path string, content []byte,
	where string) Standing {
	part, has := cut(content, lines)
	if has && digest(part) == e.Found.SHA256 {
		return Standing{MovedTo: movedTo(e, lines, path, lines)}
	}
	cited := e.Path
	if path != e.Path {
		cited = e.Path + ", which is " + path + " now,"
	}
	if lines.whole() {
		return Standing{Reason: lifecycle.FileChanged, Detail: fmt.Sprintf("%s has other content %s", cited, where)}
	}
	first, again := search(content, c.citedLines(ctx, e, lines, content), lines.count())
	changed := Standing{Reason: lifecycle.LinesChanged,
		Detail: fmt.Sprintf("%s has other lines %s %s", cited, lines, where)}
	switch {
	case first == 0:
		return changed
	case again: // whether they have moved, and from which to which, cannot be told
		changed.Detail += fmt.Sprintf("; what they were stands at several places, first at line %d", first)
		return changed
	}
	return Standing{MovedTo: movedTo(e, lines, path, span{first, first + lines.count() - 1})}
}

// citedLines returns what was cited, from git where it has the file as it was, else from the content of now; nil where
// neither has it.
func (c *check) citedLines(ctx context.Context, e lifecycle.Evidence, lines span, content []byte) []byte {
	if e.Found.In != lifecycle.InWorktree {
		old, err := c.blob(ctx, &c.then, e.Path, e.Found.Blob)
		if err != nil {
			c.then = kept{key: e.Found.Blob} // not asked for again by the next citation
		}
		if part, ok := cut(old, lines); ok && digest(part) == e.Found.SHA256 {
			return part
		}
	}
	return searchDigest(content, lines.count(), e.Found.SHA256, &c.hashed)
}

// movedTo returns the new place of a citation, or "" for what stands where it was cited.
func movedTo(e lifecycle.Evidence, cited span, path string, now span) string {
	switch {
	case path == e.Path && cited == now:
		return ""
	case now.whole():
		return path
	}
	return path + ":" + now.String()
}

// moved looks for a file that HEAD does not have at its path any more: under another name with the same content, then
// under the name that git's rename detection gives.
func (c *check) moved(ctx context.Context, e lifecycle.Evidence, lines span) Standing {
	if to, found := c.sameContent(e, lines); found {
		return Standing{MovedTo: to}
	}
	gone := Standing{Reason: lifecycle.FileGone, Detail: fmt.Sprintf("%s is not at HEAD (%s) any more", e.Path,
		cmp.Or(short(c.head), "no commit yet"))}
	if now := c.tree.entries[e.Path]; now.mode != "" {
		gone.Detail = fmt.Sprintf("%s is a symbolic link or a submodule at HEAD (%s)", e.Path, short(c.head))
	}
	if c.ancestries[e.Found.Commit] == missing || c.head == "" {
		return gone
	}
	if c.noRenames == nil {
		var to string
		to, c.noRenames = c.r.renamed(ctx, e.Found.Commit, c.head, e.Path)
		if c.noRenames == nil && c.tree.entries[to].isFile() {
			return c.fileAt(ctx, e, lines, to)
		}
	}
	if c.noRenames != nil {
		gone.Detail += "; whether it was renamed cannot be told"
	}
	return gone
}

// sameContent finds a file at HEAD that has exactly the content of then. Empty files are all alike, and prove nothing.
func (c *check) sameContent(e lifecycle.Evidence, lines span) (to string, found bool) {
	if c.head == "" || e.Found.Bytes == 0 {
		return "", false
	}
	paths := slices.Clone(c.tree.byID()[e.Found.Blob])
	if len(paths) == 0 {
		return "", false
	}
	nearestFirst(paths, e.Path)
	return movedTo(e, lines, paths[0], lines), true
}

// renames keeps what was renamed between earlier commits and one later one, by the earlier commit and the old path.
type renames struct {
	turn turn
	to   string
	from map[string]map[string]string
}

// renamed returns the path at commit now of the file that was at path at commit then, or "" where git sees no rename.
func (r *Repository) renamed(ctx context.Context, then, now, path string) (string, error) {
	if err := r.renames.turn.take(ctx); err != nil {
		return "", err
	}
	defer r.renames.turn.give()
	if r.renames.to != now || len(r.renames.from) >= maxRenames {
		r.renames.to, r.renames.from = now, map[string]map[string]string{}
	}
	known, asked := r.renames.from[then]
	if !asked {
		out, err := r.git.run(ctx, "", "diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status", then, now)
		if err != nil {
			return "", err
		}
		known = map[string]string{}
		for part := strings.Split(out, "\x00"); len(part) >= 3; part = part[3:] { // status, old path, new path
			known[part[1]] = part[2]
		}
		r.renames.from[then] = known
	}
	return known[path], nil
}
