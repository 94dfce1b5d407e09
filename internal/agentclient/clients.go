package agentclient

import (
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// clients stand in the order of docs/clients.md.
var clients = []*Client{&claude, &codex, &qwen, &gemini, &cursor, &copilot, &opencode}

// All returns the clients, in the order of docs/clients.md.
func All() []*Client { return slices.Clone(clients) }

// Named returns the client of a name.
func Named(name string) (c *Client, found bool) {
	for _, c := range clients {
		if c.Name == name {
			return c, true
		}
	}
	return nil, false
}

// Find returns the client of a name; its error names the clients.
func Find(name string) (*Client, error) {
	if c, found := Named(name); found {
		return c, nil
	}
	return nil, fault.New(fault.NotFound, "unknown_client", "there is no client %q", name).
		WithFix("one of %s", strings.Join(Names(), ", "))
}

// Names returns the names of the clients, in the order of docs/clients.md.
func Names() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.Name)
	}
	return names
}

// ProjectVariables returns the environment variables in which clients give a hook the project's folder.
func ProjectVariables() []string {
	var names []string
	for _, c := range clients {
		if c.Wiring.Project != "" {
			names = append(names, c.Wiring.Project)
		}
	}
	return names
}

// GuardedInProject returns what no session may change in a project, of all clients: a session of one could take the
// hook out of the settings of another.
func GuardedInProject() boundary.Guarded {
	var all boundary.Guarded
	for _, c := range clients {
		all.Paths = append(all.Paths, c.Guarded.Project...)
		all.Mentions = append(all.Mentions, c.Guarded.Mentions...)
	}
	return all
}

// PersonalFiles returns patterns of the files in a user's folder that no session may change, of all clients.
func PersonalFiles() []string {
	var all []string
	for _, c := range clients {
		all = append(all, c.Guarded.Personal...)
	}
	return all
}
