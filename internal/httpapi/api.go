// Package httpapi is the REST door: routes, authentication, request bodies in, JSON and problem+json out.
//
// Handlers return an error; one adapter (handle) turns it into an RFC 9457 problem, and nothing else
// writes a failure. The actor comes from the bearer token alone; no header or body can name a role.
package httpapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/conductor/language"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/secret"
	"orchestrator/internal/token"
)

// Authenticator knows the tokens and their rate limits.
type Authenticator interface {
	Authenticate(presented string, now time.Time) (token.Token, error)
	Allow(t token.Token, now time.Time) (retryAfter time.Duration, ok bool)
}

// Version says which program answers.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

// Config is what the service is wired to.
type Config struct {
	Service      *requirements.Service
	Boundary     *control.Boundary
	Conductor    *conductor.Conductor
	Driver       *drive.Driver
	Model        *language.LLM // nil: the grammar and the templates alone
	Tokens       Authenticator
	Documents    func() ([]reqdoc.File, error) // reads the requirement documents
	Log          zerolog.Logger
	Metrics      *prometheus.Registry
	MetricsToken string   // "" leaves /metrics open
	Hosts        []string // names that Host may have, without port
	Draining     func() bool
	Checks       func() []Check // further checks of /readyz; nil adds none
	Version      Version
}

// API is the HTTP service.
type API struct {
	Config
	metrics *metrics
	bodies  *bodies
}

// New builds the handler of the whole service.
func New(c Config) http.Handler {
	held := newBodies()
	return (&API{Config: c, metrics: newMetrics(c, held), bodies: held}).router()
}

// The handlers of each wing know its services and no other.
type (
	requirementHandlers struct {
		Service   *requirements.Service
		Documents func() ([]reqdoc.File, error)
		reviews   *reviews
	}
	logHandlers      struct{ Log *requirements.Log }
	boundaryHandlers struct {
		Boundary *control.Boundary
		refuser
	}
	conductorHandlers struct {
		Conductor *conductor.Conductor
		Driver    *drive.Driver
		Model     *language.LLM
		refuser
	}
	healthHandlers struct{ Config }

	// refuser puts refusals on record, for the handlers of what the requirement service does not decide.
	refuser struct{ Service *requirements.Service }
)

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

// handler is a request that succeeds or says why not.
type handler func(w http.ResponseWriter, r *http.Request) error

// handle answers with what a handler did. No other place makes an answer of an error.
func (a *API) handle(fn handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := fn(w, r); err != nil {
			a.writeProblem(w, r, err)
		}
	}
}

// call is what is known of one request.
type call struct {
	id    string
	start time.Time
	who   actor
	only  string     // the id of the requirement that its token is bound to; "" where it is not
	code  fault.Code // of the problem it was answered with
	cause error      // what is logged and never shown
	held  holding
}

// callOf returns the call that w answers. It travels with the answer, not in the context, where it would cost a copy
// of every request.
func callOf(w http.ResponseWriter) *call {
	if r, ok := w.(*recorder); ok {
		return &r.call
	}
	return &call{} // outside of observe, in no real request
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
	return fault.New(fault.Method, "method_not_allowed", "this path does not take %s", clip(r.Method)).
		WithFix("use a method of the header Allow")
}

// clip returns the start of what a client sent, for an error that quotes it.
func clip(s string) string { return fault.Clip(secret.Mask(s), 64) }
