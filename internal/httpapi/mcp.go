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
	counted := new(atomic.Bool)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), freeKey{}, counted)
		ctx = context.WithValue(ctx, chi.RouteCtxKey, (*chi.Context)(nil)) // it is routed anew
		a.root.ServeHTTP(w, r.WithContext(ctx))
	})
}

// freeKey is the key of whether a request of the message was made before, in the context of each.
type freeKey struct{}

// isFree reports whether a request is not counted.
func isFree(r *http.Request) bool {
	counted, is := r.Context().Value(freeKey{}).(*atomic.Bool)
	return is && !counted.Swap(true)
}
