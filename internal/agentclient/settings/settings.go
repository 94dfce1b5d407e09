// Package settings puts the boundary's hook into the settings of an agent client, takes it out again, and tells what is
// registered.
//
// A settings file belongs to its owner: it is edited value by value, so that everything else stays as it was written,
// order, formatting, comments and trailing commas included; a copy is kept beside it before the first change; the new
// file takes the place of the old one in one step. What a hook stands in is said by agentclient, client by client.
//
// Our entries are known by their command: agentclient/commandline.
package settings

import "time"

// Options say where to register what.
type Options struct {
	Root          string // the project's folder
	Home          string // the user's folder, looked at for switches that disable hooks; "" leaves it alone
	User          bool   // the settings are those in the user's folder, for all projects
	Command       string // the command line to register
	Later         string // the same for every event after a tool; "" is Command
	End           string // the same for events that say that a session is done; "" registers the hook for none of them
	FailClosed    bool   // the client is to block when the hook breaks, where it can
	FollowLink    bool   // change the file that a symbolic link in the project leads to; without it a link is refused
	ClientVersion string // as the client prints it; "" is unknown, and leaves out what only newer versions know
}

// command returns the command line that is registered for an event.
func (o Options) command(w *wiring, event string) string {
	switch {
	case w.Ending(event):
		return o.End
	case event == w.Before() || o.Later == "":
		return o.Command
	}
	return o.Later
}

// events returns those that the hook is to be registered for.
func (o Options) events(w *wiring) []string {
	if o.End == "" {
		return w.Events
	}
	return w.All()
}

// Change is what an installation or its removal did.
type Change struct {
	File    string
	Created bool     // by Install: the file was not there
	Removed bool     // by Uninstall: the file that Install created is gone
	Changed bool     // anything at all
	Backup  string   // the copy of the original, "" where there is none
	Said    []string // what the person at the client has to know or to do
}

// Registration is one entry of ours that a client would run.
type Registration struct {
	File        string
	Event       string
	Matcher     string // "" is every tool
	Command     string
	Timeout     time.Duration // 0 is the client's default
	FailsClosed bool          // the client blocks when the hook breaks
	Disabled    []string      // what keeps the client from running it, in words; empty is good
}

// backupSuffix is what the copy's name ends in.
const backupSuffix = ".orchestrator-backup"
