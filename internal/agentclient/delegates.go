package agentclient

import (
	"slices"

	"orchestrator/internal/rules/boundary"
)

// Delegates is how a client's main session starts an agent, and where the agents are that it can start.
type Delegates struct {
	Tool    string            // as the client calls it
	Type    string            // the tool's member that names the agent; "" where there is none
	Prompt  string            // the tool's member that has the task
	Also    []boundary.Member // what else the tool must be given
	Folders []AgentFolder
	ByFile  bool                 // an agent without a name has that of its file
	BuiltIn []boundary.AgentType // that can write
}

// AgentFolder is where a client looks for agents, each in a file of its own.
type AgentFolder struct {
	Path   string // in the project, or in the user's folder
	Home   bool   // the folder is in the user's folder
	Ending string // of the files: .md is Markdown with front matter, .toml is TOML
	Deep   bool   // the client looks into the folders in it as well
}

// Delegation returns how the client's main session has an agent do something, where there are agents besides those that
// come with it.
func (c *Client) Delegation(agents []boundary.AgentType) boundary.Delegation {
	d := c.Delegates
	return boundary.Delegation{
		Tool: d.Tool, Type: d.Type, Also: d.Also, Prompt: d.Prompt, Agents: slices.Concat(agents, d.BuiltIn),
		Reads:  append(c.form.called(read, grep, glob, askUser, todoWrite), d.Tool),
		Writes: c.form.called(edit, write, multiEdit, notebook, remove, patch),
	}
}

// called returns what the client calls the first tool of each of the canonical names that it has one for.
func (f *form) called(canonical ...string) (own []string) {
	for _, name := range canonical {
		i := slices.IndexFunc(f.tools, func(row struct {
			name string
			is   tool
		}) bool {
			return row.is.name == name
		})
		if i >= 0 && !slices.Contains(own, f.tools[i].name) {
			own = append(own, f.tools[i].name)
		}
	}
	return own
}

// Canonical returns the one name that all clients share for a tool of this one; its own where there is none.
func (c *Client) Canonical(own string) string {
	switch is, _ := c.form.find(own); is.name {
	case "":
		return own
	case patch:
		return edit
	default:
		return is.name
	}
}

// Writes reports whether a tool of the client, as the client or everybody calls it, writes files or may do so.
func (c *Client) Writes(name string) bool {
	return slices.Contains([]string{edit, write, multiEdit, notebook, remove, bash, powerShell}, c.Canonical(name))
}
