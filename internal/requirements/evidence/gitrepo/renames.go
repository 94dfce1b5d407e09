package gitrepo

import (
	"context"
	"regexp"
	"strings"

	"orchestrator/internal/fault"
)

const (
	maxRenames  = 256 // earlier commits whose renames are kept
	renameLimit = "-l1000"
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

// renames finds renames, and keeps those between earlier commits and one later one.
type renames struct {
	git     *command
	objects *objects
	turn    Turn
	to      string
	from    map[string]Renames
}

// between returns the renames between each of the commits and the tip. git is asked once for all of them.
func (n *renames) between(ctx context.Context, commits []string, tip string) (map[string]Renames, error) {
	if err := n.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer n.turn.Give()
	if n.to != tip || len(n.from) > maxRenames {
		n.to, n.from = tip, map[string]Renames{}
	}
	found, roots := map[string]Renames{}, map[string]string{}
	for _, commit := range commits {
		if known, ok := n.from[commit]; ok {
			found[commit] = known
		} else if earlier, err := n.objects.read(ctx, commit); err != nil {
			found[commit] = Renames{err: err}
		} else {
			roots[commit] = earlier.root
		}
	}
	fresh := n.ask(ctx, roots, tip)
	for commit, root := range roots {
		if found[commit] = fresh[root]; found[commit].err == nil {
			n.from[commit] = found[commit]
		}
	}
	return found, nil
}

// ask returns the renames between folders, given by commit, and the folder of the tip.
func (n *renames) ask(ctx context.Context, roots map[string]string, tip string) map[string]Renames {
	found := map[string]Renames{}
	if len(roots) == 0 {
		return found
	}
	exact, out := false, ""
	later, err := n.objects.read(ctx, tip)
	if err == nil {
		out, err = n.diff(ctx, "-M", roots, later.root)
	}
	if err != nil && ctx.Err() == nil && n.git.partial(ctx) { // it may lack the content to compare
		exact = true
		out, err = n.diff(ctx, "-M100%", roots, later.root)
	}
	for _, root := range roots {
		found[root] = Renames{map[string]string{}, map[string]string{}, exact, err}
	}
	if err == nil {
		readRenames(out, found)
	}
	return found
}

func (n *renames) diff(ctx context.Context, detect string, roots map[string]string, later string) (string, error) {
	var pairs strings.Builder
	for _, root := range roots {
		pairs.WriteString(root + " " + later + "\n")
	}
	return n.git.run(ctx, pairs.String(), "diff-tree", "--stdin", "-r", "-z", detect, renameLimit, "--diff-filter=R",
		"--name-status")
}

var pairLine = regexp.MustCompile(`^([0-9a-f]{40,64}) [0-9a-f]{40,64}\n`)

// readRenames reads for each pair of folders a line with their ids, and then "status NUL old path NUL new path NUL".
func readRenames(out string, found map[string]Renames) {
	var of Renames
	for {
		m := pairLine.FindStringSubmatch(out)
		part := strings.SplitN(out, "\x00", 4)
		switch {
		case m != nil:
			of, out = found[m[1]], out[len(m[0]):]
		case len(part) == 4 && of.to != nil:
			of.to[part[1]], of.from[part[2]], out = part[2], part[1], part[3]
		default:
			return
		}
	}
}
