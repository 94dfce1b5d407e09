package report

import (
	"os"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/roster"
	"orchestrator/internal/rules/boundary"
)

// rosters are the agents of a project, client by client. The folders of each are read once.
type rosters struct {
	root  string // of the project; "" is none, and only the agents count that come with a client
	found map[string]boundary.Delegation
}

// of returns how a session of a client delegates in the project.
func (r rosters) of(client string) boundary.Delegation {
	if found, known := r.found[client]; known {
		return found
	}
	var found boundary.Delegation
	if c, known := agentclient.Named(client); known {
		home := ""
		if r.root != "" {
			home, _ = os.UserHomeDir()
		}
		found = roster.Of(c, r.root, home)
	}
	r.found[client] = found
	return found
}

// uncovered returns what a main session was told to delegate, and no agent may do that its client knows in the project;
// "" where there is one.
func (r rosters) uncovered(p *boundary.Policy, d Decision) string {
	if d.Actor != nil && d.Actor.Kind == boundary.Agent || boundary.Nobodys(d.Verdict.Rule) {
		return ""
	}
	agents, targets := r.of(d.Client), d.targets()
	for _, t := range targets {
		if !agents.MayWrite(p, []boundary.Target{t}) {
			return d.Tool + " on " + nameOf(t)
		}
	}
	switch {
	case agents.MayWrite(p, targets):
		return ""
	case len(targets) == 0:
		return d.Tool
	}
	return d.Tool + " on " + nameOf(targets[0]) + " and more at once"
}
