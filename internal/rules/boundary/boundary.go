// Package boundary decides which session of an agent client may use which tool on which file.
//
// A main session delegates: it reads, asks and starts agents, and changes no file itself. Agents change files, as far
// as the policy lets their type. Nobody changes the boundary's own files. The package is pure: it is given the call, in
// one form for all clients and with the paths already resolved, and the moment.
package boundary

import (
	"slices"
	"time"
)

// ActorKind tells who makes a call.
type ActorKind string

// The kinds of actor. Unknown is that of a client which does not tell a subagent from the main session.
const (
	Main    ActorKind = "main"
	Agent   ActorKind = "agent"
	Unknown ActorKind = "unknown"
)

// Actor is who makes a call. ID and Type are those of a subagent; a main session may have a type, too.
type Actor struct {
	Kind ActorKind `json:"kind"`
	ID   string    `json:"id,omitempty"`
	Type string    `json:"type,omitempty"`
}

// Class is what a call does to files.
type Class string

// The classes of calls.
const (
	Reads     Class = "reads"
	Delegates Class = "delegates"
	Produces  Class = "produces"  // outputs, caches, lock files, git's index and commits, and no source
	Ambiguous Class = "ambiguous" // cannot be told
	Writes    Class = "writes"
)

// Target is a file that a call writes. Path is relative to the project's root when it lies in it, absolute otherwise,
// cleaned and with slashes; Real is where its links lead, in the same form. Of a path that cannot be told wholly, Path
// is what is known of its beginning.
type Target struct {
	Path    string `json:"path,omitempty"`
	Real    string `json:"real,omitempty"`
	Unknown bool   `json:"unknown,omitzero"`
	Tracked bool   `json:"tracked,omitzero"` // git has it in its index; looked up only for what is to be an output
	Holds   string `json:"holds,omitempty"`  // code below it that a main session may have written, see ExemptFolders
	Link    string `json:"link,omitempty"`   // what of it is a link, see HardLink; looked up where it matters
	Unsure  bool   `json:"unsure,omitzero"`  // git's index cannot be read, so that the file counts as tracked
}

// What of a target is a link.
const (
	HardLink     = "hard"     // the file itself: it has other names, by which nothing exempts it
	SymbolicLink = "symbolic" // what Holds names
)

// Part is one of the things that a shell command does.
type Part struct {
	Words   []string `json:"words,omitempty"` // the program and its first words that are no flags
	Class   Class    `json:"class"`
	Targets []Target `json:"targets,omitempty"`
	Why     string   `json:"why,omitempty"`
	Foreign bool     `json:"foreign,omitzero"` // ambiguous only because the program is not known
	// Runs is where the code lies that a part which produces runs: the folder that it runs in, and what its words name.
	Runs []Target `json:"runs,omitempty"`
	// All has the program and all its words, of what writes. The journal does not keep them.
	All []string `json:"-"`
}

// Written returns all files that a call writes: those that its tool names, and those of the parts of a command that do
// not only read.
func Written(named []Target, parts []Part) []Target {
	all := slices.Clone(named)
	for i := range parts {
		if parts[i].Class != Reads {
			all = append(all, parts[i].Targets...)
		}
	}
	return all
}

// anyPart reports whether one of the parts of a command is of some kind. A part is large, and not copied.
func anyPart(parts []Part, is func(*Part) bool) bool {
	for i := range parts {
		if is(&parts[i]) {
			return true
		}
	}
	return false
}

// Call is one call of a tool, before it runs.
type Call struct {
	At        time.Time
	Client    string
	Session   string
	Actor     Actor
	Tool      string   // by its one name for all clients
	OwnTool   string   // by the client's own name; "" where that is the same, or was not kept
	Targets   []Target // the files that a tool names
	Parts     []Part   // what a shell command does
	Reads     []Target // secrets of the service that a shell command may show or copy
	IsShell   bool
	Text      string   // the literal text of a shell command; "" when it was not kept
	Puts      bool     // its input names a file to write, by the name of a member: of a tool that nobody knows
	Notes     bool     // all files that it names are the client's own: plans, and what it remembers
	Homes     []string // the user's folder, and where its links lead; what ~ stands for in a policy
	Guarded   Guarded
	BypassEnv string // the value of the environment variable that lifts the boundary
	Grants    []Grant

	Delegation Delegation // for the message alone
}

// Delegation is how a client's main session has an agent do something, in the client's own words. It is read only where
// a message is made; the zero value is a client of which nothing is known.
type Delegation struct {
	Tool   string      // that starts an agent
	Type   string      // its member that names the agent; "" where there is none
	Also   []Member    // what else it must be given
	Prompt string      // its member that holds the task
	Agents []AgentType // that exist there, those of the project first
	Reads  []string    // the tools that a main session may use, as the client calls them
	Writes []string    // the tools that write
}

// Member is a member of a tool's input, with what may stand in it.
type Member struct{ Name, Text string }

// AgentType is an agent that a session of a client can start.
type AgentType struct {
	Name    string
	BuiltIn bool // it comes with the client
	Untyped bool // it is what the client starts when no agent is named
}

// Guarded is what no session may change, whatever a policy says, besides the boundary's own files: the settings that
// have clients call the hook, and the program that they call.
type Guarded struct {
	Paths    []string // patterns, as in a policy
	Mentions []string // what a command that may write must not have in its text; in small letters
}

// Grant lifts the boundary for a while.
type Grant struct {
	ID      string    `json:"id"`
	Reason  string    `json:"reason"`
	By      string    `json:"by"`
	Since   time.Time `json:"since"`
	Until   time.Time `json:"until"`
	Session string    `json:"session,omitempty"` // "" for every session
}

// Ended says who ended a bypass before its time.
type Ended struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
}

// covers reports whether a grant is in force for a call.
func (g Grant) covers(c Call) bool {
	return !c.At.Before(g.Since) && c.At.Before(g.Until) && (g.Session == "" || g.Session == c.Session)
}

// Decision is what becomes of a call.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Warn  Decision = "warn" // let through, and said
	Ask   Decision = "ask"  // the person at the client decides
	Block Decision = "block"
)

// BypassVariable is the environment variable that lifts the boundary when it is exactly "true".
const BypassVariable = "AMPLIFIER_BYPASS_BOUNDARY" //nolint:gosec // a name

const bypassVariable = "amplifier_bypass_boundary" //nolint:gosec // the name, as a text in small letters has it

// ByEnvironment is the bypass of a verdict that the environment variable lifted; others are the ids of grants.
const ByEnvironment = "environment"

// Verdict is what becomes of a call, and why. Would is what becomes of it in enforce without a bypass: a call whose
// Would is not Allow is a violation.
type Verdict struct {
	Decision Decision `json:"decision"`
	Would    Decision `json:"would"`
	Rule     string   `json:"rule"`
	Class    Class    `json:"class"`
	Reason   string   `json:"reason,omitempty"`
	Fix      string   `json:"fix,omitempty"`
	Targets  []Target `json:"targets,omitempty"` // what the rule is about
	Bypass   string   `json:"bypass,omitempty"`  // what lifted the boundary; only when that changed the decision
	Mode     Mode     `json:"mode,omitempty"`    // that decided, where it is another than the project's
	Steps    []Step   `json:"steps,omitempty"`   // every rule that was looked at, in order
}

// Violation reports whether the call is one that enforce does not let through.
func (v Verdict) Violation() bool { return v.Would != Allow }

// Step is one rule that was looked at.
type Step struct {
	Rule    string `json:"rule"`
	Matched bool   `json:"matched"`
	Note    string `json:"note"`
}
