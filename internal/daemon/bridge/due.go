package bridge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// supplied are the kinds of the obligations for what each role supplies.
var supplied = map[lifecycle.Role]string{
	lifecycle.Architect: "requirement.design_spec",
	lifecycle.Coder:     "requirement.implementation",
	lifecycle.Tester:    "requirement.test",
	lifecycle.PM:        "requirement.signoff",
}

// restsOn is the order of the work: each part rests on those of the roles before.
var restsOn = []lifecycle.Role{lifecycle.Architect, lifecycle.Coder, lifecycle.Tester, lifecycle.PM}

// Work implements builtin.Project.
func (p *Project) Work(_ context.Context, id string) ([]builtin.Work, error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return nil, err
	}
	return p.workOn(req, p.service.Tasks(req)), nil
}

// rests reports whether a requirement is in a status that a person has chosen, or that ends: what needs changes is
// work, but whether it begins anew is for a person to decide.
func rests(s lifecycle.Status) bool {
	return lifecycle.PutAside(s) || s == lifecycle.NeedsChanges || s == lifecycle.Done
}

// workOn turns the tasks of a requirement into obligations.
func (p *Project) workOn(req lifecycle.Requirement, tasks []lifecycle.Task) (all []builtin.Work) {
	if req.Retired || rests(req.Status) {
		return nil
	}
	if again, is := redone(req); is {
		tasks = []lifecycle.Task{again}
	}
	slices.SortStableFunc(tasks, func(a, b lifecycle.Task) int {
		return cmp.Or(cmp.Compare(settled(a), settled(b)),
			cmp.Compare(slices.Index(restsOn, a.By), slices.Index(restsOn, b.By)), cmp.Compare(min(len(a.Needs), 1),
				min(len(b.Needs), 1)))
	})
	for _, t := range tasks {
		work := p.workFor(req, t)
		if !slices.ContainsFunc(all, func(w builtin.Work) bool {
			return w.Role == work.Role && w.Obligation.Kind() == work.Obligation.Kind()
		}) {
			all = append(all, work)
		}
	}
	return all
}

// workFor returns a task as an obligation. A tester's move is not an obligation of its own: which of the two rows it is
// follows from the test record, and it is made with it.
func (p *Project) workFor(req lifecycle.Requirement, t lifecycle.Task) builtin.Work {
	work := builtin.Work{Role: string(t.By), Needs: t.Needs}
	if t.By != lifecycle.Tester && len(t.Needs) == 0 {
		work.Obligation = p.move(req, t.To, reasonFor(req, t.To))
		return work
	}
	work.Obligation = planning.Obligation{Type: planning.Achieve,
		Payload: map[string]any{"kind": supplied[t.By], "id": req.ID}}
	if len(t.Needs) == 0 {
		work.Needs = []string{"the move to " + string(t.To)}
	}
	return work
}

// settled puts what stands against a requirement before all other work.
func settled(t lifecycle.Task) int {
	if t.To == "" {
		return 0
	}
	return 1
}

// redone returns the work that a requirement was sent back for: its part is from before the phase that it is in.
func redone(req lifecycle.Requirement) (lifecycle.Task, bool) {
	if len(req.History) == 0 || req.Suspect {
		return lifecycle.Task{}, false
	}
	last := req.History[len(req.History)-1]
	sentBack := last.From == lifecycle.TestedFail || last.From == lifecycle.NeedsChanges
	switch {
	case !sentBack:
	case req.Status == lifecycle.DesignInProgress && req.Stamps.DesignSpec.Revision < last.Revision:
		return lifecycle.Task{By: lifecycle.Architect, To: lifecycle.DesignReady,
			Needs: []string{"a design_spec that answers why it was sent back"}}, true
	case req.Status == lifecycle.ImplementationInProgress && req.Stamps.Implementation.Revision < last.Revision:
		return lifecycle.Task{By: lifecycle.Coder, To: lifecycle.Implemented,
			Needs: []string{"an implementation that answers why it was sent back"}}, true
	}
	return lifecycle.Task{}, false
}

// maxNotesInReason bounds what a move's reason quotes of a tester's notes, in bytes.
const maxNotesInReason = 2000

// reasonFor returns why the conductor makes a move.
func reasonFor(req lifecycle.Requirement, to lifecycle.Status) string {
	switch {
	case req.Status == lifecycle.TestedFail && req.Test != nil && req.Test.Results != nil:
		return fmt.Sprintf("%d of its tests failed: %s", req.Test.Results.Failed,
			fault.Clip(cmp.Or(req.Test.Notes, "the test record has them"), maxNotesInReason))
	case req.Status == lifecycle.TestedFail:
		return "its tests failed"
	}
	return fmt.Sprintf("%s has all that %s needs", req.ID, to)
}

// Claimed implements drive.Project. The claim of a run is not in the way: since none is under way, a service that was
// killed has left it.
func (p *Project) Claimed(ctx context.Context, id, role string) (by string, err error) {
	for _, c := range p.service.ClaimsOn(id) {
		switch {
		case c.Field != claiming.FieldOf(lifecycle.Role(role)):
		case c.OfRun():
			_, _, err = p.service.Release(ctx, id, claiming.Asked{By: c.By, Holder: c.Holder, Field: c.Field},
				requirements.Refused{Request: claimRequest, ID: id})
		default:
			by = fmt.Sprintf("%s, who has claimed it until %s", c.By.Name, c.Until.UTC().Format(time.RFC3339))
		}
	}
	return by, err
}

