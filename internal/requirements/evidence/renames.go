package evidence

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

const (
	maxRenames  = 256 // earlier commits whose renames are kept
	renameLimit = "-l1000"
)

// renames keeps what was renamed between earlier commits and one later one.
type renames struct {
	turn turn
	to   string
	from map[string]renamed
}

// renamed is what git takes for renames between an earlier commit and the tip.
type renamed struct {
	to, from map[string]string // new paths by old ones, and the other way round
	exact    bool              // only files whose content did not change were looked at
	err      error             // why it cannot be told
}

// errWaits stands for renames that are asked for with those of other items.
var errWaits = fault.New(fault.Unavailable, failed, "git was not asked which files were renamed")

// renamed returns what was renamed between an earlier commit and the tip. What is not known yet is asked for before the
// item is judged again.
func (c *check) renamed(then string) renamed {
	known, asked := c.renames[then]
	if !asked {
		c.wanted[then], c.waits = true, true
		return renamed{err: errWaits}
	}
	return known
}

// renamedTo returns the path at the tip of the file that was at path at commit then, or "" where git sees no rename.
func (c *check) renamedTo(then, path string) (string, error) {
	known := c.renamed(then)
	return known.to[path], known.unless(known.to[path])
}

// renamedFrom returns the path at commit then of the file that is at path at the tip, or "".
func (c *check) renamedFrom(then, path string) (string, error) {
	known := c.renamed(then)
	return known.from[path], known.unless(known.from[path])
}

// unless returns why an empty answer is none.
func (r renamed) unless(answer string) error {
	if r.err == nil && r.exact && answer == "" {
		return fault.New(fault.Unavailable, failed, "whether files were renamed and changed cannot be told")
	}
	return r.err
}

// askRenames asks for all renames that are wanted at once, unless they are known from an earlier call.
func (c *check) askRenames(ctx context.Context) {
	kept := &c.r.renames
	if err := kept.turn.take(ctx); err != nil {
		c.failure = err
		return
	}
	defer kept.turn.give()
	if kept.to != c.tip || len(kept.from) > maxRenames {
		kept.to, kept.from = c.tip, map[string]renamed{}
	}
	commits := map[string][]string{} // by the folder that they have
	for then := range c.wanted {
		if known, ok := kept.from[then]; ok {
			c.renames[then] = known
		} else if root, _, err := c.commitObject(ctx, then); err != nil {
			c.renames[then] = renamed{err: err}
		} else {
			commits[root] = append(commits[root], then)
		}
	}
	clear(c.wanted)
	for root, found := range c.diff(ctx, slices.Sorted(maps.Keys(commits))) {
		for _, then := range commits[root] {
			if c.renames[then] = found; found.err == nil {
				kept.from[then] = found
			}
		}
	}
}

// diff asks git for the renames between each folder and that of the tip.
func (c *check) diff(ctx context.Context, roots []string) map[string]renamed {
	found := map[string]renamed{}
	if len(roots) == 0 {
		return found
	}
	out, exact := "", false
	tip, _, err := c.commitObject(ctx, c.tip)
	if err == nil {
		out, err = c.diffTrees(ctx, "-M", roots, tip)
	}
	if err != nil && c.failure == nil && c.lack(ctx).partial != "" { // it lacks the content to compare
		out, err = c.diffTrees(ctx, "-M100%", roots, tip)
		exact = true
	}
	for _, root := range roots {
		found[root] = renamed{to: map[string]string{}, from: map[string]string{}, exact: exact, err: err}
	}
	if err == nil {
		readRenames(out, found)
	}
	return found
}

func (c *check) diffTrees(ctx context.Context, detect string, roots []string, tip string) (string, error) {
	var pairs strings.Builder
	for _, root := range roots {
		pairs.WriteString(root + " " + tip + "\n")
	}
	out, err := c.r.git.run(ctx, pairs.String(), "diff-tree", "--stdin", "-r", "-z", detect, renameLimit,
		"--diff-filter=R", "--name-status")
	if errors.Is(err, context.DeadlineExceeded) {
		c.failure = err
	}
	return out, err
}

var pairLine = regexp.MustCompile(`^([0-9a-f]{40,64}) [0-9a-f]{40,64}\n`)

// readRenames reads for each pair of folders a line with their ids, and then "status NUL old path NUL new path NUL".
func readRenames(out string, found map[string]renamed) {
	var of renamed
	for out != "" {
		for m := pairLine.FindStringSubmatch(out); m != nil; m = pairLine.FindStringSubmatch(out) {
			of, out = found[m[1]], out[len(m[0]):]
		}
		part := strings.SplitN(out, "\x00", 4)
		if len(part) < 4 || of.to == nil {
			return
		}
		of.to[part[1]], of.from[part[2]] = part[2], part[1]
		out = part[3]
	}
}
