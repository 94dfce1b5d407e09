// Package agentclient knows the agent clients: how each calls a hook and wants to be answered, how the hook is
// registered with it, and which files no session may change for the hook to stay registered. Each client stands in a
// file of its own, and nothing outside of this package names one.
//
// The package is pure: bytes in, bytes out. It decides nothing, opens nothing and reads no clock. What a client cannot
// say stays unknown; nothing is guessed. docs/clients.md has the clients side by side.
package agentclient

// Client is all that is known of one agent client.
type Client struct {
	Name    string // as commands and settings say it; its program in PATH has the same name
	Wiring  Wiring
	Servers Servers
	Guarded Guarded
	Calls   Calls
	// Skills are the files of skills whose commands the client runs without a hook, in the project and in the user's
	// folder; NAME stands for the skill's name, a folder for what it has before a colon.
	Skills []string

	Delegates Delegates
	Notes     []string // patterns, in the user's folder, of the plans that it writes and of what it remembers

	Instructions string // the file with instructions that it reads instead of AGENTS.md; "" for none

	NoExitCode bool // it takes exit code 2 for a broken hook: it wants a decision as JSON
	NoSilence  bool // it takes an answer without output for a broken hook

	form    form
	answers answers
	ending  ending // without a hold, it cannot be told at the end of a turn
}

// Guarded is what no session may change besides the files that Wiring and Servers name: other settings and programs that
// decide whether the client calls the hook.
type Guarded struct {
	Project  []string // patterns of files in the project
	Personal []string // patterns of files in the user's folder
	Mentions []string // what a command that may write must not have in its text; fewer, as source code names files too
}

// Calls are canned calls, as the client makes them before a tool: members of a JSON object, to be joined with commas.
// CWD and FILE stand for JSON strings, the project's folder and a file in it; NAME stands for the file's name.
type Calls struct {
	Head  string // what every call has
	Main  string // what a call of the main session has
	Agent string // what a call of an agent has; "" where the client does not tell agents
	Edit  string
	Read  string
}
