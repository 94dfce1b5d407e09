package httpapi

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"orchestrator/internal/httpapi/mcp"
	"orchestrator/internal/httpapi/wire"
)

// message answers a message of the Model Context Protocol.
//
// Implements: ORC-306
func (a *API) message(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	body, err := wire.ReadBody(w, r, wire.MaxReport)
	if err != nil {
		return err
	}
	if err := mcp.Check(body); err != nil {
		return err
	}
	wire.CallOf(w).Held.Rest()
	control := http.NewResponseController(w) // an answer may be a stream, of which each piece has its own time
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
	a.door.ServeMCP(w, r, body, a.within(), wire.ActorOf(w).Role)
	return nil
}

// defect logs a panic of a message, which was answered.
func (a *API) defect(panicked any, stack []byte) {
	a.Log.Error().Interface("panic", panicked).Bytes("stack", stack).Msg("a message met a defect")
}

// within returns the API for the requests of one message, which has been counted against the limit of its token: so the
// first of them is not.
func (a *API) within() http.Handler {
	begun := new(atomic.Bool)
	return a.anew(func() bool { return !begun.Swap(true) })
}

// page returns the API for the requests of one page, which was counted.
func (a *API) page() http.Handler { return a.anew(func() bool { return true }) }

// anew returns the API for requests that the service makes for one that came from outside. free reports of each whether
// it is not counted.
func (a *API) anew(free func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), freeKey{}, free)
		ctx = context.WithValue(ctx, chi.RouteCtxKey, (*chi.Context)(nil)) // it is routed anew
		a.root.ServeHTTP(w, r.WithContext(ctx))
	})
}

// freeKey is the key of what reports whether a request is not counted, in the context of each.
type freeKey struct{}

// isWithin reports whether the service itself makes a request, for one from outside.
func isWithin(r *http.Request) bool { return r.Context().Value(freeKey{}) != nil }

// isFree reports whether a request is not counted.
func isFree(r *http.Request) bool {
	free, is := r.Context().Value(freeKey{}).(func() bool)
	return is && free()
}
