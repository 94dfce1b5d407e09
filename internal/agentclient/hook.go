// Package agentclient knows how the agent clients call a hook: what each writes on its standard input, in one form for
// all of them, and what each wants to read as the answer.
//
// It is pure: bytes in, bytes out. It decides nothing, opens nothing and reads no clock. What a client cannot say
// stays unknown; nothing is guessed. docs/clients.md has the clients side by side.
package agentclient

import (
	"fmt"

	"orchestrator/internal/rules/boundary"
)

// When says what the call is about.
type When string

// The moments of a tool. Other is an event that there is nothing to judge in: a session began, a prompt came.
const (
	Before When = "before"
	After  When = "after"
	Failed When = "failed" // after a tool that failed
	Other  When = "other"
)

// Event is one call of a hook, in one form for all clients.
type Event struct {
	When      When           `json:"when"`
	Client    string         `json:"client"`            // who calls: Cursor also runs the hooks of Claude Code, and is to be answered as Cursor
	Version   string         `json:"version,omitempty"` // of the client, where it says so
	Session   string         `json:"session,omitempty"`
	ToolUseID string         `json:"tool_use_id,omitempty"` // joins Before with After and Failed
	Cwd       string         `json:"cwd,omitempty"`         // where relative paths begin; of a shell, where its command starts
	Actor     boundary.Actor `json:"actor"`                 // ID and Type are those of an agent, "" where the client does not say
	// Tool is the canonical name (Edit, Write, MultiEdit, NotebookEdit, Delete, Read, Grep, Glob, Bash, PowerShell,
	// Task, …), or the client's own where there is none. A tool of an MCP server begins with mcp__ wherever the
	// client shows that it is one.
	Tool    string   `json:"tool,omitempty"`
	OwnTool string   `json:"own_tool,omitempty"` // as the client says it
	Paths   []string `json:"paths"`              // what the tool is to read or write, as named; never nil
	Command string   `json:"command,omitempty"`  // of a shell
	Error   string   `json:"error,omitempty"`    // of Failed
}

// Answer is what the hook's process is to write and to exit with. Exit is 0 or 2 and nothing else.
type Answer struct {
	Stdout []byte
	Stderr []byte
	Exit   int
}

// Protocol is how one client talks. The zero value is no client; Named gives the real ones.
type Protocol struct{ client *client }

// Named returns the protocol of a client.
func Named(name string) (Protocol, bool) {
	for i := range clients {
		if clients[i].name == name {
			return Protocol{&clients[i]}, true
		}
	}
	return Protocol{}, false
}

// Names lists the clients, in the order of docs/clients.md.
func Names() []string {
	var names []string
	for i := range clients {
		names = append(names, clients[i].name)
	}
	return names
}

// Name is the client's name.
func (p Protocol) Name() string { return p.client.name }

// Parse reads one call. Unknown members are passed over, and bytes that are no UTF-8 are replaced. An error says which
// member is wrong: a call that cannot be read must not be taken for a harmless one. Nothing but the client is known
// then.
func (p Protocol) Parse(stdin []byte) (Event, error) {
	event, err := p.client.parse(stdin)
	if err != nil {
		return Event{When: Other, Client: p.client.name, Actor: boundary.Actor{Kind: boundary.Unknown},
			Paths: []string{}}, fmt.Errorf("the call of %s cannot be read: %w", p.client.name, err)
	}
	return event, nil
}
