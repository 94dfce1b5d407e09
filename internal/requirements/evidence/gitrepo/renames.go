package gitrepo

import (
	"context"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/lazyregexp"
)

const (
	maxRenames  = 256     // pairs of commits whose renames are kept
	renameLimit = "-l300" // files on each side: what git compares grows with the square
)

// Renames are what git takes for renames between an earlier commit and a later one.
type Renames struct {
	to, from map[string]string // new paths by old ones, and the other way round
	exact    bool              // only files whose content did not change were compared
	err      error             // why it cannot be told
}

// To returns the new path of the file that was at path, or "" where git sees no rename.
func (r Renames) To(path string) (string, error) { return r.answer(r.to[path]) }

// From returns the old path of the file that is at path now, or "" where git sees no rename.
func (r Renames) From(path string) (string, error) { return r.answer(r.from[path]) }

func (r Renames) answer(path string) (string, error) {
	if r.err == nil && r.exact && path == "" {
		return "", fault.New(fault.Unavailable, CodeFailed, "whether files were renamed and changed cannot be told")
	}
	return path, r.err
}

// Pair is an earlier commit and a later one, by their full ids.
type Pair struct{ From, To string }

// renames finds renames, and keeps them: what two commits have never changes.
type renames struct {
	git     *command
	objects *objects
	turn    Turn
	kept    map[Pair]Renames
}

// between returns the renames between the commits of each pair. git is asked once for all of them.
func (n *renames) between(ctx context.Context, pairs []Pair) (map[Pair]Renames, error) {
	if err := n.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer n.turn.Give()
	if len(n.kept) > maxRenames {
		clear(n.kept)
	}
	found, folders := map[Pair]Renames{}, map[Pair]Pair{}
	for _, p := range pairs {
		if known, ok := n.kept[p]; ok {
			found[p] = known
		} else if roots, err := n.roots(ctx, p); err != nil {
			found[p] = Renames{err: err}
		} else {
			folders[p] = roots
		}
	}
	fresh := n.ask(ctx, folders)
	for p, roots := range folders {
		if found[p] = fresh[roots]; found[p].err == nil {
			n.kept[p] = found[p]
		}
	}
	return found, nil
}

// roots returns the folders of the commits of a pair.
func (n *renames) roots(ctx context.Context, p Pair) (Pair, error) {
	earlier, err := n.objects.read(ctx, p.From)
	if err != nil {
		return Pair{}, err
	}
	later, err := n.objects.read(ctx, p.To)
	return Pair{earlier.root, later.root}, err
}

// ask returns the renames between pairs of folders, which are given by pairs of commits.
func (n *renames) ask(ctx context.Context, folders map[Pair]Pair) map[Pair]Renames {
	found := map[Pair]Renames{}
	if len(folders) == 0 {
		return found
	}
	exact := false
	out, err := n.diff(ctx, "-M", folders)
	if err != nil && ctx.Err() == nil && n.git.partial(ctx) { // it may lack the content to compare
		exact = true
		out, err = n.diff(ctx, "-M100%", folders)
	}
	for _, roots := range folders {
		found[roots] = Renames{map[string]string{}, map[string]string{}, exact, err}
	}
	if err == nil {
		readRenames(out, found)
	}
	return found
}

func (n *renames) diff(ctx context.Context, detect string, folders map[Pair]Pair) (string, error) {
	var pairs strings.Builder
	for _, roots := range folders {
		pairs.WriteString(roots.From + " " + roots.To + "\n")
	}
	return n.git.run(ctx, pairs.String(), "diff-tree", "--stdin", "-r", "-z", detect, renameLimit, "--diff-filter=R",
		"--name-status")
}

var pairLine = lazyregexp.New(`^([0-9a-f]{40,64}) ([0-9a-f]{40,64})\n`)

// readRenames reads for each pair of folders a line with their ids, and then "status NUL old path NUL new path NUL".
func readRenames(out string, found map[Pair]Renames) {
	var of Renames
	for {
		m := pairLine().FindStringSubmatch(out)
		part := strings.SplitN(out, "\x00", 4)
		switch {
		case m != nil:
			of, out = found[Pair{m[1], m[2]}], out[len(m[0]):]
		case len(part) == 4 && of.to != nil:
			of.to[part[1]], of.from[part[2]], out = part[2], part[1], part[3]
		default:
			return
		}
	}
}
