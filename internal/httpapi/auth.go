package httpapi

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/convention"
	"orchestrator/internal/httpapi/front"
	"orchestrator/internal/httpapi/replica"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// authenticate takes the actor from the bearer token (RFC 6750) and nothing else, and counts the request
// against the token's rate limit.
func (a *API) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		if !a.assume(w, r) {
			err = a.upToDate(r) // first: a token that was revoked at any replica is refused at all
		}
		if err == nil {
			err = a.identify(w, r)
		}
		if err != nil && wire.CallOf(w).Assumed {
			err = cmp.Or(a.confirm(w, r), err)
		}
		if err == nil {
			err = replica.Reached(r, a.Ledger)
		}
		if err != nil {
			a.writeProblem(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// upToDate waits until the state is new enough for a request. What the service asks itself for a request from outside
// is answered from a state that was new enough for that one.
func (a *API) upToDate(r *http.Request) error {
	if a.Replica == nil {
		return nil
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.URL.Path == "/mcp"
	if isWithin(r) && (reads || a.Replica.StaleReads == 0) {
		return nil
	}
	return a.Replica.Latest(r.Context(), reads)
}

// assume reports whether a request may go to the transaction that decides it before it is known whether another replica
// has written. Whatever else answers such a request must call confirm first.
func (a *API) assume(w http.ResponseWriter, r *http.Request) bool {
	if !a.Replica.Assumes(r) || isWithin(r) {
		return false
	}
	c := wire.CallOf(w)
	c.By = a.Tokens.Kept() // before the token is looked at: the check may use newer ones
	_, _, err := a.tokenOf(r, c.Start)
	c.Assumed = err == nil // a token that is not known here may be new
	return c.Assumed
}

// confirm waits until the state is new enough for a request that was only assumed to be allowed, and identifies its
// sender anew.
func (a *API) confirm(w http.ResponseWriter, r *http.Request) error {
	c := wire.CallOf(w)
	if !c.Assumed {
		return nil
	}
	c.Assumed = false
	w.Header().Del("WWW-Authenticate")
	if err := a.upToDate(r); err != nil {
		return err
	}
	_, _, err := a.recognize(w, r)
	return err
}

// identify takes the actor from the token, and counts the request.
func (a *API) identify(w http.ResponseWriter, r *http.Request) error {
	presented, t, err := a.recognize(w, r)
	if err != nil {
		return err
	}
	c := wire.CallOf(w)
	c.Held = a.bodies.Of(t.Mark())
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &heldBody{r.Body, func() error { return a.stillIn(w, presented) }}
	}
	if isFree(r) {
		return nil
	}
	return a.countToken(w, t, c.Start)
}

// recognize takes the actor from the token.
func (a *API) recognize(w http.ResponseWriter, r *http.Request) (presented string, t token.Token, err error) {
	c := wire.CallOf(w)
	presented, t, err = a.tokenOf(r, c.Start)
	if err == nil {
		c.Who, c.Only = lifecycle.Actor{Name: t.Name, Role: lifecycle.Role(t.Role)}, t.Only
		c.Holder = holderOf(t)
		return presented, t, nil
	}
	a.metrics.unauthenticated.Inc()
	if presented == "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="orchestrator"`)
		return presented, t, err
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="orchestrator", error="invalid_token"`)
	if f := fault.As(err); f != nil && f.Kind == fault.Unauthenticated {
		err = f.WithFix("%s. GET / says how to begin", f.Fix)
	}
	return presented, t, err
}

// tokenOf returns the token that a request presents, and its text; "" where it presents none.
func (a *API) tokenOf(r *http.Request, now time.Time) (presented string, t token.Token, err error) {
	if presented, err = convention.Bearer(r.Header["Authorization"]); err == nil {
		t, err = a.Tokens.Authenticate(presented, now)
	}
	return presented, t, err
}

// holderOf returns as whom a token claims.
func holderOf(t token.Token) string {
	if t.Run != "" {
		return claiming.HolderOfRun(t.Run)
	}
	return t.Mark()
}

// stillIn reports whether a token works now, as it did when the request began.
func (a *API) stillIn(w http.ResponseWriter, presented string) error {
	_, err := a.Tokens.Authenticate(presented, time.Now())
	if err != nil {
		w.Header().Set("WWW-Authenticate", `Bearer realm="orchestrator", error="invalid_token"`)
	}
	return err
}

// allowed is stillIn for the token of a request that lasts.
func (a *API) allowed(w http.ResponseWriter, r *http.Request) error {
	presented, err := convention.Bearer(r.Header["Authorization"])
	if err != nil {
		return err
	}
	return a.stillIn(w, presented)
}

// caller returns who asks for what is open to all. A token that is not accepted is no reason to keep it from anybody.
func (a *API) caller(r *http.Request) front.Caller {
	if r.Header["Authorization"] == nil {
		return front.Caller{}
	}
	if a.upToDate(r) != nil {
		return front.Caller{Refused: "the token cannot be looked at now: the database does not answer"}
	}
	_, t, err := a.tokenOf(r, time.Now())
	if err == nil {
		return front.Caller{Name: t.Name, Role: t.Role, Requirement: t.Only}
	}
	return front.Caller{Refused: fault.As(err).Detail}
}

// heldBody is a body whose end is only reached while its token works: a token that was revoked decides nothing any
// more, however slowly the request was sent.
type heldBody struct {
	io.ReadCloser
	allowed func() error
}

func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		if refused := b.allowed(); refused != nil {
			return 0, refused
		}
	}
	return n, err
}

// changesOnly are the routes by which a token that is bound to a requirement may change it.
var changesOnly = []string{"/requirements/{id}", "/requirements/{id}/test-report", "/requirements/{id}/claim"}

// keepToRequirement holds the token of an agent to the one requirement that it is for. What only asks is everybody's.
func (a *API) keepToRequirement(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := wire.CallOf(w)
		if c.Only == "" || r.Method == http.MethodGet || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		route := chi.RouteContext(r.Context()).RoutePattern()
		id, err := requirementID(r)
		if slices.Contains(asking, route) || err == nil && slices.Contains(changesOnly, route) && id == c.Only {
			next.ServeHTTP(w, r)
			return
		}
		if err := a.confirm(w, r); err != nil {
			a.writeProblem(w, r, err)
			return
		}
		err = fault.New(fault.Forbidden, "agent_bound", "this token is for a run on %s, and changes nothing else",
			c.Only).
			WithFix("do what the prompt asks for, and stop")
		a.writeProblem(w, r, refuser{a.Service}.refused(w, r, nil, err))
	})
}

// asking are the routes that need no GET, and change nothing for an agent: the conductor has it do no more than ask.
// A message of the Model Context Protocol makes requests of its own, which are held to the same.
var asking = []string{"/obligations", "/requests", "/mcp"}
