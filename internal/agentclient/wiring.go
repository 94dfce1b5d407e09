package agentclient

import (
	"slices"
	"time"
)

// Wiring says how a hook is registered with a client: in which file, in which form, and since which version. Every
// member is what the client calls or does; agentclient/settings edits files by it.
type Wiring struct {
	File    string   // of the settings, in the project
	Events  []string // that the hook is registered for; the first is the one before a tool
	Ends    []string // events by which a session says that it is done: the hook is given FinishedFlag
	Nested  bool     // an event's entries are groups with a matcher and a list of hooks
	Matcher string   // of every tool; "" is left out
	Version int      // what the file must have as its version; 0 is nothing
	Command string   // the member that holds the command
	Named   bool     // an entry has a name, for the client's own list of hooks
	Typed   bool     // an entry says that its type is "command"

	Timeout      string // the member that holds the time limit
	Unit         time.Duration
	SecondsBelow int // time limits below it are seconds, whatever the unit: newer versions count so; 0 is none

	FailClosed *Option // what makes the client block when the hook breaks
	JSONFlag   *Option // what the hook's command line has where the client takes every answer as JSON: Client.AsJSON
	Since      string  // the first version that the hook can rely on; "" where that is not known
	Lacks      string  // what an older one does not do
	Notes      []string

	SilentIn string // sessions in which a warning reaches nobody; "" for none

	User               string   // the settings in the user's folder, which hold for every project
	Reach              Reach    // whose settings a session reads
	AnyShell           bool     // it runs a command line by whatever shell the person has
	DisablingVariables []string // environment variables that keep hooks from running where they are true
	Trusts             string   // the file in the user's folder with what hooks the person trusts; "" where they need no trust

	Toggles    []Toggle
	Disabled   [][]string  // paths of members that list the names of hooks which are switched off
	Project    string      // the environment variable with the project's folder that a hook is given; "" for none
	OtherFiles []OtherFile // other files that the hook may have been put into

	// Plugin is the source of the plugin that calls the hook, where the client has plugins instead of hooks in
	// settings; "" for none.
	Plugin string
}

// Before returns the event before a tool.
func (w *Wiring) Before() string { return w.Events[0] }

// Ending reports whether an event says that a session is done.
func (w *Wiring) Ending(event string) bool { return slices.Contains(w.Ends, event) }

// All returns all events that the hook is registered for.
func (w *Wiring) All() []string { return slices.Concat(w.Events, w.Ends) }

// Reach says which folders a client reads the project's settings in.
type Reach string

// The reaches. A session that is started elsewhere in the project runs no hook of the project.
const (
	Here  Reach = "here"  // the folder that the session is started in, and no other
	Above Reach = "above" // that folder, and those above it up to the top of the repository
)

// Option is a member that only some versions know.
type Option struct {
	Name  string
	Value any
	Since string // "" is every version
}

// Toggle is a switch that keeps hooks from running. A file that ends in .toml is TOML, any other one JSON.
type Toggle struct {
	File string   // in the project, or in the user's folder
	Path []string // of members
	Off  bool     // the value that disables
	Home bool     // the file is in the user's folder
}

// OtherFile is a file other than the one that the hook is registered in.
type OtherFile struct {
	File   string // in the project, or in the user's folder
	Home   bool   // the file is in the user's folder
	Unread bool   // the client passes it over
}
