package report

import (
	"slices"
	"strings"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// thing is what is blocked: a file, a command or a tool, how often, and in which sessions.
type thing struct {
	times    int
	sessions map[session]bool
	last     Decision
}

// stuck returns what was blocked StuckTimes in StuckSessions sessions, and has not passed since: no agent changed these
// files, and no other call of the same command was allowed. What today's policy allows is left out.
func (h *History) stuck(p *boundary.Policy) []string {
	things := map[string]*thing{}
	for _, d := range h.Decisions {
		if !stopped(d) {
			if d.passed() {
				for _, name := range d.does() {
					delete(things, name)
				}
			}
			continue
		}
		for _, name := range d.does() {
			t := things[name]
			if t == nil {
				t = &thing{sessions: map[session]bool{}}
				things[name] = t
			}
			t.times++
			t.sessions[session{d.Client, d.Session}], t.last = true, d
		}
	}
	names := []string{}
	for name, t := range things {
		if t.times >= boundary.StuckTimes && len(t.sessions) >= boundary.StuckSessions && h.still(p, t.last) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// stopped reports whether a call was kept from running that somebody may make: by the boundary or the person who was
// asked, or of an agent, whose calls in validate count as well. What no session may do is no workflow.
func stopped(d Decision) bool {
	rule := d.Verdict.Rule
	switch {
	case !d.Verdict.Violation() || d.Verdict.Bypass != "" || boundary.Nobodys(rule):
		return false
	case d.Verdict.Decision == boundary.Warn:
		return d.Actor != nil && d.Actor.Kind == boundary.Agent
	}
	return d.Verdict.Decision == boundary.Block || d.Outcome != folder.OutcomeDone
}

// passed reports whether a call ran that enforce lets through, or that a person let through who was asked.
func (d Decision) passed() bool {
	return d.Outcome != folder.OutcomeFailed && (!d.Verdict.Violation() || d.Verdict.Decision == boundary.Ask)
}

// does names what a call does: by the files that it writes, or by its commands, or else by its tool.
func (d Decision) does() (names []string) {
	for _, t := range d.targets() {
		if t.Path != "" && !t.Unknown {
			names = append(names, t.Path)
		}
	}
	if len(names) > 0 {
		return names
	}
	for _, part := range d.Parts {
		if len(part.Words) > 0 && (part.Class != boundary.Reads || !d.Verdict.Violation()) {
			names = append(names, strings.Join(part.Words, " "))
		}
	}
	if len(names) == 0 {
		return []string{d.Tool}
	}
	return names
}

// countInsisting counts the sessions in which something was blocked, and those of them that tried the same again and
// again and started no agent.
func (h *History) countInsisting(f *boundary.Figures) {
	tried, delegated := map[session]map[string]int{}, map[session]bool{}
	for _, d := range h.Decisions {
		who := session{d.Client, d.Session}
		agent := d.Actor != nil && d.Actor.Kind == boundary.Agent
		switch {
		case agent || d.Verdict.Class == boundary.Delegates:
			delegated[who] = true
		case d.Verdict.Decision != boundary.Warn && stopped(d):
			if tried[who] == nil {
				tried[who] = map[string]int{}
			}
			for _, name := range d.does() {
				tried[who][name]++
			}
		}
	}
	for who, names := range tried {
		f.BlockedSessions++
		most := 0
		for _, times := range names {
			most = max(most, times)
		}
		if most >= boundary.StuckTimes && !delegated[who] {
			f.InsistingSessions++
		}
	}
}
