package httpapi

import (
	"net/http"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/convention"
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
		WithFix("wait %d s, as Retry-After says", wholeSeconds(wait)).After(wait)
}

// limitAddress counts requests that need no token against the limit of the address that they come from.
func (a *API) limitAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isFree(r) {
			next.ServeHTTP(w, r)
			return
		}
		left, wait, ok := a.limits.addresses.Allow(r.RemoteAddr, time.Now())
		a.limits.tell(w, "address", left)
		if !ok {
			a.writeProblem(w, r, rateLimited("address", wait))
			return
		}
		next.ServeHTTP(w, r)
	})
}
