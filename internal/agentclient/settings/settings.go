// Package settings puts the boundary's hook into the settings of an agent client, takes it out again, and tells what is
// registered.
//
// A settings file belongs to its owner: it is edited value by value, so that everything else stays as it was written,
// order, formatting, comments and trailing commas included; a copy is kept beside it before the first change; the new
// file takes the place of the old one in one step. What a hook stands in is said by agentclient, client by client.
//
// Our entries are known by their command: a program orchestrator-hook, or orchestrator with hook as its first word.
package settings

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/fault"
)

// Options say where to register what.
type Options struct {
	Root          string // the project's folder
	Home          string // the user's folder, looked at for switches that disable hooks; "" leaves it alone
	Command       string // the command line to register
	FollowLink    bool   // change the file that a symbolic link in the project leads to; without it a link is refused
	ClientVersion string // as the client prints it; "" is unknown, and leaves out what only newer versions know
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
	File      string
	Event     string
	Matcher   string // "" is every tool
	Command   string
	Timeout   time.Duration // 0 is the client's default
	FailsShut bool          // the client blocks when the hook breaks
	Disabled  []string      // what keeps the client from running it, in words; empty is good
}

// backupSuffix is what the copy's name ends in.
const backupSuffix = ".orchestrator-backup"

// Install registers the command with a client. Done twice it changes nothing the second time; an entry of ours that is
// different is replaced.
func Install(client string, o Options) (Change, error) {
	if strings.TrimSpace(o.Command) == "" || !ours(o.Command) {
		return Change{}, fault.New(fault.Invalid, "hook_command", "%q is not the command of a hook", o.Command).
			WithFix("register orchestrator-hook CLIENT, or orchestrator hook CLIENT")
	}
	w, err := wiringOf(client)
	if err != nil {
		return Change{}, err
	}
	if w.Plugin != "" {
		return w.installPlugin(o)
	}
	return w.install(o)
}

// Uninstall removes what Install added and leaves the rest. Where nothing else has changed since, the file is the
// original again, byte for byte; a file that Install created is removed.
func Uninstall(client string, o Options) (Change, error) {
	w, err := wiringOf(client)
	if err != nil {
		return Change{}, err
	}
	if w.Plugin != "" {
		return w.uninstallPlugin(o)
	}
	return w.uninstall(o)
}

// Registered lists our entries in the project's settings of a client. A file that is not there has none.
func Registered(client string, o Options) ([]Registration, error) {
	w, err := wiringOf(client)
	if err != nil {
		return nil, err
	}
	if w.Plugin != "" {
		return w.registeredPlugin(o)
	}
	doc, _, err := load(filepath.Join(o.Root, w.File))
	if err != nil || doc == nil {
		return nil, err
	}
	found := w.registrations(doc, filepath.Join(o.Root, w.File))
	if len(found) == 0 {
		return nil, nil
	}
	for i, disabled := 0, w.disabled(o); i < len(found); i++ {
		found[i].Disabled = slices.Clone(disabled)
	}
	return found, nil
}

func wiringOf(client string) (*wiring, error) {
	c, err := agentclient.Find(client)
	if err != nil {
		return nil, err
	}
	return &wiring{c.Wiring, client}, nil
}
