package bridge

import (
	"time"

	"orchestrator/internal/conductor"
	"orchestrator/internal/token"
)

// Admission lets agents into a project by tokens that are minted for one run each.
type Admission struct {
	Tokens *token.Authenticator
	URL    string // of the service, without a slash at its end
	Clock  func() time.Time
}

// Admit implements conductor.Agents.
func (a Admission) Admit(name, role, requirement, run string, until time.Time) (conductor.Access, error) {
	secret, made, err := a.Tokens.Mint(name, role, token.Bound{Only: requirement, Run: run}, until, a.Clock())
	if err != nil {
		return conductor.Access{}, err
	}
	return conductor.Access{URL: a.URL, Token: secret, ID: made.Mark(),
		Dismiss: func() error { return a.Tokens.Unmint(made) }}, nil
}
