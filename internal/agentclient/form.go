package agentclient

import (
	"strings"
	"unicode"

	"orchestrator/internal/rules/boundary"
)

// form is what a client's calls look like: the names that it gives to what an Event holds.
type form struct {
	event   string     // the member that names the event; "" where only the other members tell it
	whens   rows[When] // what its events are; every other one is Other
	tool    string
	input   string
	session []string // the first that is there
	toolUse string
	cwd     []string
	version string // "" where the client does not say
	failure string // the member that holds the error of a failed tool

	looseInput bool // the input may be text: JSON in a string, or a patch as it is
	typedInto  bool // a command may have a terminal, and the call does not say whether it has
	tools      rows[tool]
	namespaces rows[rows[tool]] // that the names of tools may begin with, with what only they call so

	lent   bool                                 // others run what is registered for this client, too
	guest  guest                                // how this client calls what is registered for another
	moment func(object) (When, error)           // where event is not enough
	actor  func(object) (boundary.Actor, error) // who uses the tool
	// adjust reads what differs from event to event, and returns the tool's name.
	adjust func(*Event, object, *object) (string, error)
}

// guest is how a client calls a hook that is registered for another client.
type guest struct {
	sends   func(object) bool // reports whether a call is this client's; nil where it runs no hooks of others
	ownForm bool              // it is in this client's form, and not in the other's
}

// tool is what a client's tool is, in canonical terms. The zero tool keeps its name: what it does is left to the
// policy, and to the words of its name.
type tool struct {
	name    string // canonical
	command string // the member with a shell's command, where it is not called as in commandMembers
	maybe   bool   // it is a shell only with a command, and else a tool of its own
}

func named(canonical string) tool { return tool{name: canonical} }

// rows say what a client's names mean. They are few, and a part of the program as it lies on the disk: maps would be
// built each time that a hook starts.
type rows[V any] []struct {
	name string
	is   V
}

func (r rows[V]) find(name string) (is V, found bool) {
	for i := range r {
		if r[i].name == name {
			return r[i].is, true
		}
	}
	return is, false
}

// find returns what the client's tool of a name is. Of a name that begins with a namespace, the tool is what follows
// it, and whatever a client puts between the two.
func (f *form) find(name string) (is tool, found bool) {
	if is, found = f.tools.find(name); found || len(f.namespaces) == 0 {
		return is, found
	}
	name = afterNamespace(name, "functions") // which may stand before every other one
	for _, space := range f.namespaces {
		its := afterNamespace(name, space.name)
		if its == name {
			continue
		}
		if is, found = space.is.find(its); found {
			return is, true
		}
		if is, found = f.tools.find(its); found {
			return is, true
		}
	}
	return f.tools.find(name)
}

// afterNamespace returns the part of a name that follows a namespace; the name itself where it does not begin with it.
func afterNamespace(name, space string) string {
	rest, within := strings.CutPrefix(name, space)
	if rest = strings.TrimLeft(rest, "._/:"); !within || rest == "" {
		return name
	}
	return rest
}

// agentID distinguishes the main session from an agent by the one member that does: a string that names one is an
// agent. agent_type alone tells nothing, as a main session can have one too.
func agentID(call object) (boundary.Actor, error) {
	id, err := call.text("agent_id")
	if err != nil || !namesAgent(id) || id == call.loose("session_id") {
		return boundary.Actor{Kind: boundary.Main}, err
	}
	kind, err := call.text("agent_type")
	return boundary.Actor{Kind: boundary.Agent, ID: id, Type: kind}, err
}

// namesAgent reports whether an id is that of an agent: it has a letter or a digit, and is not what main sessions are
// called.
func namesAgent(id string) bool {
	id = strings.TrimSpace(id)
	return strings.ContainsFunc(id, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) &&
		!strings.EqualFold(id, "main")
}

// untold returns the actor of a client that does not say who uses the tool.
func untold(object) (boundary.Actor, error) { return boundary.Actor{Kind: boundary.Unknown}, nil }
