package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/rules/lifecycle"
)

// Subject is the evidence of one requirement that is looked at together. Tests are tied to the files of the
// implementation. Where Code is nil they are not, and a test of which nobody knows the commit holds.
type Subject struct {
	Cited []lifecycle.Evidence
	Code  []lifecycle.Evidence // of the implementation
}

// Standing is how a citation stands when it is checked again.
type Standing struct {
	Reason  string // "" when it holds; else one of the reasons of lifecycle.Stale
	Detail  string // what was cited and what is there now; "" when it holds
	MovedTo string // it holds, but stands at path, path:line or path:first-last now
	Path    string // stale: the name under which it was found changed; "" where that is the cited one
}

// check is one call of Recheck: everything is compared with one tip of the branch.
type check struct {
	r          *Repository
	tip        string        // "" before the first commit
	base       string        // of tip
	tree       *gitrepo.Tree // of tip; without entries before the first commit
	ancestries map[string]ancestry
	failure    error // why git cannot be asked, from the first time on that it could not
	history    error // why it cannot be told where commits are
	lacks      lacks
	renames    map[gitrepo.Pair]gitrepo.Renames
	wanted     map[gitrepo.Pair]bool // whose renames are asked for next
	waits      bool                  // the item that is judged needs them
	root       *os.Root
	reports    map[string]*reportNow
	now, then  kept // of the file that was compared last: citations of one file often follow each other
	hashed     int  // bytes, in search of lines that have moved
	loose      bool // the item that is judged rests on more than the base
}

// kept is content, by where it is from.
type kept struct {
	key     string
	content []byte
}

// item is one citation, and the files that it is tied to.
type item struct {
	lifecycle.Evidence
	code  *code // nil where it is tied to none
	stand *Standing
	fixed *bool // of its subject
}

// maxRounds is how often items are judged: renames are asked for by the path of a file, and then by the path that a
// rename led to.
const maxRounds = 3

// Checked is how subjects stand when they are checked again.
type Checked struct {
	Standings [][]Standing
	Tip       string // that all was compared with; "" before the first commit
	Base      string // as Base returns it, of the tip
	Fixed     []bool // of each subject: it stands so for as long as Base is this
}

// Base returns what tells one state of the branch from another, given its tip: evidence that rests on nothing but the
// files and the history of the tip stands as it did for as long as this is the same. It is "" where there is no tip.
// Nothing is started.
func (r *Repository) Base(tip string) string {
	if tip == "" {
		return ""
	}
	return tip + r.git.Cut()
}

// Recheck reports of each cited item of each subject, in their order, whether what was found then still holds. Items
// carry Found. What cannot be read is lifecycle.Unreadable; the error is that of ctx alone. How often git is started
// does not depend on how many items there are. Once it has not answered in time it is not asked again: the items that
// need it are Unreadable.
//
// Implements: ORC-091
func (r *Repository) Recheck(ctx context.Context, subjects []Subject) (Checked, error) {
	all, items := itemsOf(subjects)
	if len(items) == 0 {
		return all, ctx.Err()
	}
	c := &check{r: r, tree: &gitrepo.Tree{},
		renames: map[gitrepo.Pair]gitrepo.Renames{}, wanted: map[gitrepo.Pair]bool{}, reports: map[string]*reportNow{}}
	root, disk := r.disk()
	if disk == nil {
		defer root.Close()
	}
	c.root = root
	c.failure = errors.Join(disk, c.askGit(ctx, subjects))
	all.Tip, all.Base = c.tip, c.base
	for range maxRounds {
		if items = c.judge(ctx, items); len(items) == 0 {
			break
		}
		c.askRenames(ctx)
	}
	for _, one := range items { // they still wait
		*one.fixed = false
	}
	return all, ctx.Err()
}

// itemsOf returns the citations in the order in which those of one file, and of one content of it, follow each other:
// each content is then read once. What is found of them is written to all.
func itemsOf(subjects []Subject) (all Checked, items []*item) {
	all.Standings, all.Fixed = make([][]Standing, len(subjects)), make([]bool, len(subjects))
	for i, s := range subjects {
		all.Standings[i], all.Fixed[i] = make([]Standing, len(s.Cited)), true
		var tied *code
		if s.Code != nil {
			tied = &code{cited: s.Code}
		}
		for j, e := range s.Cited {
			items = append(items, &item{e, tied, &all.Standings[i][j], &all.Fixed[i]})
		}
	}
	blob := func(e *item) string {
		if e.Found == nil {
			return ""
		}
		return e.Found.Blob
	}
	slices.SortStableFunc(items, func(a, b *item) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(blob(a), blob(b)))
	})
	return all, items
}

