package guidance

import (
	"orchestrator/internal/rules/lifecycle"
)

// Objection is something out of the ordinary that stands against done.
type Objection struct {
	Gate   string          `json:"gate"` // the gate that it keeps from being met, or what it is
	Detail string          `json:"detail"`
	By     lifecycle.Party `json:"by"`   // who mends it
	With   string          `json:"with"` // what they send or do
}

// The objections that no gate has a name for.
const (
	ofRetired   = "retired"
	ofDeadEnd   = "dead_end"
	ofRejection = "rejected"
	ofStale     = "stale"
	ofApproval  = "stale_approval"
)

// Against lists what stands against done, besides the work that is still ahead: a changed text, evidence that holds no
// longer, a dead end, an open deviation, a rejection, text that is gone.
func (a Around) Against(req lifecycle.Requirement) []Objection {
	all := []Objection{}
	pm := lifecycle.Party(lifecycle.PM)
	add := func(is bool, o Objection) {
		if is {
			all = append(all, o)
		}
	}
	if req.Retired {
		const gone = "the documents no longer have it, and work on it had begun"
		add(req.NeedsDeferral(), Objection{ofRetired, gone, pm, "status deferred"})
		add(req.NeedsDeferral(), Objection{ofRetired, gone, lifecycle.Document, "put the text back, and have it imported"})
		return all
	}
	add(req.Suspect, Objection{lifecycle.GateAcceptance, "the text or its priority changed after work began", pm,
		"accept_fingerprint with an approval or a note, if the work still fits"})
	if why := a.Workflow.NoWayOn(req, req.Status); why != "" {
		add(true, Objection{ofDeadEnd, why, pm, `PUT /workflow {"workflow":"rework","reason":"…"}, then the move back`})
	}
	for _, s := range req.Unsettling() {
		all = append(all, a.stale(req, s))
	}
	if n := len(req.Approvals); n > 0 && req.Approvals[n-1].Decision != lifecycle.Approved {
		add(true, Objection{ofRejection, "the last word on it is a rejection", pm, "an approval, once what was wrong is mended"})
	}
	for _, d := range req.Deviations {
		add(d.Resolution == nil, Objection{lifecycle.GateDeviations, "deviation " + d.ID + " is open", pm,
			"deviations with its id and a resolution"})
	}
	return all
}

// stale says who mends what is stale, with what.
func (a Around) stale(req lifecycle.Requirement, s lifecycle.Stale) Objection {
	o := Objection{ofStale, s.Pointer + ": " + s.Detail, lifecycle.Party(keeper(s.Part)), mending[s.Reason]}
	if s.Part == lifecycle.FieldApprovals {
		o.Gate, o.With = ofApproval, "an approval of the present text and test record"
	}
	if s.Part == lifecycle.PartStatus {
		o.With = "evidence that holds, with the next move"
	}
	switch {
	case s.Reason == lifecycle.Unknown || s.Reason == lifecycle.Unreadable:
		o.By = lifecycle.Operator
	case req.Status == lifecycle.Done && o.By != lifecycle.Party(lifecycle.PM):
		o.By, o.With = lifecycle.Party(lifecycle.PM), "status needs_changes opens it, since it is sealed; then "+string(keeper(s.Part))+": "+o.With
		if a.Workflow.IsDeadEnd(lifecycle.NeedsChanges) {
			o.With = "PUT /workflow first: under workflow " + a.Workflow.Name + " nothing leads back from needs_changes; then " + o.With
		}
	}
	return o
}

// keeper returns the role that a part belongs to.
func keeper(part string) lifecycle.Role {
	switch part {
	case lifecycle.FieldDesignSpec:
		return lifecycle.Architect
	case lifecycle.FieldImplementation:
		return lifecycle.Coder
	case lifecycle.FieldTest:
		return lifecycle.Tester
	}
	return lifecycle.PM
}

// mending says what mends each reason for which something is stale.
var mending = map[string]string{
	lifecycle.TextChanged:           "the part anew, for the present text",
	lifecycle.ImplementationChanged: "a test record of a run on the present implementation",
	lifecycle.TestChanged:           "an approval of the present test record",
	lifecycle.LinesChanged:          "the part anew, with the lines as they are now",
	lifecycle.FileChanged:           "the part anew, with the file as it is now; where lines are named, changes elsewhere in it do not count",
	lifecycle.FileGone:              "the part anew, with files that are there",
	lifecycle.CommitGone:            "the part anew, with commits that are there",
	lifecycle.ReportChanged:         "the report of a run that is attached: POST /requirements/{id}/test-report",
	lifecycle.ReportGone:            "the report of a run that is attached: POST /requirements/{id}/test-report",
	lifecycle.Unreadable:            "make the repository readable for the service",
	lifecycle.DesignChanged:         "the part anew, for the present design",
	lifecycle.ReportOlder:           "the report of a new run of the tests",
	lifecycle.Elsewhere:             "merge the commit into the branch, or the part anew, with what the branch has",
	lifecycle.Uncommitted:           "commit the file to the branch",
	lifecycle.Copied:                "the part anew, with the path that the file has now",
	lifecycle.CodeChanged:           "the report of a run on the code that the branch has now",
	lifecycle.CodeUnknown:           "the report of a run, with the commit that was tested",
	lifecycle.Unknown:               "bring the branch and its history back into the repository",
}