// NoWayBack implements drive.Project by the workflow in force.
func (p *Project) NoWayBack(_ context.Context, id string, to lifecycle.Status) (string, error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return "", err
	}
	return p.noWayOn(req, to), nil
}

// switching is the request that opens a way out of a dead end.
const switching = `PUT /workflow {"workflow":"rework","reason":"…"}`

// noWayOn returns why no move leads from a status to done, and the request that opens a way; "" if one does.
func (p *Project) noWayOn(req lifecycle.Requirement, to lifecycle.Status) string {
	in, err := lifecycle.ParseWorkflow(p.service.Workflow().Name)
	if err != nil || in.NoWayOn(req, to) == "" {
		return ""
	}
	if req.Retired {
		return in.NoWayOn(req, to)
	}
	return in.NoWayOn(req, to) + ": " + switching
}

// Block returns the obligation to block a requirement.
func (p *Project) Block(_ context.Context, id, reason string) (planning.Obligation, error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return planning.Obligation{}, err
	}
	return p.move(req, lifecycle.Blocked, reason), nil
}

// move returns the obligation to move a requirement as it is now, with the evidence that there is for it.
func (p *Project) move(req lifecycle.Requirement, to lifecycle.Status, reason string) planning.Obligation {
	cited := []any{}
	for _, e := range p.evidenceFor(req, to) {
		cited = append(cited, citation(e))
	}
	return planning.Obligation{Type: planning.Achieve, Payload: map[string]any{
		"kind": planning.KindStatus, "id": req.ID, "revision": float64(req.Revision), "status": string(to),
		"justification": map[string]any{"reason": reason, "evidence": cited},
	}}
}

// citation returns a piece of evidence as a change cites it.
func citation(e lifecycle.Evidence) map[string]any {
	cited := map[string]any{"kind": e.Kind}
	for _, member := range [][2]string{{"path", e.Path}, {"lines", e.Lines}, {"commit", e.Commit}, {"name", e.Name},
		{"result", e.Result}, {"report", e.Report}} {
		if member[1] != "" {
			cited[member[0]] = member[1]
		}
	}
	return cited
}

// maxCited bounds the pieces of evidence that a move cites.
const maxCited = 5

// evidenceFor returns what a move rests on: the tests, the implementation, or the text of the requirement.
func (p *Project) evidenceFor(req lifecycle.Requirement, to lifecycle.Status) []lifecycle.Evidence {
	var cited []lifecycle.Evidence
	switch {
	case to == lifecycle.Done || req.Status == lifecycle.TestedFail:
		if req.Test != nil {
			cited = req.Test.Evidence
		}
	case to == lifecycle.Implemented || to == lifecycle.TestInProgress:
		cited = req.ImplementationEvidence
	}
	if len(cited) == 0 {
		lines := fmt.Sprintf("%d-%d", req.Source.Line, req.Source.EndLine)
		return []lifecycle.Evidence{{Kind: lifecycle.EvidenceFile, Path: p.options.Cited(req.Source.Path),
			Lines: lines}}
	}
	return cited[:min(len(cited), maxCited)]
}

// Select implements drive.Project.
func (p *Project) Select(_ context.Context, ids []string) (chosen []drive.Requirement, err error) {
	ids = slices.Clone(ids)
	for i := range ids {
		ids[i] = p.service.Whole(ids[i])
		if _, err := p.service.Requirement(ids[i]); err != nil {
			return nil, err
		}
	}
	open := map[string]bool{}
	for list := (lookup.List{}); ; {
		if list, err = p.service.List(lookup.Query{After: list.After, Limit: 10 * pageSize}); err != nil {
			return nil, err
		}
		for _, s := range list.Requirements {
			open[s.ID] = !s.Retired && s.Status != lifecycle.Done
			if slices.Contains(ids, s.ID) || len(ids) == 0 && open[s.ID] {
				chosen = append(chosen, drive.Requirement{ID: s.ID, Status: s.Status})
			}
		}
		if list.After == "" {
			break
		}
	}
	for i := range chosen {
		if err := p.measure(&chosen[i], open); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// measure counts the moves to done, and finds what has to be done before.
func (p *Project) measure(r *drive.Requirement, open map[string]bool) error {
	req, err := p.service.Stored(r.ID)
	if err != nil {
		return err
	}
	r.DependsOn = slices.DeleteFunc(req.DependsOn, func(id string) bool { return !open[id] || id == req.ID })
	r.Moves = p.service.MovesAhead(req)
	return nil
}

// Position implements drive.Project.
func (p *Project) Position(_ context.Context, id string) (drive.Position, error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return drive.Position{}, err
	}
	all := p.workOn(req, p.service.Tasks(req))
	stand := drive.Position{Status: req.Status, Work: all, Moves: p.service.MovesAhead(req),
		Built: req.Implementation != nil}
	switch {
	case len(all) > 0:
	case req.Retired:
		stand.Why = "the documents no longer have it"
	case req.Status == lifecycle.Done:
		stand.Why = "it is done"
	case rests(req.Status):
		stand.Why = fmt.Sprintf("it is %s, and a pm has to decide how to continue: %s", req.Status,
			cmp.Or(reasonOf(req), "no reason was given"))
		if noWay := p.noWayOn(req, req.Status); noWay != "" {
			stand.Why += "; " + noWay
		}
	default:
		stand.Why = cmp.Or(p.noWayOn(req, req.Status), "no move of the workflow in force leads on from "+string(req.Status))
	}
	return stand, nil
}
