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
		WithFix("name one of %s", strings.Join(Names(), ", "))
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

// sessionVariables are what clients set in the environment of the commands that they run.
var sessionVariables = []string{"CLAUDECODE", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
	"CODEX_THREAD_ID", "COPILOT_CLI", "GEMINI_CLI", "OPENCODE", "QWEN_CODE"}

// SessionVariable returns the variable by which an environment is that of a command which an agent client runs; ""
// where there is none.
func SessionVariable(getenv func(string) string) string {
	for _, name := range sessionVariables {
		if getenv(name) != "" {
			return name
		}
	}
	return ""
}

// GuardedInProject returns what no session may change in a project, of all clients: a session of one could take the
// hook out of the settings of another.
func GuardedInProject() boundary.Guarded {
	var all boundary.Guarded
	for _, c := range clients {
		all.Paths = append(all.Paths, c.ProjectFiles()...)
		all.Mentions = append(all.Mentions, c.Guarded.Mentions...)
	}
	return all
}

// PersonalFiles returns patterns of the files in a user's folder that no session may change, of all clients.
func PersonalFiles() []string {
	var all []string
	for _, c := range clients {
		all = append(all, c.guarded(true)...)
	}
	return all
}

// ProjectFiles returns patterns of the files in a project that make the client call the hook, or keep it from that, or
// register MCP servers.
func (c *Client) ProjectFiles() []string { return c.guarded(false) }

// Implements: ORC-318

// guarded returns every file of the wiring and of the servers that the client reads, in the project or in the user's
// folder, and what is guarded besides.
func (c *Client) guarded(home bool) []string {
	w := &c.Wiring
	all := slices.Clone(c.Guarded.Project)
	named := []string{w.File}
	if home {
		all, named = slices.Clone(c.Guarded.Personal), []string{w.User, w.Trusts}
	}
	for _, t := range w.Toggles {
		if t.Home == home {
			named = append(named, t.File)
		}
	}
	for _, s := range w.OtherFiles {
		if s.Home == home && !s.Unread {
			named = append(named, s.File)
		}
	}
	for _, file := range append(named, c.Servers.files(home)...) {
		if file != "" && !(boundary.Target{Path: file}).Within(all) {
			all = append(all, file)
		}
	}
	return all
}
