package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// Standing is how a citation stands when it is checked again.
type Standing struct {
	Reason  string // "" when it holds; else one of the reasons of lifecycle.Stale
	Detail  string // what was cited and what is there now; "" when it holds
	MovedTo string // it holds, but stands at path, path:line or path:first-last now
}

// ancestry is where a commit is, as seen from HEAD.
type ancestry int

const (
	missing   ancestry = iota // not in this repository
	dangling                  // in no history
	elsewhere                 // in the history of another branch or a tag
	inHistory                 // of HEAD
)

// check is one call of Recheck: everything is compared with one HEAD.
type check struct {
	r          *Repository
	head       string // "" before the first commit
	tree       *tree  // of head; without entries before the first commit
	ancestries map[string]ancestry
	failure    error // why git cannot be asked, from the first time on that it could not
	noRenames  error // why renames cannot be told, likewise
	root       *os.Root
	reports    map[string]*reportNow
	now, then  kept // of the file that was compared last: citations of one file often follow each other
	hashed     int  // bytes, in search of lines that have moved
}

// kept is content, by where it is from.
type kept struct {
	key     string
	content []byte
}

// Recheck reports of each cited item, in their order, whether what was found then still holds. Items carry Found. What
// cannot be read is lifecycle.Unreadable; the error is that of ctx alone. Once git has not answered in time it is not
// asked again: the items that need it are Unreadable.
func (r *Repository) Recheck(ctx context.Context, cited []lifecycle.Evidence) ([]Standing, error) {
	if len(cited) == 0 {
		return nil, ctx.Err()
	}
	c := &check{r: r, tree: &tree{}, reports: map[string]*reportNow{}}
	root, disk := r.disk()
	if disk == nil {
		defer root.Close()
	}
	c.root = root
	c.failure = errors.Join(disk, c.askGit(ctx, cited))
	all := make([]Standing, len(cited))
	for _, i := range byContent(cited) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all[i] = c.recheck(ctx, cited[i])
	}
	return all, ctx.Err()
}

// byContent returns the order in which citations of one file, and of one content of it, follow each other: each content
// is then read once.
func byContent(cited []lifecycle.Evidence) []int {
	order := make([]int, len(cited))
	for i := range order {
		order[i] = i
	}
	blob := func(i int) string {
		if cited[i].Found == nil {
			return ""
		}
		return cited[i].Found.Blob
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(strings.Compare(cited[i].Path, cited[j].Path), strings.Compare(blob(i), blob(j)))
	})
	return order
}

// askGit asks what does not depend on a single item: HEAD, its files, and the ancestry of every cited commit.
func (c *check) askGit(ctx context.Context, cited []lifecycle.Evidence) (err error) {
	if c.head, err = c.r.Head(ctx); err != nil {
		return err
	}
	if c.head != "" {
		if c.tree, err = c.r.tree(ctx, c.head); err != nil {
			return err
		}
	}
	c.ancestries, err = c.r.ancestries(ctx, c.head, cited)
	return err
}

// ancestries returns where each commit is in which something was found. A commit that is left out is missing.
func (r *Repository) ancestries(ctx context.Context, head string,
	cited []lifecycle.Evidence) (map[string]ancestry, error) {
	seen := map[string]ancestry{}
	var commits []string
	for _, e := range cited {
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
	kinds, err := r.kinds(ctx, commits)
	if err != nil {
		return nil, err
	}
	commits = slices.DeleteFunc(commits, func(id string) bool { return kinds[id] != "commit" })
	return seen, r.rank(ctx, head, commits, seen)
}

// rank asks HEAD first, since it nearly always has all of them, and the refs about the rest.
func (r *Repository) rank(ctx context.Context, head string, commits []string, seen map[string]ancestry) error {
	for _, from := range []struct {
		name string
		in   ancestry
	}{{head, inHistory}, {"--all", elsewhere}} {
		if from.name == "" {
			continue
		}
		left, err := r.outside(ctx, commits, from.name)
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
	for _, id := range commits {
		seen[id] = dangling
	}
	return nil
}

func (c *check) recheck(ctx context.Context, e lifecycle.Evidence) Standing {
	switch {
	case e.Found == nil:
		return Standing{Reason: lifecycle.Unreadable, Detail: "it was never looked up"}
	case e.Kind == lifecycle.EvidenceTest:
		return c.report(ctx, e)
	case c.failure != nil:
		return cannot(c.failure)
	case e.Kind == lifecycle.EvidenceCommit:
		return c.commit(e.Found.Commit)
	case e.Kind == lifecycle.EvidenceFile:
		return c.file(ctx, e)
	}
	return Standing{Reason: lifecycle.Unreadable, Detail: fmt.Sprintf("%q is no kind of evidence", e.Kind)}
}

func cannot(err error) Standing {
	if f := fault.As(err); f != nil {
		return Standing{Reason: lifecycle.Unreadable, Detail: f.Detail}
	}
	return Standing{Reason: lifecycle.Unreadable, Detail: err.Error()}
}

func (c *check) commit(id string) Standing {
	switch c.ancestries[id] {
	case missing:
		return Standing{Reason: lifecycle.CommitGone,
			Detail: fmt.Sprintf("commit %s is not in this repository any more", short(id))}
	case dangling:
		return Standing{Reason: lifecycle.CommitGone,
			Detail: fmt.Sprintf("commit %s is in no history any more: no branch or tag has it", short(id))}
	}
	return Standing{}
}

// reportNow is what is at the path of a report during one check.
type reportNow struct {
	file diskFile
	err  error
	sum  string // "" until it was read
}

func (c *check) report(ctx context.Context, e lifecycle.Evidence) Standing {
	if strings.HasPrefix(e.Report, lifecycle.AttachedPrefix) || e.Found.In == lifecycle.InAttached {
		return Standing{} // the service keeps it
	}
	if c.root == nil {
		return cannot(c.failure)
	}
	now := c.reports[e.Report]
	if now == nil {
		now = &reportNow{}
		if now.err = c.r.checkPath(e.Report); now.err == nil {
			now.file, now.err = stat(c.root, e.Report)
		}
		c.reports[e.Report] = now
	}
	switch {
	case errors.Is(now.err, fault.Unavailable):
		return cannot(now.err)
	case now.err != nil:
		return Standing{Reason: lifecycle.ReportGone, Detail: fault.As(now.err).Detail}
	case now.file.info.Size() == e.Found.Bytes && now.sum == "": // its time proves nothing: anyone can set it
		content, err := read(ctx, c.root, now.file, c.r.options.MaxBytes)
		if err != nil {
			return cannot(err)
		}
		now.sum = digest(content)
	}
	if now.sum == e.Found.SHA256 {
		return Standing{}
	}
	return Standing{Reason: lifecycle.ReportChanged,
		Detail: fmt.Sprintf("%s was written again, at %s, with other content",
			e.Report, now.file.modified().Format("2006-01-02T15:04:05Z"))}
}
