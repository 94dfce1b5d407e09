package agentclient

import "orchestrator/internal/rules/boundary"

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
	Client    string         `json:"client"`            // who calls: it may run the hooks of another one
	Version   string         `json:"version,omitempty"` // of the client, where it says so
	Session   string         `json:"session,omitempty"`
	ToolUseID string         `json:"tool_use_id,omitempty"` // joins Before with After and Failed
	Cwd       string         `json:"cwd,omitempty"`         // where relative paths, or a command, begin
	Actor     boundary.Actor `json:"actor"`                 // ID and Type are those of an agent
	// Tool is the canonical name (Edit, Write, MultiEdit, NotebookEdit, Delete, Read, Grep, Glob, Bash, PowerShell,
	// Task, …), or the client's own where there is none. A tool of an MCP server begins with mcp__ wherever the
	// client shows that it is one.
	Tool    string   `json:"tool,omitempty"`
	OwnTool string   `json:"own_tool,omitempty"` // as the client says it
	Paths   []string `json:"paths"`              // what the tool is to read or write, as named; never nil
	Command string   `json:"command,omitempty"`  // of a shell
	// Interactive says that the session may be able to type into the command while it runs, and no hook is called for
	// that.
	Interactive bool   `json:"interactive,omitempty"`
	Skill       string `json:"skill,omitempty"`      // the name of a skill that is to be loaded
	SkillArgs   string `json:"skill_args,omitempty"` // its arguments
	Puts        bool   `json:"puts,omitempty"`       // the input of a tool that nobody knows names a file to write
	Error       string `json:"error,omitempty"`      // of Failed
}

// Answer is what the hook's process is to write and to exit with. Exit is 0 or 2 and nothing else.
type Answer struct {
	Stdout []byte
	Stderr []byte
	Exit   int
}
