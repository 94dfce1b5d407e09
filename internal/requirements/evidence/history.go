package evidence

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/rules/lifecycle"
)

// ancestry is where a commit is, as seen from the tip of the branch.
type ancestry int

const (
	missing   ancestry = iota // not in this repository
	dangling                  // in no history
	elsewhere                 // in the history of HEAD, another branch or a tag
	inHistory                 // of the branch
)

// commit reports how a commit stands: it holds as long as it is in the history of the branch.
func (c *check) commit(ctx context.Context, id string) Standing {
	if c.history != nil {
		return c.lacking(ctx, c.history)
	}
	switch placeOf(c, id) {
	case inHistory:
		return Standing{}
	case elsewhere:
		return c.unlessShallow(ctx, lifecycle.Elsewhere, fmt.Sprintf(
			"commit %s is not in the history of %s: another branch, a tag or HEAD has it", short(id), c.r.git.Branch()))
	case dangling:
		return c.unlessShallow(ctx, lifecycle.CommitGone, fmt.Sprintf(
			"commit %s is in no history any more: no branch or tag has it", short(id)))
	}
	return c.unlessCut(ctx, lifecycle.CommitGone, fmt.Sprintf("commit %s is not in this repository any more", short(id)))
}

// askAncestries asks where each commit is in which something was found.
func (c *check) askAncestries(ctx context.Context, subjects []Subject) error {
	seen := map[string]ancestry{}
	c.ancestries = seen
	var commits []string
	for _, s := range subjects {
		for id := range foundAt(s) {
			if _, known := seen[id]; known {
				continue
			}
			seen[id] = missing
			if len(id) == c.r.git.IDLength && hexadecimal().MatchString(id) {
				commits = append(commits, id)
			}
		}
	}
	kinds, err := c.r.git.Kinds(ctx, commits)
	if err != nil {
		return err
	}
	commits = slices.DeleteFunc(commits, func(id string) bool { return kinds[id] != "commit" })
	return c.rank(ctx, commits)
}

// foundAt yields the commits at which the evidence of a subject was found.
func foundAt(s Subject) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range [][]lifecycle.Evidence{s.Cited, s.Code} {
			for i := range list {
				if list[i].Found != nil && !yield(list[i].Found.Commit) {
					return
				}
			}
		}
	}
}

// rank asks the tip first, since it nearly always has all of them, then every ref about the rest, and HEAD, which may
// be detached.
func (c *check) rank(ctx context.Context, commits []string) error {
	for _, id := range commits {
		c.ancestries[id] = dangling
	}
	for _, from := range []struct {
		refs []string
		in   ancestry
	}{{[]string{c.tip}, inHistory}, {gitrepo.Everyone, elsewhere}, {[]string{"HEAD"}, elsewhere}} {
		if from.refs[0] == "" || len(commits) == 0 {
			continue
		}
		left, err := c.r.git.Outside(ctx, commits, from.refs...)
		if err != nil {
			return err
		}
		for _, id := range commits {
			if !left[id] {
				c.ancestries[id] = from.in
			}
		}
		commits = slices.DeleteFunc(commits, func(id string) bool { return !left[id] })
	}
	return nil
}

// placeOf returns where a commit is. In the history of the tip it stays; any other place is for the refs of now to say.
func placeOf(c *check, id string) ancestry {
	if c.ancestries[id] != inHistory {
		c.loose = true
	}
	return c.ancestries[id]
}

// lacks tells what the clone lacks. It is asked for the first time that something is not there.
type lacks struct{ asked, shallow, partial bool }

func (c *check) lack(ctx context.Context) lacks {
	c.loose = true
	if !c.lacks.asked {
		c.lacks = lacks{true, c.r.git.Shallow(ctx), c.r.git.Partial(ctx)}
	}
	return c.lacks
}

// unlessShallow returns a reason, or that nothing can be told since the history is cut off.
func (c *check) unlessShallow(ctx context.Context, reason, detail string) Standing {
	if c.lack(ctx).shallow {
		return Standing{Reason: lifecycle.Unknown, Detail: detail + isShallow}
	}
	return Standing{Reason: reason, Detail: detail}
}

// unlessCut returns a reason, or that nothing can be told since the clone lacks history or objects.
func (c *check) unlessCut(ctx context.Context, reason, detail string) Standing {
	if c.lack(ctx).partial {
		return Standing{Reason: lifecycle.Unknown, Detail: detail + isPartial}
	}
	return c.unlessShallow(ctx, reason, detail)
}
