package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// file checks a cited file. A commit that the evidence names must be in the history of the branch. One that it does not
// name may have been amended away; where another history has it, what was cited did not change: it is elsewhere.
func (c *check) file(ctx context.Context, e lifecycle.Evidence) Standing {
	if e.Found.In == lifecycle.InCommit {
		if s := c.commit(ctx, e.Found.Commit); s.Reason != "" {
			return s
		}
	}
	s := c.fileAtTip(ctx, e)
	if slices.Contains(notAtTip, s.Reason) && c.history == nil && placeOf(c, e.Found.Commit) == elsewhere {
		return c.unlessShallow(ctx, lifecycle.Elsewhere, fmt.Sprintf(
			"%s; what was cited is at commit %s, which %s does not have: another branch, a tag or HEAD has it",
			s.Detail, short(e.Found.Commit), c.r.git.Branch()))
	}
	return s
}

// notAtTip are the reasons why the tip does not have what was cited.
var notAtTip = []string{lifecycle.LinesChanged, lifecycle.FileChanged, lifecycle.FileGone, lifecycle.Copied}

// fileAtTip looks for what was cited at the tip: at the same path, or where it moved to.
func (c *check) fileAtTip(ctx context.Context, e lifecycle.Evidence) Standing {
	now := c.tree.At(e.Path)
	if now.IsFile() && now.ID == e.Found.Blob {
		return Standing{}
	}
	lines, err := parseSpan(e.Lines)
	switch {
	case err != nil:
		return cannot(err)
	case now.IsFile():
		return c.fileAt(ctx, e, lines, e.Path)
	case now.There():
		return Standing{Reason: lifecycle.FileGone,
			Detail: fmt.Sprintf("%s is a symbolic link or a submodule at %s", e.Path, c.at())}
	case e.Found.In == lifecycle.InWorktree:
		return c.fileOnDisk(ctx, e, lines)
	}
	return c.moved(ctx, e, lines)
}

// at names the tip in a detail.
func (c *check) at() string { return c.r.nameTip(c.tip) }

// fileAt compares with what the tip has at path.
func (c *check) fileAt(ctx context.Context, e lifecycle.Evidence, lines span, path string) Standing {
	content, err := c.blob(ctx, &c.now, path, c.tree.At(path).ID)
	if errors.Is(err, fault.Unavailable) {
		return c.lacking(ctx, err)
	}
	if err != nil {
		return cannot(err)
	}
	return c.compare(ctx, e, lines, path, content, "at "+c.at())
}

// blob reads a file of git, and keeps it.
func (c *check) blob(ctx context.Context, k *kept, path, id string) ([]byte, error) {
	if k.key == id {
		return k.content, nil
	}
	content, err := readBlob(ctx, c.r, path, id)
	if errors.Is(err, context.DeadlineExceeded) {
		c.failure = err
	}
	if err == nil {
		*k = kept{id, content}
	}
	return content, err
}

// fileOnDisk looks in the working tree for a file that the branch lacked then and still lacks: at best it was not
// committed yet.
func (c *check) fileOnDisk(ctx context.Context, e lifecycle.Evidence, lines span) Standing {
	c.loose = true
	err := c.r.checkPath(e.Path)
	var f diskFile
	if err == nil {
		f, err = stat(c.root, e.Path)
	}
	switch {
	case errors.Is(err, fault.NotFound):
		return c.gone(e)
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
	if s := c.compare(ctx, e, lines, e.Path, c.now.content, inWorktree); s.Reason != "" {
		return s
	}
	return Standing{Reason: lifecycle.Uncommitted,
		Detail: fmt.Sprintf("%s is %s, and not at %s: commit it there, or merge the branch that has it", e.Path, inWorktree, c.at())}
}

// compare looks for what was cited in the content that path has now.
func (c *check) compare(ctx context.Context, e lifecycle.Evidence, lines span, path string, content []byte,
	where string) Standing {
	part, has := cut(content, lines)
	if has && (digest(part) == e.Found.SHA256 || e.Found.In == lifecycle.InWorktree && digest(dos(part)) == e.Found.SHA256) {
		return Standing{MovedTo: movedTo(e, lines, path, lines)}
	}
	cited, renamed := e.Path, ""
	if path != e.Path {
		cited, renamed = e.Path+", which is "+path+" now,", path
	}
	if lines.whole() {
		return Standing{Reason: lifecycle.FileChanged, Path: renamed,
			Detail: fmt.Sprintf("%s has other content %s", cited, where)}
	}
	first, again := search(content, c.citedLines(ctx, e, lines, content), lines.count())
	changed := Standing{Reason: lifecycle.LinesChanged, Path: renamed,
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
		c.loose = c.loose || len(old) == 0
		if part, ok := cut(old, lines); ok && digest(part) == e.Found.SHA256 {
			return part
		}
	}
	found := searchDigest(content, lines.count(), e.Found.SHA256, &c.hashed)
	if c.hashed > maxSearch { // by itself it might have been found
		c.loose = true
	}
	return found
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

// moved looks for a file that the tip does not have at its path any more, under the name that git's rename detection
// gives.
func (c *check) moved(ctx context.Context, e lifecycle.Evidence, lines span) Standing {
	if c.tip == "" {
		return c.gone(e)
	}
	if c.history == nil && placeOf(c, e.Found.Commit) == missing {
		if s := c.unlessCut(ctx, lifecycle.FileGone, ""); s.Reason == lifecycle.Unknown {
			return Standing{Reason: s.Reason,
				Detail: fmt.Sprintf("%s is not at %s any more, and whether it was renamed cannot be told%s", e.Path, c.at(), s.Detail)}
		}
		return c.gone(e)
	}
	to, err := c.renamed(e.Found.Commit, c.tip).To(e.Path)
	switch {
	case err != nil:
		return c.lacking(ctx, err)
	case c.tree.At(to).IsFile():
		return c.fileAt(ctx, e, lines, to)
	}
	return c.gone(e)
}

// gone says of a file that is not at its path where else the tip has its content. That is a copy, and nobody said that
// it stands for the file. Empty files are all alike.
func (c *check) gone(e lifecycle.Evidence) Standing {
	detail := fmt.Sprintf("%s is not at %s", e.Path, c.at())
	if c.tip == "" || e.Found.Bytes == 0 || len(c.tree.Holding(e.Found.Blob)) == 0 {
		return Standing{Reason: lifecycle.FileGone, Detail: detail}
	}
	paths := slices.Clone(c.tree.Holding(e.Found.Blob))
	nearestFirst(paths, e.Path)
	return Standing{Reason: lifecycle.Copied, Detail: fmt.Sprintf(
		"%s; %s has the same content, and git sees no rename between the two", detail, shown(paths[0]))}
}

// shown returns a path as an answer may show it: what stands in a repository may have any name.
func shown(path string) string {
	if checkPath(path) != nil {
		return strconv.Quote(path)
	}
	return path
}
