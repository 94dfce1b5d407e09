package evidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/git"
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
	switch c.ancestries[id] {
	case inHistory:
		return Standing{}
	case elsewhere:
		return c.unlessShallow(ctx, lifecycle.Elsewhere, fmt.Sprintf(
			"commit %s is not in the history of %s: another branch, a tag or HEAD has it", short(id), c.r.following()))
	case dangling:
		return c.unlessShallow(ctx, lifecycle.CommitGone, fmt.Sprintf(
			"commit %s is in no history any more: no branch or tag has it", short(id)))
	}
	return c.unlessCut(ctx, lifecycle.CommitGone, fmt.Sprintf("commit %s is not in this repository any more", short(id)))
}

// ancestries returns where each commit is in which something was found. A commit that is left out is missing.
func (r *Repository) ancestries(ctx context.Context, tip string, subjects []Subject) (map[string]ancestry, error) {
	seen := map[string]ancestry{}
	var commits []string
	for _, s := range subjects {
		for _, e := range slices.Concat(s.Cited, s.Code) {
			if e.Found == nil {
				continue
			}
			id := e.Found.Commit
			if _, known := seen[id]; known {
				continue
			}
			seen[id] = missing
			if len(id) == r.idLength && hexadecimal.MatchString(id) {
				commits = append(commits, id)
			}
		}
	}
	kinds, err := r.kinds(ctx, commits)
	if err != nil {
		return nil, err
	}
	commits = slices.DeleteFunc(commits, func(id string) bool { return kinds[id] != "commit" })
	return seen, r.rank(ctx, tip, commits, seen)
}

// rank asks the tip first, since it nearly always has all of them, then every ref about the rest, and HEAD, which may
// be detached.
func (r *Repository) rank(ctx context.Context, tip string, commits []string, seen map[string]ancestry) error {
	for _, id := range commits {
		seen[id] = dangling
	}
	for _, from := range []struct {
		refs []string
		in   ancestry
	}{{[]string{tip}, inHistory}, {everyRef, elsewhere}, {[]string{"HEAD"}, elsewhere}} {
		if from.refs[0] == "" || len(commits) == 0 {
			continue
		}
		left, err := r.outside(ctx, commits, from.refs...)
		if from.refs[0] == "HEAD" && git.ExitCode(err) > 0 {
			return nil // it has no commit
		}
		if err != nil {
			return err
		}
		for _, id := range commits {
			if !left[id] {
				seen[id] = from.in
			}
		}
		commits = slices.DeleteFunc(commits, func(id string) bool { return !left[id] })
	}
	return nil
}

// lacks tells what the clone lacks. It is asked for the first time that something is not there.
type lacks struct {
	asked            bool
	shallow, partial string // hints; "" where nothing is lacking
}

func (c *check) lack(ctx context.Context) lacks {
	if !c.lacks.asked {
		c.lacks = lacks{true, c.r.shallow(ctx), c.r.partial(ctx)}
	}
	return c.lacks
}

// unlessShallow returns a reason, or that nothing can be told since the history is cut off.
func (c *check) unlessShallow(ctx context.Context, reason, detail string) Standing {
	return unless(c.lack(ctx).shallow, reason, detail)
}

// unlessCut returns a reason, or that nothing can be told since the clone lacks history or objects.
func (c *check) unlessCut(ctx context.Context, reason, detail string) Standing {
	l := c.lack(ctx)
	return unless(cmp.Or(l.shallow, l.partial), reason, detail)
}

func unless(lacking, reason, detail string) Standing {
	if lacking != "" {
		return Standing{Reason: lifecycle.Unknown, Detail: detail + lacking}
	}
	return Standing{Reason: reason, Detail: detail}
}
