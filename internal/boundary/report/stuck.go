package report

import (
	"cmp"
	"slices"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// thing is what is blocked: a file, a command or a tool, how often, and in which sessions.
type thing struct {
	times    int
	sessions map[*session]bool
	last     *Decision
}

// Stuck is what was blocked again and again, with no allowed way since: a file, a command or a tool.
type Stuck struct {
	Name     string    `json:"name"`
	Times    int       `json:"times"`
	Sessions int       `json:"sessions"`
	Last     time.Time `json:"last"`
	Rule     string    `json:"rule"` // that blocked it last
}

// stuck returns the names of what stuckThings returns, in their order.
func (h *History) stuck(p *boundary.Policy) []string {
	names := []string{}
	for _, s := range h.stuckThings(p) {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}

// stuckThings returns what was blocked StuckTimes in StuckSessions sessions, and has not passed since: no agent changed
// these files, and no other call of the same command was allowed. What today's policy allows is left out. What was
// blocked most often comes first.
func (h *History) stuckThings(p *boundary.Policy) []Stuck {
	things := map[string]*thing{}
	for d := range h.judged() {
		if !stopped(d) {
			if d.passed() {
				for _, name := range d.does {
					delete(things, name)
				}
			}
			continue
		}
		for _, name := range d.does {
			t := things[name]
			if t == nil {
				t = &thing{sessions: map[*session]bool{}}
				things[name] = t
			}
			t.times++
			t.sessions[d.who], t.last = true, d
		}
	}
	all := []Stuck{}
	for name, t := range things {
		if t.times >= boundary.StuckTimes && len(t.sessions) >= boundary.StuckSessions && still(p, t.last) {
			all = append(all, Stuck{name, t.times, len(t.sessions), t.last.At, t.last.Verdict.Rule})
		}
	}
	slices.SortFunc(all, func(a, b Stuck) int { return cmp.Or(b.Times-a.Times, cmp.Compare(a.Name, b.Name)) })
	return all
}

// stopped reports whether a call was kept from running that somebody may make: by the boundary or the person who was
// asked, or of an agent, whose calls in validate count as well. What no session may do is no workflow.
func stopped(d *Decision) bool {
	rule := d.Verdict.Rule
	switch {
	case !d.Verdict.Violation() || d.Verdict.Bypass != "" || boundary.Nobodys(rule):
		return false
	case d.Verdict.Decision == boundary.Warn:
		return d.byAgent()
	}
	return d.Verdict.Decision == boundary.Block || d.Outcome != folder.OutcomeDone
}

// passed reports whether a call ran that enforce lets through, or that a person let through who was asked.
func (d *Decision) passed() bool {
	return d.Outcome != folder.OutcomeFailed && (!d.Verdict.Violation() || d.Verdict.Decision == boundary.Ask)
}

// countInsisting counts the sessions in which something was blocked, and those of them that tried the same again and
// again and started no agent.
func (h *History) countInsisting(f *boundary.Figures) {
	tried, delegated := map[*session]map[string]int{}, map[*session]bool{}
	for d := range h.judged() {
		who := d.who
		switch {
		case d.byAgent() || d.Verdict.Class == boundary.Delegates:
			delegated[who] = true
		case d.Verdict.Decision != boundary.Warn && stopped(d):
			if tried[who] == nil {
				tried[who] = map[string]int{}
			}
			for _, name := range d.does {
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
