package boundary

import (
	"slices"
	"strings"
)

// sweepers are programs that change whatever lies in the folder that they are given.
var sweepers = []string{"rm", "mv", "rsync", "chmod", "chown", "shred", "unlink", "rmdir"}

// linkers are programs to which a folder is something to link to: whatever is then done behind the link is done there.
var linkers = []string{"cp", "gcp", "ln"}

// sweeps finds a command that changes a whole project, the boundary's files among it: git, with what it does not know,
// or a program that is given the root.
func (c *Call) sweeps() bool {
	if c.Text == "" {
		return false // of a call that is judged again, the line says it
	}
	return anyPart(c.Parts, (*Part).sweeps)
}

// sweeps is what the command is asked of each of its parts.
func (p *Part) sweeps() bool {
	if p.Class != Writes || len(p.Words) == 0 {
		return false
	}
	switch program := p.Words[0]; {
	case beginsWith(p.Words, []string{"git", "clean"}):
		return !p.spares()
	case beginsWith(p.Words, []string{"git", "stash"}):
		return slices.ContainsFunc(p.All, stashesUntracked)
	case program == "find":
		return len(p.Words) == 1 || slices.Contains(p.Words[1:], ".")
	default:
		all, links := slices.Contains(sweepers, program), slices.Contains(linkers, program)
		return slices.ContainsFunc(p.Targets, func(t Target) bool { return t.Path == "." && (all || links && !t.Unknown) })
	}
}

// spares reports whether a git clean leaves the data folder out, by its own words. A pattern with ! takes others back.
func (p *Part) spares() (does bool) {
	for i, word := range p.All {
		value, attached := strings.CutPrefix(word, "--exclude=")
		if !attached && i > 0 && (p.All[i-1] == "-e" || p.All[i-1] == "--exclude") {
			value, attached = word, true
		}
		does = does || attached && strings.Trim(value, "/") == dataFolder
		if strings.Contains(word, "!") {
			return false
		}
	}
	return does
}

// stashesUntracked reports whether a word of git stash has it take the files that git does not track.
func stashesUntracked(word string) bool {
	if len(word) > 2 && (strings.HasPrefix("--include-untracked", word) || strings.HasPrefix("--all", word)) {
		return true
	}
	short := len(word) > 1 && word[0] == '-' && word[1] != '-'
	return short && strings.ContainsAny(word, "ua")
}
