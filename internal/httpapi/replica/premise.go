package replica

import (
	"context"
	"net/http"
	"time"

	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/requirements/premise"
)

// freshAge is how old the state may be by which a change is sent to the transaction that decides it.
const freshAge = time.Second

// Assumes reports whether a request can be decided without asking the store whether another replica has written: a
// change is decided by a transaction, which sees the newest state. Without replicas there is nothing to ask.
//
// Implements: ORC-388
func (c *Config) Assumes(r *http.Request) bool {
	return c != nil && r.Method == http.MethodPatch && r.Header[LeastSize] == nil && c.Age() <= freshAge
}

// PremiseOf returns the context of a request whose caller may have been identified by tokens that are out of force: the
// transaction that decides it finds that out.
func PremiseOf(w http.ResponseWriter, r *http.Request) context.Context {
	c := wire.CallOf(w)
	if !c.Assumed {
		return r.Context()
	}
	return premise.With(r.Context(), func(tx store.Getter) (bool, error) { return credentials.AreKept(tx, c.By) })
}
