package folder

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// Guard tells what no session may change in a project, whoever runs it.
type Guard struct {
	root   string
	policy boundary.Policy
	files  boundary.Guarded
}

// GuardOf returns what the boundary of the project guards; nil where there is none. Of a policy that cannot be read, it
// guards what every boundary does.
func GuardOf(d Dir) *Guard {
	policy, err := d.Policy()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		policy = boundary.DefaultPolicy()
	}
	policy.Mode = boundary.Enforce // what is guarded does not depend on it
	return &Guard{d.Root, policy, agentclient.GuardedInProject()}
}

// Protects reports whether no session may change a file, by its path in the project.
func (g *Guard) Protects(file string) bool {
	return boundary.Judge(&g.policy, boundary.Call{Tool: "Write", Targets: []boundary.Target{{Path: file}},
		Guarded: g.files}).Rule == boundary.RuleProtected
}

// Files returns the paths of the files and folders with the settings of agent clients that call the hook.
func (g *Guard) Files() (all []string) {
	for _, pattern := range g.files.Paths {
		all = append(all, filepath.Join(g.root, strings.TrimSuffix(pattern, "/**")))
	}
	return all
}
