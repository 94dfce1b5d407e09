package report

import (
	"time"

	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
)

// The labels that a person gives a decision.
const (
	LabelCorrect       = "correct"
	LabelFalsePositive = "false-positive"
	LabelResolved      = "resolved" // it was a false positive, and its cause is gone
)

// The kinds of drills.
const (
	DrillBypass   = "bypass"
	DrillRollback = "rollback"
)

// Readiness is the activation checklist, with the mode in force and the reviews of a boundary that is enforced already.
type Readiness struct {
	boundary.Readiness
	Mode    boundary.Mode      `json:"mode"`
	Since   time.Time          `json:"since,omitzero"` // of the mode, with who switched and why, where that is on record
	By      string             `json:"by,omitempty"`
	Reason  string             `json:"reason,omitempty"`
	Reviews []reviewing.Review `json:"reviews"` // they keep nobody from enforcing
}

// Readiness measures the activation checklist of a project under its policy.
func (h *History) Readiness(p *boundary.Policy, now time.Time) Readiness {
	r := Readiness{Readiness: boundary.Assess(p.Thresholds, h.Figures(p, now)), Mode: p.Mode,
		Reviews: h.Reviews(p.Thresholds, now)}
	if n := len(h.Modes); n > 0 && h.Modes[n-1].Mode == p.Mode {
		r.Since, r.By, r.Reason = h.Modes[n-1].At, h.Modes[n-1].By, h.Modes[n-1].Reason
	}
	return r
}

// Figures returns what the checklist is measured by.
func (h *History) Figures(p *boundary.Policy, now time.Time) boundary.Figures {
	recent := h.since(rateFrom(p.Thresholds, now))
	f := boundary.Figures{
		ValidateDays: h.validateFor().Hours() / 24,
		ToolUses:     len(h.Decisions),
		OpenFalse:    openFalse(h, p),
		Stuck:        recent.stuck(p),
		Attestations: h.attested(),
		Recovery:     h.Recovery(),
	}
	recent.countRuns(&f)
	recent.countLabels(&f)
	h.countViolations(p, &f)
	sinceRollback := recent.since(h.rolledBack())
	sinceRollback.countSessions(&f)
	sinceRollback.countInsisting(&f)
	for _, m := range h.Modes {
		if m.From.Blocks() && !m.Mode.Blocks() {
			f.Rollbacks++
		}
	}
	for _, d := range h.Drills {
		switch d.What {
		case DrillBypass:
			f.BypassDrills++
		case DrillRollback:
			f.Rollbacks++
		}
	}
	return f
}

func (h *History) countRuns(f *boundary.Figures) {
	f.HookErrors, f.Runs = h.runs()
}

func (h *History) countLabels(f *boundary.Figures) {
	for d := range h.judged() {
		if d.Label == nil {
			continue
		}
		f.Labelled++
		if *d.Label != LabelCorrect {
			f.FalsePositives++
		}
	}
}

// openFalse counts the false positives that nobody resolved, however old they are.
func openFalse(h *History, p *boundary.Policy) (n int) {
	for i := range h.Decisions {
		if d := &h.Decisions[i]; d.Label != nil && *d.Label == LabelFalsePositive && still(p, d) {
			n++
		}
	}
	return n
}

// still reports whether a decision would be the same violation under a policy as it is now: a false positive is
// resolved when it would not.
func still(p *boundary.Policy, d *Decision) bool {
	enforced := *p
	enforced.Mode = boundary.Enforce
	return boundary.Judge(&enforced, d.Call()).Violation()
}

// countViolations counts the violations, and looks at what many of them have in common once.
func (h *History) countViolations(p *boundary.Policy, f *boundary.Figures) {
	sessions, byMain := map[*session]bool{}, map[*told]bool{}
	for i := range h.Decisions {
		d := &h.Decisions[i]
		if d.Verdict.Bypass != "" {
			f.Bypasses++
		}
		if d.Verdict.Violation() {
			f.Violations++
			sessions[d.who] = true
			byMain[d.told] = byMain[d.told] || !d.byAgent()
		}
	}
	files, tools, gaps := map[string]bool{}, map[string]bool{}, newGaps(h.root, p)
	for t, byMain := range byMain {
		tools[t.Tool] = true
		for _, name := range t.files() {
			files[name] = true
		}
		if byMain {
			gaps.look(t)
		}
	}
	f.Uncovered = gaps.names()
	f.ViolationSessions, f.ViolationFiles, f.ViolationTools = len(sessions), len(files), len(tools)
}

func nameOf(t boundary.Target) string {
	switch {
	case t.Path == "":
		return "a file that cannot be told"
	case t.Unknown:
		return t.Path + "…"
	}
	return t.Path
}

// countSessions counts the sessions that worked while the boundary was enforced, and those of them that a bypass lifted
// it for.
func (h *History) countSessions(f *boundary.Figures) {
	enforced := map[*session]bool{}
	for d := range h.judged() {
		if d.Mode.Blocks() {
			who := d.who
			enforced[who] = enforced[who] || d.Verdict.Bypass != ""
		}
	}
	for _, bypassed := range enforced {
		f.EnforcedSessions++
		if bypassed {
			f.BypassedSessions++
		}
	}
}

// Changed is a decision that another policy would make otherwise.
type Changed struct {
	ID    string            `json:"id"`
	At    time.Time         `json:"at"`
	Tool  string            `json:"tool"`
	Files []string          `json:"files,omitempty"`
	From  boundary.Decision `json:"from"` // what enforce makes of it under the policy then
	To    boundary.Decision `json:"to"`   // and under the new one
	Rule  string            `json:"rule"` // of the new policy
}

// Decided counts what a policy would have made of all decisions in its own mode, with those of its paths. Bypasses are
// not looked at.
func (h *History) Decided(p boundary.Policy) map[boundary.Decision]int {
	by := map[boundary.Decision]int{}
	for i := range h.Decisions {
		d := &h.Decisions[i]
		by[boundary.Judge(&p, d.Call()).Decision]++
	}
	return by
}

// Replay judges all decisions again under a policy, as if it were enforced. Bypasses are not looked at.
func (h *History) Replay(p boundary.Policy) (changed []Changed) {
	p.Mode = boundary.Enforce
	for i := range h.Decisions {
		d := &h.Decisions[i]
		v := boundary.Judge(&p, d.Call())
		if v.Would != d.Verdict.Would {
			changed = append(changed, Changed{d.ID, d.At, d.Tool, d.files(), d.Verdict.Would, v.Would, v.Rule})
		}
	}
	return changed
}
