package evidence

import (
	"context"
	"fmt"

	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/rules/lifecycle"
)

// code is the evidence of an implementation, and the files that it comes to.
type code struct {
	cited []lifecycle.Evidence
	known bool
	files []codeFile
	holds bool  // also where none of the files is left: it only deletes, or cites what says itself that it is gone
	err   error // why the files cannot be told
}

// codeFile is a file of an implementation.
type codeFile struct{ path, since string } // the commit that had this path or deleted it; "" where no commit had it

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

// sameCode compares the files of the implementation at the commit that was tested with those of the tip. Where none is
// left to compare, all files of the two commits must be the same.
func (c *check) sameCode(ctx context.Context, implementation *code, saw string) Standing {
	if !implementation.known {
		implementation.known = true
		implementation.err = c.findFiles(ctx, implementation)
	}
	if implementation.err != nil {
		return c.lacking(ctx, implementation.err)
	}
	tied := implementation.holds
	for _, f := range implementation.files {
		m, err := c.match(ctx, f, saw)
		switch {
		case err != nil:
			return c.lacking(ctx, err)
		case m == changed:
			return Standing{Reason: lifecycle.CodeChanged, Detail: fmt.Sprintf(
				"%s at commit %s, which was tested, is not what it is at %s", shown(f.path), short(saw), c.at())}
		case m == unchanged:
			tied = true
		}
	}
	if tied {
		return Standing{}
	}
	return c.sameTree(ctx, saw)
}

// sameTree compares all files of the commit that was tested with those of the tip.
func (c *check) sameTree(ctx context.Context, saw string) Standing {
	switch equal, err := c.r.git.SameFiles(ctx, saw, c.tip); {
	case err != nil:
		return c.lacking(ctx, err)
	case !equal:
		return Standing{Reason: lifecycle.CodeChanged, Detail: fmt.Sprintf(
			"the commits of the implementation change no file that is left: tests of it count for the files that they saw, "+
				"and those of commit %s are not those of %s", short(saw), c.at())}
	}
	return Standing{}
}

// findFiles finds the files that an implementation cites, and those that the commits changed that it cites.
func (c *check) findFiles(ctx context.Context, implementation *code) error {
	made, deleted := false, false
	for _, e := range implementation.cited {
		switch {
		case e.Kind == lifecycle.EvidenceCommit && e.Found != nil && placeOf(c, e.Found.Commit) != missing:
			files, has, err := filesOf(ctx, c.r.git, e.Found.Commit)
			if err != nil {
				return err
			}
			implementation.files = append(implementation.files, files...)
			made, deleted = made || has, deleted || len(files) > 0
			continue
		case e.Kind == lifecycle.EvidenceFile && e.Found != nil:
			implementation.files = append(implementation.files, codeFile{e.Path, e.Found.Commit})
		}
		implementation.holds = true
	}
	if deleted && !made {
		implementation.holds = true
	}
	return nil
}

// filesOf returns the files that a commit changed, and whether it has any of them.
func filesOf(ctx context.Context, in *gitrepo.Repository, commit string) (files []codeFile, has bool, err error) {
	paths, err := in.ChangedBy(ctx, commit)
	if err != nil {
		return nil, false, err
	}
	for _, path := range paths {
		is, err := in.Place(ctx, commit, path)
		if err != nil {
			return nil, false, err
		}
		has = has || is.There()
		files = append(files, codeFile{path, commit})
	}
	return files, has, nil
}

// match is how a file of an implementation compares between the commit that was tested and the tip.
type match int

const (
	changed match = iota
	unchanged
	lost // neither has it
)

func matching(equal bool) match {
	if equal {
		return unchanged
	}
	return changed
}

// match compares a file at the commit that was tested with that of the tip, where it may have another name by git's
// rename detection.
func (c *check) match(ctx context.Context, f codeFile, saw string) (match, error) {
	was, err := c.r.git.Place(ctx, saw, f.path)
	is := c.tree.At(f.path)
	switch {
	case err != nil:
		return changed, err
	case was.There() && is.There():
		return matching(was.Like(is)), nil
	case was.There():
		to, err := c.renamed(saw, c.tip).To(f.path)
		return matching(to != "" && was.Like(c.tree.At(to))), err
	case is.There():
		from, err := c.renamed(saw, c.tip).From(f.path)
		if from == "" || err != nil {
			return changed, err
		}
		was, err = c.r.git.Place(ctx, saw, from)
		return matching(was.Like(is)), err
	}
	to, err := c.laterName(ctx, f, saw)
	if to == "" || err != nil {
		return lost, err
	}
	return c.match(ctx, codeFile{to, ""}, saw)
}

// laterName returns the name that a file got before the tests, else before the tip, from the commit on that the
// implementation names; "" where it was deleted, by that commit or before both.
func (c *check) laterName(ctx context.Context, f codeFile, saw string) (string, error) {
	if f.since == "" || placeOf(c, f.since) == missing {
		return "", nil
	}
	if had, err := c.r.git.Place(ctx, f.since, f.path); err != nil || !had.There() {
		return "", err
	}
	before, after := c.renamed(f.since, saw), c.renamed(f.since, c.tip) // asked for at the same time
	if to, err := before.To(f.path); to != "" || err != nil {
		return to, err
	}
	return after.To(f.path)
}
