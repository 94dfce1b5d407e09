// Package roster finds the agents that a session of a client can start: those that the project and the person have in
// files, and those that come with the client.
//
// Whoever writes a file of an agent writes what a session is told, so that only names of a strict form are taken from
// it. The folders are read when a message is made, never for a call that is let through.
package roster

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/tree"
)

// The most that is read to find agents.
const (
	maxFile  = 64 << 10
	maxFiles = 100 // of one folder
	maxDepth = 3
)

// Of returns how a session of a client delegates in a project. What cannot be read names no agents. A home of "" is
// none.
func Of(c *agentclient.Client, root, home string) boundary.Delegation {
	r := reader{client: c}
	for _, f := range c.Delegates.Folders {
		folder := root
		if f.Home {
			folder = home
		}
		if folder == "" {
			continue
		}
		r.left = maxFiles
		r.read(filepath.Join(folder, filepath.FromSlash(f.Path)), f, 1)
	}
	return c.Delegation(r.found)
}

type reader struct {
	client *agentclient.Client
	found  []boundary.AgentType
	left   int // files that are read at most
}

func (r *reader) read(folder string, f agentclient.AgentFolder, depth int) {
	entries, err := tree.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		switch {
		case e.IsDir() && f.Deep && depth < maxDepth:
			r.read(filepath.Join(folder, e.Name()), f, depth+1)
		case r.left > 0 && strings.HasSuffix(e.Name(), f.Ending) && e.Type()&(fs.ModeNamedPipe|fs.ModeSocket) == 0:
			r.left--
			r.add(filepath.Join(folder, e.Name()), f.Ending)
		}
	}
}

// add takes an agent from its file, unless one of that name is there, or it writes nothing.
func (r *reader) add(path, ending string) {
	source, err := tree.ReadFile(context.Background(), path, maxFile)
	if err != nil {
		return
	}
	name := ""
	if r.client.Delegates.ByFile {
		name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ending), ".agent")
	}
	a, ok := parse(source, ending, name)
	if !ok || !a.writes(r.client) ||
		slices.ContainsFunc(r.found, func(t boundary.AgentType) bool { return t.Name == a.name }) {
		return
	}
	r.found = append(r.found, boundary.AgentType{Name: a.name})
}
