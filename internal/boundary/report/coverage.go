package report

import (
	"maps"
	"os"
	"slices"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/roster"
	"orchestrator/internal/rules/boundary"
)

// gaps are what main sessions were told to delegate, and no agent may do that their clients know in a project under a
// policy. The folders of each client's agents are read once.
type gaps struct {
	root   string // of the project; "" is none, and only the agents count that come with a client
	policy *boundary.Policy
	agents map[string]boundary.Delegation // by client
	found  map[string]bool
}

func newGaps(root string, p *boundary.Policy) *gaps {
	return &gaps{root, p, map[string]boundary.Delegation{}, map[string]bool{}}
}

// look looks at a call that a main session was kept from.
func (g *gaps) look(t *told) {
	if boundary.Nobodys(t.Verdict.Rule) {
		return
	}
	if gap := g.uncovered(t); gap != "" {
		g.found[gap] = true
	}
}

// names returns what was found, in order.
func (g *gaps) names() []string {
	names := slices.AppendSeq(make([]string, 0, len(g.found)), maps.Keys(g.found))
	slices.Sort(names)
	return names
}

// of returns how a session of a client delegates in the project.
func (g *gaps) of(client string) boundary.Delegation {
	if found, known := g.agents[client]; known {
		return found
	}
	var found boundary.Delegation
	if c, known := agentclient.Named(client); known {
		home := ""
		if g.root != "" {
			home, _ = os.UserHomeDir()
		}
		found = roster.Of(c, g.root, home)
	}
	g.agents[client] = found
	return found
}

// uncovered returns what of a call no agent may do; "" where there is one that may do all of it.
func (g *gaps) uncovered(t *told) string {
	agents, targets := g.of(t.Client), t.targets()
	for _, target := range targets {
		if !agents.MayWrite(g.policy, []boundary.Target{target}) {
			return t.Tool + " on " + nameOf(target)
		}
	}
	switch {
	case agents.MayWrite(g.policy, targets):
		return ""
	case len(targets) == 0:
		return t.Tool
	}
	return t.Tool + " on " + nameOf(targets[0]) + " and more at once"
}
