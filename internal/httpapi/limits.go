package httpapi

import (
	"net/http"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/convention"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// limits tell clients what they have left, and limit those that show no token.
type limits struct {
	token.Limit
	policies  map[string][]string // of tokens and of addresses, as headers
	addresses *convention.Addresses
}

func newLimits(of token.Limit) limits {
	l := limits{Limit: of, addresses: convention.NewAddresses(of.PerSecond, of.Burst), policies: map[string][]string{}}
	if of.PerSecond > 0 {
		for _, name := range []string{"token", "address"} {
			l.policies[name] = []string{convention.Policy(name, of.PerSecond, of.Burst)}
		}
	}
	return l
}

// tell says how many requests are left to whoever the limit is of; nothing where there is none.
func (l *limits) tell(w http.ResponseWriter, of string, left int) {
	if policy := l.policies[of]; policy != nil {
		h := w.Header()
		h["Ratelimit-Policy"] = policy
		h["Ratelimit"] = []string{convention.Left(of, l.PerSecond, l.Burst, left)}
	}
}

func rateLimited(whose string, wait time.Duration) error {
	return fault.New(fault.RateLimited, "rate_limited", "this %s has used up its requests for now", whose).
		WithFix("wait %d s, as Retry-After says", problem.WholeSeconds(wait)).After(wait)
}

// limitAddress counts requests that need no token against the limit of the address that they come from.
func (a *API) limitAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isFree(r) {
			next.ServeHTTP(w, r)
			return
		}
		if err := a.countAddress(w, r); err != nil {
			a.writeProblem(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *API) countAddress(w http.ResponseWriter, r *http.Request) error {
	left, wait, ok := a.limits.addresses.Allow(r.RemoteAddr, time.Now())
	a.limits.tell(w, "address", left)
	if !ok {
		return rateLimited("address", wait)
	}
	return nil
}

func (a *API) countToken(w http.ResponseWriter, t token.Token, now time.Time) error {
	left, wait, ok := a.Tokens.Allow(t, now)
	a.limits.tell(w, "token", left)
	if !ok {
		return rateLimited("token", wait)
	}
	return nil
}

// countPage counts a page against the limit of the token that it is made for, or else of its address: once, and before
// anything is asked for it.
//
// Implements: ORC-331
func (a *API) countPage(w http.ResponseWriter, r *http.Request, presented string) error {
	if presented == "" {
		return a.countAddress(w, r)
	}
	if err := a.upToDate(r); err != nil {
		return err
	}
	c := wire.CallOf(w)
	t, err := a.Tokens.Authenticate(presented, c.Start)
	if err != nil {
		return err
	}
	c.Who = lifecycle.Actor{Name: t.Name, Role: lifecycle.Role(t.Role)}
	return a.countToken(w, t, c.Start)
}
