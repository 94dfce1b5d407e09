package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/convention"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/secret"
)

// patterns returns those of all routes that have one path for each set of parameters.
func patterns(r chi.Routes) []string {
	var all []string
	_ = chi.Walk(r, func(_, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if !strings.Contains(route, "*") {
			all = append(all, route)
		}
		return nil
	})
	return all
}

// notFound refuses a path that no route has, and tells the one that was meant. It redirects nobody: a client would leave
// the body of a change behind.
func (a *API) notFound(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodOptions && r.URL.Path == "*" { // the service as a whole (RFC 9110, section 9.3.7)
		w.Header().Set("Allow", strings.Join(append(slices.Clone(methods), http.MethodOptions), ", "))
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	err := fault.New(fault.NotFound, "unknown_path", "there is nothing at this path")
	if right := convention.RightPath(a.routes, r.URL.EscapedPath()); right != "" {
		return err.WithFix("the path is %s: it has no final or doubled slash, and is compared letter by letter",
			fault.Clip(secret.Mask(right), maxPath))
	}
	return err.WithFix("GET / says how to begin, and GET /openapi.json lists the paths; percent-encode ids once, a slash in one as %%2F")
}

// maxPath is how many bytes of a path an answer repeats.
const maxPath = 256

// methods are those that any path takes.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut, http.MethodDelete}

// methodNotAllowed tells the methods of a path: with 204 to who asks for them, with 405 to all others.
func (a *API) methodNotAllowed(w http.ResponseWriter, r *http.Request) error {
	allowed := allowedAt(r)
	if allowed == nil { // a method that nobody knows, on a path that nobody knows
		return a.notFound(w, r)
	}
	h := w.Header()
	h.Set("Allow", strings.Join(append(allowed, http.MethodOptions), ", "))
	if strings.Contains(h.Get("Allow"), http.MethodPatch) {
		h.Set("Accept-Patch", "application/json")
	}
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return fault.New(fault.Method, "method_not_allowed", "this path does not take %s", wire.Clip(r.Method)).
		WithFix("use a method of the header Allow")
}

// allowedAt returns the methods that the path of a request takes; chi leaves them to its own handler.
func allowedAt(r *http.Request) []string {
	path := r.URL.RawPath
	if path == "" {
		path = r.URL.Path
	}
	routes := chi.RouteContext(r.Context()).Routes
	var allowed []string
	for _, method := range methods {
		probe := method
		if probe == http.MethodHead {
			probe = http.MethodGet
		}
		if routes.Match(chi.NewRouteContext(), probe, path) {
			allowed = append(allowed, method)
		}
	}
	return allowed
}
