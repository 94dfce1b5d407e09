package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

type actor = lifecycle.Actor

// authenticate takes the actor from the bearer token (RFC 6750) and nothing else, and counts the request
// against the token's rate limit.
func (a *API) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := a.identify(w, r); err != nil {
			a.writeProblem(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *API) identify(w http.ResponseWriter, r *http.Request) error {
	presented, err := bearer(r)
	if err != nil {
		w.Header().Set("WWW-Authenticate", `Bearer realm="orchestrator"`)
		a.metrics.unauthenticated.Inc()
		return err
	}
	c := callOf(w)
	t, err := a.Tokens.Authenticate(presented, c.start)
	if err != nil {
		w.Header().Set("WWW-Authenticate", `Bearer realm="orchestrator", error="invalid_token"`)
		a.metrics.unauthenticated.Inc()
		return err
	}
	c.who = actor{Name: t.Name, Role: lifecycle.Role(t.Role)}
	if wait, ok := a.Tokens.Allow(t, c.start); !ok {
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		return fault.New(fault.RateLimited, "rate_limited", "this token has used up its requests for now").
			WithFix("wait %d s, as Retry-After says", seconds)
	}
	return nil
}

func bearer(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return "", tokenMissing()
	}
	scheme, presented, found := strings.Cut(headers[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(presented) == "" {
		return "", tokenMissing()
	}
	return strings.TrimSpace(presented), nil
}

func tokenMissing() *fault.Error {
	return fault.New(fault.Unauthenticated, "token_missing", "this path needs a token").
		WithFix("send the header Authorization: Bearer <token>; the first start wrote one token per role to .orchestrator/tokens/")
}

// Role of the call; set by authenticate.
func actorOf(w http.ResponseWriter) actor { return callOf(w).who }
