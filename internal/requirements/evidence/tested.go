package evidence

import (
	"context"
	"fmt"

	"orchestrator/internal/rules/lifecycle"
)

// code is the evidence of an implementation, and the files that it comes to.
type code struct {
	cited []lifecycle.Evidence
	known bool
	files []codeFile
	err   error // why the files cannot be told
}

// codeFile is a file of an implementation.
type codeFile struct{ path, since string } // the commit at which it had this path; "" where no commit has it

// test reports how a test stands: its report must be what it was, and the code that it saw must be that of the tip.
func (c *check) test(ctx context.Context, one *item) Standing {
	if s := c.report(ctx, one.Evidence); s.Reason != "" {
		return s
	}
	saw := one.Found.Commit
	switch {
	case saw == "" && one.code == nil:
		return Standing{}
	case saw == "":
		return Standing{Reason: lifecycle.CodeUnknown, Detail: "nobody has said which commit was tested"}
	case c.failure != nil:
		return cannot(c.failure)
	}
	if s := c.commit(ctx, saw); s.Reason != "" || one.code == nil || saw == c.tip {
		return s
	}
	return c.sameCode(ctx, one.code, saw)
}

// sameCode compares the files of the implementation at the commit that was tested with those of the tip.
func (c *check) sameCode(ctx context.Context, implementation *code, saw string) Standing {
	if !implementation.known {
		implementation.known = true
		implementation.files, implementation.err = c.filesOf(ctx, implementation.cited)
	}
	if implementation.err != nil {
		return c.lacking(ctx, implementation.err)
	}
	for _, f := range implementation.files {
		switch same, err := c.sameFile(ctx, f, saw); {
		case err != nil:
			return c.lacking(ctx, err)
		case !same:
			return Standing{Reason: lifecycle.CodeChanged, Detail: fmt.Sprintf("%s at commit %s, which was tested, is not what it is at %s",
				shown(f.path), short(saw), c.at())}
		}
	}
	return Standing{}
}

// filesOf returns the files of an implementation: those that it cites, and those that the commits changed that it
// cites. A commit that is gone has none; its own citation says so.
func (c *check) filesOf(ctx context.Context, cited []lifecycle.Evidence) (files []codeFile, err error) {
	for _, e := range cited {
		switch {
		case e.Found == nil:
		case e.Kind == lifecycle.EvidenceFile:
			files = append(files, codeFile{e.Path, e.Found.Commit})
		case e.Kind == lifecycle.EvidenceCommit && c.ancestries[e.Found.Commit] != missing:
			paths, err := c.r.git.ChangedBy(ctx, e.Found.Commit)
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				files = append(files, codeFile{path, e.Found.Commit})
			}
		}
	}
	return files, nil
}

// sameFile reports whether a file has the same content at the commit that was tested and at the tip, where it may have
// another name by git's rename detection. A file that neither has is the same; so is one that both have under the name
// that it was given later.
func (c *check) sameFile(ctx context.Context, f codeFile, saw string) (bool, error) {
	was, err := c.r.git.Place(ctx, saw, f.path)
	is := c.tree.At(f.path)
	switch {
	case err != nil:
		return false, err
	case was.There() && is.There():
		return was.Like(is), nil
	case was.There():
		to, err := c.renamed(saw).To(f.path)
		return to != "" && was.Like(c.tree.At(to)), err
	case is.There():
		from, err := c.renamed(saw).From(f.path)
		if from == "" || err != nil {
			return false, err
		}
		was, err = c.r.git.Place(ctx, saw, from)
		return was.Like(is), err
	case f.since == "" || c.ancestries[f.since] == missing:
		return true, nil
	}
	to, err := c.renamed(f.since).To(f.path)
	if to == "" || err != nil {
		return err == nil, err
	}
	return c.sameFile(ctx, codeFile{to, f.since}, saw)
}
