package httpapi

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/httpapi/wire"
)

// New builds the handler of the whole service.
func New(c Config) http.Handler {
	held := inflight.New()
	return (&API{Config: c, metrics: newMetrics(c, held), bodies: held}).router()
}

func (a *API) router() chi.Router {
	r := chi.NewRouter()
	r.Use(a.observe, a.checkHost, a.checkOrigin, middleware.GetHead)
	r.NotFound(a.handle(notFound))
	r.MethodNotAllowed(a.handle(methodNotAllowed))

	health := &healthHandlers{a.Config}
	r.Get("/healthz", a.handle(health.live))
	r.Get("/livez", a.handle(health.live))
	r.Get("/readyz", a.handle(health.ready))
	r.Get("/version", a.handle(health.version))
	r.Get("/metrics", a.handle(health.serveMetrics()))
	r.Get("/openapi.yaml", a.handle(openAPI))
	r.Get("/openapi.json", a.handle(openAPIJSON))
	r.Get("/schemas/{name}", a.handle(schema))

	r.Group(func(r chi.Router) {
		r.Use(a.authenticate, a.keepToRequirement)
		refuses := refuser{a.Service}
		(&requirementHandlers{a.Service, a.Documents, newReviews()}).route(r, a.handle)
		(&logHandlers{a.Service.Log}).route(r, a.handle)
		(&boundaryHandlers{a.Boundary, refuses}).route(r, a.handle)
		(&conductorHandlers{a.Conductor, a.Driver, a.Model, refuses}).route(r, a.handle)
	})
	return r
}

func (h *requirementHandlers) route(r chi.Router, handle func(handler) http.HandlerFunc) {
	r.Get("/project", handle(h.project))
	r.Get("/project/import", handle(h.lastImport))
	r.Post("/project/import", handle(h.importDocuments))
	r.Get("/project/review", handle(h.review))
	r.Get("/requirements", handle(h.listRequirements))
	r.Get("/requirements/{id}", handle(h.requirement))
	r.Patch("/requirements/{id}", handle(h.patchRequirement))
	r.Get("/requirements/{id}/next", handle(h.next))
	r.Get("/requirements/{id}/review", handle(h.dossier))
	r.Post("/requirements/{id}/test-report", handle(h.attachReport))
	r.Get("/workflow", handle(h.workflow))
}

func (h *logHandlers) route(r chi.Router, handle func(handler) http.HandlerFunc) {
	r.Get("/requirements/{id}/history", handle(h.history))
	r.Get("/audit", handle(h.audit))
	r.Get("/audit/blobs/{sha256}", handle(h.blob))
	r.Get("/audit/checkpoint", handle(h.checkpoint))
	r.Get("/audit/key", handle(h.auditKey))
	r.Get("/audit/records/{index}", handle(h.record))
	r.Get("/audit/proof/inclusion", handle(h.inclusion))
	r.Get("/audit/proof/consistency", handle(h.consistency))
	r.Get("/audit/tile/*", handle(h.tile))
}

func (h *boundaryHandlers) route(r chi.Router, handle func(handler) http.HandlerFunc) {
	r.Get("/boundary/report", handle(h.boundaryReport))
	r.Get("/boundary/readiness", handle(h.boundaryReadiness))
	r.Get("/boundary/decisions", handle(h.boundaryDecisions))
	r.Put("/boundary/mode", handle(h.setBoundaryMode))
}

func (h *conductorHandlers) route(r chi.Router, handle func(handler) http.HandlerFunc) {
	r.Post("/obligations", handle(h.conduct))
	r.Get("/obligations", handle(h.listRuns))
	r.Get("/obligations/{run}", handle(h.showRun))
	r.Get("/traces/{run}", handle(h.showTrace))
	r.Post("/drive", handle(h.drive))
	r.Get("/tools", handle(h.listTools))
	r.Post("/requests", handle(h.ask))
}

func notFound(_ http.ResponseWriter, r *http.Request) error {
	return fault.New(fault.NotFound, "unknown_path", "there is nothing at this path").
		WithFix("GET /openapi.yaml lists the paths; percent-encode ids once")
}

// methodNotAllowed rebuilds Allow, which chi leaves to its own handler.
func methodNotAllowed(w http.ResponseWriter, r *http.Request) error {
	path := r.URL.RawPath
	if path == "" {
		path = r.URL.Path
	}
	routes := chi.RouteContext(r.Context()).Routes
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost,
		http.MethodPut} {
		probe := method
		if probe == http.MethodHead {
			probe = http.MethodGet
		}
		if routes.Match(chi.NewRouteContext(), probe, path) {
			allowed = append(allowed, method)
		}
	}
	if allowed == nil { // a method that nobody knows, on a path that nobody knows
		return notFound(w, r)
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return fault.New(fault.Method, "method_not_allowed", "this path does not take %s", wire.Clip(r.Method)).
		WithFix("use a method of the header Allow")
}
