package hook

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// homes returns the names of the user's folder where some of the files lie in it, and outside of the project.
func (r resolver) homes(targets []boundary.Target) []string {
	within := slices.ContainsFunc(targets, func(t boundary.Target) bool {
		return strings.HasPrefix(t.Path, "/") || strings.HasPrefix(t.Real, "/")
	})
	if !within || r.home == "" {
		return nil
	}
	all := []string{path.Clean(filepath.ToSlash(r.home))}
	if real := filepath.ToSlash(r.links.real(r.home)); real != all[0] {
		all = append(all, real)
	}
	below := func(name string) bool {
		return slices.ContainsFunc(all, func(home string) bool { return strings.HasPrefix(name, home+"/") })
	}
	if !slices.ContainsFunc(targets, func(t boundary.Target) bool { return below(t.Path) || below(t.Real) }) {
		return nil
	}
	return all
}

// notes reports whether a tool of the client writes nothing but what the client keeps for itself: its plans, and what
// it remembers. What lies in the project is the project's, wherever that is, and so are the files of any working tree.
func (r resolver) notes(c *agentclient.Client, e agentclient.Event, targets []boundary.Target) bool {
	if len(c.Notes) == 0 || len(targets) == 0 || r.home == "" || !c.Writes(e.Tool) {
		return false
	}
	outside := !slices.ContainsFunc(targets, func(t boundary.Target) bool {
		return t.Unknown || !strings.HasPrefix(t.Path, "/") || !strings.HasPrefix(t.Real, "/")
	})
	if !outside {
		return false
	}
	var patterns, tops []string
	for _, note := range c.Notes {
		top, rest, _ := strings.Cut(note, "/")
		for _, folder := range []string{filepath.Join(r.home, top), r.links.real(filepath.Join(r.home, top))} {
			folder = filepath.ToSlash(folder)
			patterns, tops = append(patterns, boundary.Literal(folder)+"/"+rest), append(tops, folder)
		}
	}
	return !slices.ContainsFunc(targets, func(t boundary.Target) bool {
		return !t.Within(patterns) || inWorkingTree(t.Real, tops)
	})
}

// inWorkingTree reports whether a folder above a file, below the client's own one, is a repository's working tree.
func inWorkingTree(file string, tops []string) bool {
	for at := path.Dir(file); len(at) > 1 && !slices.Contains(tops, at); at = path.Dir(at) {
		if _, err := os.Lstat(filepath.Join(filepath.FromSlash(at), ".git")); err == nil {
			return true
		}
	}
	return false
}
