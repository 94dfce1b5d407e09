package report

import (
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
)

// attested returns what was said last of each item that a person vouches for.
func (h *History) attested() []boundary.Attestation {
	all := []boundary.Attestation{}
	for _, item := range boundary.AttestableItems() {
		var last *folder.Line
		for i, l := range h.Attestations {
			if l.What == item {
				last = &h.Attestations[i]
			}
		}
		if last != nil {
			all = append(all, boundary.Attestation{Item: item, At: last.At, By: last.By, Note: last.Reason,
				Revoked: last.Revoked})
		}
	}
	return all
}

// Recovery returns what happened since the boundary was rolled back; nil where it was not, or blocks again.
func (h *History) Recovery() *boundary.Recovery {
	var r *boundary.Recovery
	for _, m := range h.Modes {
		switch {
		case m.Mode.Blocks():
			r = nil
		case m.From.Blocks():
			r = &boundary.Recovery{RolledBack: m.At, By: m.By, Reason: m.Reason}
		}
	}
	if r == nil {
		return nil
	}
	for _, l := range h.Accounts {
		if !l.At.Before(r.RolledBack) {
			r.Account = &boundary.Account{At: l.At, By: l.By, Cause: l.Reason, Link: l.Link, Mend: l.Mend}
			r.Accounts++
		}
	}
	since := h.since(r.RolledBack)
	var f boundary.Figures
	since.countLabels(&f)
	r.Labelled, r.FalsePositives = f.Labelled, f.FalsePositives
	for _, d := range h.Drills {
		switch {
		case d.At.Before(r.RolledBack):
		case d.What == DrillBypass:
			r.BypassDrills++
		case d.What == DrillRollback:
			r.RollbackDrills++
		}
	}
	return r
}

// rolledBack returns when the boundary was rolled back last. What sessions did before is what the rollback was about:
// it speaks against a boundary that was mended no more, and in validate no other sessions outweigh it.
func (h *History) rolledBack() (at time.Time) {
	for _, m := range h.Modes {
		if m.From.Blocks() && !m.Mode.Blocks() {
			at = m.At
		}
	}
	return at
}

// activated returns when the boundary was switched to enforce; the zero time where it is not in it. Where the switch is
// on record on another machine alone, it is when the first call was judged in enforce here.
func (h *History) activated() (at time.Time) {
	var last time.Time
	for _, m := range h.Modes {
		last = m.At
		switch {
		case m.Mode != boundary.Enforce:
			at = time.Time{}
		case at.IsZero():
			at = m.At
		}
	}
	if !at.IsZero() {
		return at
	}
	return h.enforcedAfter(last.Add(inFlight))
}

// inFlight is how long after a switch of the mode a call may still be judged by the mode before.
const inFlight = time.Minute

// enforcedAfter returns when calls began to be judged in enforce, of those after a moment; the zero time where the last
// one was not.
func (h *History) enforcedAfter(from time.Time) (at time.Time) {
	for i := range h.Decisions {
		d := &h.Decisions[i]
		switch {
		case d.At.Before(from):
		case d.Mode != boundary.Enforce:
			at = time.Time{}
		case at.IsZero():
			at = d.At
		}
	}
	return at
}

// Reviews returns when the boundary is to be looked at again since it was switched to enforce; nothing where it is not
// in it.
func (h *History) Reviews(t boundary.Thresholds, now time.Time) []reviewing.Review {
	activated := h.activated()
	if activated.IsZero() {
		return []reviewing.Review{}
	}
	var closed []reviewing.Closing
	last := map[string]time.Time{}
	for _, l := range h.Reviewed {
		closed = append(closed, reviewing.Closing{Name: l.What, At: l.At, By: l.By, Note: l.Reason})
		last[l.What] = l.At
	}
	from := func(name string) time.Time {
		at := activated
		for _, other := range []time.Time{last[name], rateFrom(t, now)} {
			if other.After(at) {
				at = other
			}
		}
		return at
	}
	m := h.since(activated).measured(activated, now)
	var f boundary.Figures
	h.since(from(reviewing.Bypass)).countSessions(&f)
	h.since(from(reviewing.Errors)).countRuns(&f)
	m.Bypass = reviewing.Share{Part: f.BypassedSessions, Whole: f.EnforcedSessions, Limit: t.BypassReview}
	m.Errors = reviewing.Share{Part: f.HookErrors, Whole: f.Runs, Limit: t.HookErrors}
	return reviewing.Schedule(activated, now, m, closed)
}

// measured returns what the decisions since a switch to enforce show.
func (h *History) measured(activated, now time.Time) (m reviewing.Measured) {
	middle := activated.Add(now.Sub(activated) / 2)
	for d := range h.judged() {
		half := &m.Early
		if !d.At.Before(middle) {
			half = &m.Late
		}
		half.Whole++
		if d.Verdict.Violation() {
			half.Part++
		}
		if stopped(d) && d.byAgent() {
			m.AgentsBlocked++
		}
	}
	return m
}

// rateFrom returns from when on rates count.
func rateFrom(t boundary.Thresholds, now time.Time) time.Time {
	if t.RateDays == 0 {
		return time.Time{}
	}
	return now.AddDate(0, 0, -t.RateDays)
}
