package project

import (
	"context"
	"slices"
	"time"

	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/rules/lifecycle"
)

// FirstSteps says what a person who has just opened a project can do with it.
type FirstSteps struct {
	Requirement string   // with which the pm goes on; "" where nothing waits for the pm
	Do          string   // what is to be done with it, in words
	Command     string   // that does it as it stands here; "" where it needs somebody's words
	Lacking     []string // the roles but viewer that have no token in force
	Guarded     bool     // the project has a boundary
}

// FirstSteps looks at the tokens, the boundary and the requirements. What cannot be read is left out: whoever needs it
// says so.
func (p *Project) FirstSteps() FirstSteps {
	s := FirstSteps{Lacking: p.rolesWithoutToken(time.Now()), Guarded: p.Boundary.Mode() != ""}
	pm := lifecycle.Actor{Role: lifecycle.PM}
	if found, err := p.Service.Agenda(pm, agenda.Query{Limit: 1}); err == nil && found.First != nil {
		s.Requirement, s.Do = found.First.ID, found.First.Do
		s.Command = advice.Agreed(*found.First)
	}
	return s
}

// rolesWithoutToken returns the roles that nobody can act in.
func (p *Project) rolesWithoutToken(now time.Time) (lacking []string) {
	tokens, err := p.data.credentials.List(context.Background())
	if err != nil {
		return nil
	}
	held := map[string]bool{string(lifecycle.Viewer): true}
	for _, t := range tokens {
		if t.Expires.IsZero() || t.Expires.After(now) {
			held[t.Role] = true
		}
	}
	return slices.DeleteFunc(texts(lifecycle.Roles()), func(role string) bool { return held[role] })
}
