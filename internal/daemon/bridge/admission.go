package bridge

import (
	"context"
	"errors"
	"sync"
	"time"

	"orchestrator/internal/conductor"
	"orchestrator/internal/requirements"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// Admission lets agents into a project by tokens that are minted for one run each. For as long as it is in, an agent
// has the field of its role to itself.
type Admission struct {
	Tokens  *token.Authenticator
	Project *Project // in which they claim
	URL     string   // of the service, without a slash at its end
	Clock   func() time.Time
}

// Admit implements conductor.Agents. Where somebody else has claimed the field, the agent is not let in.
func (a Admission) Admit(ctx context.Context, name, role, requirement, run string,
	until time.Time) (conductor.Access, error) {
	secret, made, err := a.Tokens.Mint(ctx, name, role, token.Bound{Only: requirement, Run: run}, until, a.Clock())
	if err != nil {
		return conductor.Access{}, err
	}
	release, err := a.claim(ctx, requirement, run, until, claiming.Asked{
		By: lifecycle.Actor{Name: name, Role: lifecycle.Role(role)}, Holder: claiming.HolderOfRun(run),
		Field: claiming.FieldOf(lifecycle.Role(role)),
	})
	if err != nil {
		return conductor.Access{}, errors.Join(err, a.Tokens.Unmint(context.WithoutCancel(ctx), made))
	}
	return conductor.Access{URL: a.URL, Token: secret, ID: made.Mark(),
		Dismiss: func() error { return errors.Join(release(), a.Tokens.Unmint(context.WithoutCancel(ctx), made)) }}, nil
}

// claimRequest names the claim of an agent in the record of a refusal.
const claimRequest = "claim of a run"

// claim claims the field that a run works on, and renews the claim until it is released.
func (a Admission) claim(ctx context.Context, id, run string, until time.Time,
	asked claiming.Asked) (release func() error, err error) {
	if id == "" || asked.Field == "" {
		return func() error { return nil }, nil
	}
	refused := requirements.Refused{Request: claimRequest, ID: id, RequestID: run}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // it lasts until it is released
	take := func() error {
		asked.For = min(max(until.Sub(a.Clock()), claiming.Shortest), claiming.Longest)
		_, _, _, err := a.Project.service.Claim(ctx, id, asked, refused)
		return err
	}
	if err := take(); err != nil {
		stop()
		return nil, err
	}
	var renewing sync.WaitGroup
	renewing.Go(func() {
		every := time.NewTicker(claiming.Longest / 2)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				_ = take() // at worst the claim ends before the work does
			case <-ctx.Done():
				return
			}
		}
	})
	return func() error {
		stop()
		renewing.Wait()
		_, _, err := a.Project.service.Release(context.WithoutCancel(ctx), id, asked, refused)
		return err
	}, nil
}
