package bridge

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// maxNotes bounds the notes in a prompt: the last ones.
const maxNotes = 20

// Prompt implements builtin.Project.
func (p *Project) Prompt(_ context.Context, b builtin.Briefing) (string, error) {
	id, _ := b.Obligation.Payload["id"].(string)
	req, err := p.service.Stored(id)
	if err != nil {
		return "", err
	}
	all := p.workOn(req, p.service.Tasks(req))
	d := prompt.Data{
		Agent: b.Agent, Role: b.Role, URL: b.URL + "/requirements/" +
			strings.ReplaceAll(url.PathEscape(req.ID), "$", "%24"), Work: b.Obligation.String(),
		ID: req.ID, Title: req.Title, Text: req.Text, Status: string(req.Status), Revision: req.Revision,
		Fingerprint: req.Fingerprint, Suspect: req.Suspect, Reason: reasonOf(req),
		Branch: b.Branch, Design: string(req.DesignSpec), Implementation: string(req.Implementation),
		FailIsFinal: p.noWayOn(req, lifecycle.TestedFail) != "",
	}
	i := slices.IndexFunc(all, func(d builtin.Work) bool { return d.Role == b.Role && d.Matches(b.Obligation) })
	if i >= 0 {
		d.Needs = all[i].Needs
	}
	if b.Obligation.Kind() == planning.KindStatus {
		d.To, _ = b.Obligation.Payload["status"].(string)
	}
	for _, c := range req.Acceptance {
		d.Acceptance = append(d.Acceptance, c.Text)
	}
	for _, n := range req.PMNotes[max(0, len(req.PMNotes)-maxNotes):] {
		d.Notes = append(d.Notes, n.Text)
	}
	d.Deviations = openDeviations(req.Deviations)
	if req.Test != nil {
		raw, err := ledger.Encode(req.Test)
		if err != nil {
			return "", err
		}
		d.Test = string(raw)
	}
	return p.options.Prompts.Write(b.Role, d)
}

func openDeviations(all []lifecycle.Deviation) (texts []string) {
	for _, d := range all {
		if d.Resolution == nil {
			texts = append(texts, d.ID+": "+d.Text)
		}
	}
	return texts
}
