package replica

import (
	"context"
	"net/http"
	"time"

	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/requirements/premise"
	"orchestrator/internal/requirements/projection"
)

// freshAge is how old the state may be by which a change is sent to the transaction that decides it.
const freshAge = time.Second

// Assumes reports whether a request can be decided without asking the store whether another replica has written: a
// change is decided by a transaction, which sees the newest state. It is false without replicas, where nobody is asked.
//
// Implements: ORC-388
func (c *Config) Assumes(r *http.Request) bool {
	return c != nil && r.Method == http.MethodPatch && r.Header[LeastSize] == nil && c.Age() <= freshAge
}

// PremiseOf returns the context of a request whose caller may have been identified by tokens that are out of force, and
// whose evidence may be looked at or not by a choice that is: the transaction that decides it finds that out.
func PremiseOf(w http.ResponseWriter, r *http.Request, looks bool) context.Context {
	c := wire.CallOf(w)
	if !c.Assumed {
		return r.Context()
	}
	return premise.With(r.Context(), func(tx store.Getter) (bool, error) {
		same, err := credentials.AreKept(tx, c.By)
		if err != nil {
			return false, err
		}
		inForce, err := projection.InForce(tx)
		return same && inForce.Looks() == looks, err
	})
}

// Unrefuse takes back the headers of a refusal of a body, for another answer.
func Unrefuse(h http.Header) {
	h.Del("Accept-Encoding")
	h.Del("Accept-Patch")
}
