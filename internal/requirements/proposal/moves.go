package proposal

import (
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/shellquote"
)

// Mover returns the role that moves requirements into a status, whatever the workflow.
func Mover(status string) string {
	for _, w := range []lifecycle.Workflow{lifecycle.V1, lifecycle.Rework} {
		for _, row := range w.Transitions() {
			if string(row.To) == status && row.By != lifecycle.PM {
				return string(row.By)
			}
		}
	}
	return string(lifecycle.PM)
}

// Fails reports whether a move into a status says that tests failed.
func Fails(status string) bool { return status == string(lifecycle.TestedFail) }

// SignOff returns the request with which a pm signs a requirement off: the move to done with the approval, where the
// service offers that move, else the approval alone.
func SignOff(v guidance.View, reason string) (guidance.Body, bool) {
	approval := []lifecycle.NewApproval{{Decision: lifecycle.Approved, Text: reason}}
	for _, m := range v.Moves {
		if m.To == lifecycle.Done && m.Example != nil {
			body := *m.Example
			body.Approvals = approval
			body.Justification.Reason = reason
			body.Deviations = slices.Clone(body.Deviations)
			for i, d := range body.Deviations {
				resolution := *d.Resolution
				resolution.Text = reason
				body.Deviations[i].Resolution = &resolution
			}
			return body, true
		}
	}
	return guidance.Body{Approvals: approval}, false
}

// Acceptance returns the request that accepts a changed text. It is an error where there is none to accept.
func Acceptance(v guidance.View, reason string) (guidance.Body, error) {
	for _, f := range v.Fields {
		if f.Field == lifecycle.FieldAcceptFingerprint && f.Example != nil {
			body := *f.Example
			body.PMNotes = []lifecycle.NewNote{{Text: reason}}
			return body, nil
		}
	}
	return guidance.Body{}, fault.New(fault.Conflict, "nothing_to_accept",
		"%s has no changed text that waits to be accepted", v.ID).
		WithFix("orchestrator next %s lists what waits", shellquote.Quote(v.ID))
}

// Aside returns the request that moves a requirement into a status, with the evidence that the service offers for
// it where none is given.
func Aside(v guidance.View, to, reason string, given []lifecycle.Evidence) guidance.Body {
	body := guidance.Body{Status: lifecycle.Status(to),
		Justification: &lifecycle.Justification{Reason: reason, Evidence: given}}
	for _, m := range v.Moves {
		if string(m.To) == to && m.Example != nil && len(given) == 0 {
			body.Justification.Evidence = m.Example.Justification.Evidence
		}
	}
	return body
}

// Blocked and its siblings are the statuses that commands of their own lead into.
const (
	Blocked  = string(lifecycle.Blocked)
	Deferred = string(lifecycle.Deferred)
)

// Reopening returns the status into which a requirement is reopened: one that was put aside goes back to where it was,
// and one that is done needs changes. What leads nowhere is a refusal that says why.
func Reopening(v guidance.View, req lifecycle.Requirement) (string, error) {
	to := lifecycle.NeedsChanges
	if lifecycle.PutAside(req.Status) {
		to = req.HeldFrom
	}
	for _, m := range v.Moves {
		if m.To == to && req.Status != to {
			return string(to), nil
		}
	}
	refusal := fault.New(fault.Conflict, "not_reopened", "%s is %s, and nothing leads back from there",
		req.ID, req.Status)
	if req.Status == lifecycle.NeedsChanges {
		return "", refusal.WithFix("choose where it goes on: orchestrator next lists the moves")
	}
	if i := slices.IndexFunc(v.AgainstDone, func(o guidance.Objection) bool { return o.Gate == "dead_end" }); i >= 0 {
		why, _, _ := strings.Cut(v.AgainstDone[i].Detail, "; ") // what follows says how, as a request
		return "", refusal.WithFix("%s: orchestrator workflow rework --reason '<why>', as the pm", why)
	}
	return "", refusal.WithFix("orchestrator next lists the moves")
}

// AwaitsReport reports whether whoever asked may attach a report to the requirement, and move it into a status with
// that: the move is open to them, and lacks nothing of others.
func AwaitsReport(v guidance.View, to string) bool {
	for _, m := range v.Moves {
		if string(m.To) == to && v.ReportRequest != "" {
			return !slices.ContainsFunc(m.Lacks, func(l guidance.Lack) bool { return l.By != v.Actor.Role })
		}
	}
	return false
}

// Standing returns the evidence of a test with a name, as the record has it that a report made; other where it has
// none.
func Standing(record *lifecycle.TestRecord, other lifecycle.Evidence) lifecycle.Evidence {
	if record == nil {
		return other
	}
	for _, e := range record.Evidence {
		if e.Name == other.Name {
			e.Found = nil
			return e
		}
	}
	if len(record.Evidence) > 0 { // the service cites some tests of a run; any of them names the report
		other.Report = record.Evidence[0].Report
	}
	return other
}