// judge writes how items stand, and returns those that wait for renames.
func (c *check) judge(ctx context.Context, items []*item) (waiting []*item) {
	for _, one := range items {
		if ctx.Err() != nil {
			return nil
		}
		c.waits, c.loose = false, false
		if *one.stand = c.recheck(ctx, one); c.waits {
			*one.stand = Standing{Reason: lifecycle.Unreadable, Detail: "git was not asked which files were renamed"}
			waiting = append(waiting, one)
		} else if rests(c, *one.stand) {
			*one.fixed = false
		}
	}
	return waiting
}

// rests reports whether the item that was judged rests on more than the base, or could not be told.
func rests(c *check, s Standing) bool {
	return c.loose || c.failure != nil || c.history != nil || s.Reason == lifecycle.Unreadable ||
		s.Reason == lifecycle.Unknown
}

// askGit asks what does not depend on a single item: the tip, its files, and where every cited commit is.
func (c *check) askGit(ctx context.Context, subjects []Subject) (err error) {
	if c.tip, err = c.r.Tip(ctx); err != nil {
		return err
	}
	c.base = c.r.Base(c.tip) // before the history is read, which may be cut off meanwhile
	if c.tip != "" {
		if c.tree, err = c.r.git.Tree(ctx, c.tip); err != nil {
			return err
		}
	}
	c.history = c.askAncestries(ctx, subjects)
	if errors.Is(c.history, context.DeadlineExceeded) {
		return c.history
	}
	return nil
}

func (c *check) recheck(ctx context.Context, one *item) Standing {
	switch {
	case one.Found == nil:
		return Standing{Reason: lifecycle.Unreadable, Detail: "it was never looked up"}
	case one.Kind == lifecycle.EvidenceTest:
		return c.test(ctx, one)
	case c.failure != nil:
		return cannot(c.failure)
	case one.Kind == lifecycle.EvidenceCommit:
		return c.commit(ctx, one.Found.Commit)
	case one.Kind == lifecycle.EvidenceFile:
		return c.file(ctx, one.Evidence)
	}
	return Standing{Reason: lifecycle.Unreadable, Detail: fmt.Sprintf("%q is no kind of evidence", one.Kind)}
}

// unknowable are the codes of what no later try mends: somebody has to.
var unknowable = []fault.Code{CodeBranchUnknown, CodeBranchGone, CodeObjectsBorrowed}

// cannot returns the standing of what err keeps from being told: lifecycle.Unreadable where a later look may tell it.
func cannot(err error) Standing {
	s := Standing{Reason: lifecycle.Unreadable, Detail: err.Error()}
	if f := fault.As(err); f != nil {
		s.Detail = f.Detail
		if slices.Contains(unknowable, f.Code) {
			s.Reason = lifecycle.Unknown
		}
	}
	return s
}

// lacking returns the standing of what err keeps from being told where it may come from objects that the clone lacks.
func (c *check) lacking(ctx context.Context, err error) Standing {
	if errors.Is(err, context.DeadlineExceeded) {
		c.failure = err
	}
	if c.failure != nil {
		return cannot(err)
	}
	return c.unlessCut(ctx, lifecycle.Unreadable, cannot(err).Detail)
}

// renamed returns what was renamed between two commits. What is not known yet is asked for before the item is judged
// again.
func (c *check) renamed(from, to string) gitrepo.Renames {
	pair := gitrepo.Pair{From: from, To: to}
	known, asked := c.renames[pair]
	if !asked {
		c.wanted[pair], c.waits = true, true
	}
	return known
}

// askRenames asks for all renames that are wanted at once.
func (c *check) askRenames(ctx context.Context) {
	found, err := c.r.git.Renames(ctx, slices.Collect(maps.Keys(c.wanted)))
	if c.failure = cmp.Or(c.failure, err); err == nil {
		maps.Copy(c.renames, found)
	}
	clear(c.wanted)
}
