package guidance

import (
	"slices"

	"orchestrator/internal/rules/lifecycle"
)

// switching is the request that leads out of a dead end, with its body.
const switching = `PUT /workflow {"workflow":"rework","reason":"` + because + `"}`

// RenameRequest is what a request that confirms a renaming begins with; its body follows.
const RenameRequest = "POST /project/renames "

// Lead is something that leads a requirement on: a field to supply or a move to make, by whom, with which request. It
// has one of a request, which holds its body, and an example, which is sent with PATCH.
type Lead struct {
	By      lifecycle.Party  `json:"by"`
	To      lifecycle.Status `json:"to,omitempty"`    // a move
	Field   string           `json:"field,omitempty"` // or a member of a change request to supply
	Needs   string           `json:"needs,omitempty"` // what is lacking, in words
	Request string           `json:"request,omitempty"`
	Example *Body            `json:"example,omitempty"`
}

// Leads lists what leads on: none for what is finished. PM's word is asked for when the work of the others is there.
func (a Around) Leads(req lifecycle.Requirement) []Lead {
	return a.leads(req, a.Workflow.WaitingFor(req))
}

// leads lists what Leads does for a requirement that waits for these parties.
func (a Around) leads(req lifecycle.Requirement, waiting []lifecycle.Party) []Lead {
	leads, p := []Lead{}, place{req, a}
	pm := lifecycle.Party(lifecycle.PM)
	if req.Retired || req.Status == lifecycle.Done {
		for _, o := range a.Against(req) {
			leads = append(leads, p.mended(o))
		}
		return leads
	}
	if req.Suspect {
		leads = append(leads, Lead{By: pm, Field: lifecycle.FieldAcceptFingerprint,
			Example: p.ofField(lifecycle.FieldAcceptFingerprint)})
	}
	if a.Workflow.IsDeadEnd(req.Status) {
		return append(leads, Lead{By: pm, Request: switching, Needs: a.Workflow.NoWayOn(req, req.Status)})
	}
	for _, t := range due(a.Workflow.Tasks(req)) {
		leads = append(leads, p.lead(t))
	}
	return owned(leads, waiting)
}

// Ahead lists what leads on now, and then what is still to be supplied on the way to done.
func (a Around) Ahead(req lifecycle.Requirement) []Lead {
	leads, p := a.Leads(req), place{req, a}
	for _, step := range LacksAhead(a.Workflow, req) {
		for _, lack := range step.Lacks {
			field := fieldOf(lack)
			if slices.ContainsFunc(leads, func(l Lead) bool { return l.Field == field }) {
				continue
			}
			leads = append(leads, p.supply(lifecycle.Party(lack.By), field, lack.Needs(step.To)))
		}
	}
	return leads
}

// supply asks for a field. The report of a run makes a test record by itself.
func (p place) supply(by lifecycle.Party, field, needs string) Lead {
	l := Lead{By: by, Field: field, Needs: needs}
	if field == lifecycle.FieldTest {
		l.Request = reportRequest(p.ID)
		return l
	}
	l.Example = p.ofField(field)
	return l
}

// mended returns what an objection to a requirement that is done or retired asks for.
func (p place) mended(o Objection) Lead {
	l := Lead{By: o.By, Needs: o.With}
	if o.By != lifecycle.Party(lifecycle.PM) {
		return l
	}
	switch o.Gate {
	case ofRetired:
		l.To = lifecycle.Deferred
	case lifecycle.GateAcceptance:
		l.Field = lifecycle.FieldAcceptFingerprint
	case lifecycle.GateDeviations:
		l.Field = lifecycle.FieldDeviations
	case ofRejection, ofApproval:
		l.Field = lifecycle.FieldApprovals
	default:
		if p.Workflow.NoWayOn(p.Requirement, lifecycle.NeedsChanges) != "" {
			l.Request = switching
			return l
		}
		l.To = lifecycle.NeedsChanges
	}
	if l.Example = p.ofField(l.Field); l.To != "" {
		l.Example = p.ofMove(l.To, lifecycle.PM, nil)
	}
	return l
}

// due leaves out what would be too early: where a move lacks nothing, the other ways on, and what PM adds to a move
// while others have to supply something for it.
func due(tasks []lifecycle.Task) []lifecycle.Task {
	ready := slices.ContainsFunc(tasks, func(t lifecycle.Task) bool { return t.To != "" && len(t.Needs) == 0 })
	others := slices.ContainsFunc(tasks, func(t lifecycle.Task) bool { return t.To != "" && t.By != lifecycle.PM })
	return slices.DeleteFunc(slices.Clone(tasks), func(t lifecycle.Task) bool {
		early := ready && len(t.Needs) > 0 || others && len(t.Needs) > 0 && t.By == lifecycle.PM
		return t.To == "" || early
	})
}

// lead returns what a task asks for.
func (p place) lead(t lifecycle.Task) Lead {
	l := Lead{By: lifecycle.Party(t.By)}
	if len(t.Needs) == 0 || t.By == lifecycle.PM { // whose approvals go with the move
		lacks := p.Workflow.Lacks(p.Requirement, t.To, lifecycle.Actor{Role: t.By})
		l.To, l.Example = t.To, p.ofMove(t.To, t.By, lacks)
		return l
	}
	return p.supply(l.By, fieldOf(lifecycle.Lack{By: t.By}), t.Needs[0])
}

// owned puts the operator in the place of a role that can do nothing before the repository can be read, and leaves out
// what is lacking for two moves twice.
func owned(leads []Lead, waiting []lifecycle.Party) (all []Lead) {
	for _, l := range leads {
		if !slices.Contains(waiting, l.By) && slices.Contains(waiting, lifecycle.Operator) {
			l = Lead{By: lifecycle.Operator, Needs: mending[lifecycle.Unknown]}
		}
		same := func(other Lead) bool { return other.By == l.By && other.To == l.To && other.Field == l.Field }
		if !slices.ContainsFunc(all, same) {
			all = append(all, l)
		}
	}
	return all
}

// Do returns in a few words what leads on.
func (l Lead) Do() string {
	switch {
	case l.To != "":
		return "move it to " + string(l.To)
	case l.Field != "":
		return "supply " + l.Field
	case l.Request != "":
		return l.Request
	}
	return l.Needs
}
