package applying

import (
	"bytes"
	"context"
	"time"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/adoption"
	"orchestrator/internal/requirements/projection"
)

// rehearse asks the service whether it would accept the next line of each requirement, and puts the lines behind it to
// the same rules here: they presuppose a state that the service does not have yet.
func (a *application) rehearse(ctx context.Context, plan []adoption.Line) (Report, error) {
	project, err := a.project(ctx, plan)
	if err != nil {
		return a.report, err
	}
	lines := map[string][]adoption.Line{}
	for _, l := range plan {
		a.of(l)
		lines[l.Requirement] = append(lines[l.Requirement], l)
	}
	outcomes := map[int]Line{}
	for n, s := range a.order {
		if err := a.rehearseOne(ctx, s, lines[s.ID], project, outcomes); err != nil {
			return a.report, err
		}
		if a.Progress != nil {
			a.Progress(n+1, len(a.order))
		}
	}
	for _, l := range plan {
		a.report.add(outcomes[l.Number])
	}
	return a.finished(), nil
}

// project asks for the state that the plan would begin with.
func (a *application) project(ctx context.Context, plan []adoption.Line) (adoption.Project, error) {
	answer, err := a.Clients[plan[0].Role].Send(ctx, apiclient.Request{Method: "GET", Path: "/project"})
	if err != nil {
		return adoption.Project{}, err
	}
	snap, err := projection.ReadFile(bytes.NewReader(answer.Body))
	if err != nil {
		return adoption.Project{}, fault.New(fault.Unavailable, apiclient.CodeUnreachable,
			"the state of the project cannot be read").
			WithFix("use the program of the same version as the service").Because(err)
	}
	return adoption.Of(snap, time.Now()), nil
}

// noting notes what became of a line.
type noting func(adoption.Line, Line)

// rehearseOne decides about the lines of one requirement.
func (a *application) rehearseOne(ctx context.Context, s *state, lines []adoption.Line, p adoption.Project,
	outcomes map[int]Line) error {
	note := func(l adoption.Line, became Line) {
		became.Line, became.Requirement, became.Role, became.What = l.Number, l.Requirement, l.Role, what(l)
		s.count(became)
		outcomes[l.Number] = became
	}
	req, known := p.Find(s.ID)
	if !known {
		refuse(s, lines, note, fault.New(fault.NotFound, "unknown_requirement", "there is no requirement %q", s.ID).
			WithFix("orchestrator list lists the ids; a dry run takes whole ids alone"))
		return nil
	}
	s.Status, s.Revision = string(req.Status), req.Revision
	done, err := a.skipThere(ctx, s, lines, note)
	lines = lines[done:]
	if err != nil || s.Stopped != nil || len(lines) == 0 {
		leave(lines, note)
		return err
	}
	refusal, err := a.asks(ctx, s, lines[0])
	if refusal != nil {
		refuse(s, lines, note, refusal)
	}
	if err != nil || refusal != nil {
		return err
	}
	return ahead(ctx, s, lines, p, note)
}

// ahead puts the lines of a requirement to the rules.
func ahead(ctx context.Context, s *state, lines []adoption.Line, p adoption.Project, note noting) error {
	req, _ := p.Find(s.ID)
	read := func(f adoption.ReportFile) (adoption.Report, error) {
		content, err := readReport(ctx, f)
		if err != nil {
			return adoption.Report{}, err
		}
		return adoption.ReadReport(f.Path, content, f.Commit, time.Now())
	}
	next, accepted, err := p.Rehearse(req, lines, read, p.Finder)
	for _, l := range lines[:accepted] {
		note(l, Line{Outcome: Sent})
	}
	s.Status, s.Revision = string(next.Status), next.Revision
	f := fault.As(err)
	if f != nil {
		refuse(s, lines[accepted:], note, f)
		return nil
	}
	return err
}

// refuse notes that the first of some lines is refused, and that the others are left.
func refuse(s *state, lines []adoption.Line, note noting, f *fault.Error) {
	var became Line
	became.refuse(s.ID, f)
	note(lines[0], became)
	leave(lines[1:], note)
}

func leave(lines []adoption.Line, note noting) {
	for _, l := range lines {
		note(l, Line{Outcome: Left})
	}
}

// skipThere passes over the lines that were accepted before, as the log shows, and returns how many there are.
func (a *application) skipThere(ctx context.Context, s *state, lines []adoption.Line, note noting) (int, error) {
	now := fault.Current{Status: s.Status, Revision: s.Revision}
	for n, l := range lines {
		if l.Revision == 0 || l.Revision >= now.Revision {
			return n, nil
		}
		became := Line{Outcome: Left}
		o, err := orderOf(ctx, l)
		if err != nil {
			err = a.unreadable(ctx, s, l, &became, err)
		} else {
			err = a.stale(ctx, s, l, o, &became, &now)
		}
		if err != nil {
			return n, err
		}
		if note(l, became); s.Stopped != nil {
			return n + 1, nil
		}
	}
	return len(lines), nil
}

// asks asks the service whether it would accept a line now.
func (a *application) asks(ctx context.Context, s *state, l adoption.Line) (*fault.Error, error) {
	o, err := orderOf(ctx, l)
	if err != nil {
		return fault.As(err), nil
	}
	separator := "?"
	if o.options != "" {
		separator = "&"
	}
	_, err = a.Clients[l.Role].Send(ctx, apiclient.Request{Method: o.method, Body: o.body, Media: o.media,
		Path: path(s.ID, o.below+separator+"dry_run=true"), IfMatch: ifMatch(s, l)})
	if f := fault.As(err); refuses(f) {
		return f, nil
	}
	return nil, err
}
