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
	reviews *reviews
}

// New builds the handler of the whole service.
func New(c Config) http.Handler {
	held := newBodies()
	return (&API{Config: c, metrics: newMetrics(c, held), bodies: held, reviews: newReviews()}).router()
}

func (a *API) router() chi.Router {
	r := chi.NewRouter()
	r.Use(a.observe, a.checkHost, a.checkOrigin, middleware.GetHead)
	r.NotFound(a.handle(notFound))
	r.MethodNotAllowed(a.handle(methodNotAllowed))

	r.Get("/healthz", a.handle(a.live))
	r.Get("/livez", a.handle(a.live))
	r.Get("/readyz", a.handle(a.ready))
	r.Get("/version", a.handle(a.version))
	r.Get("/metrics", a.handle(a.serveMetrics()))
	r.Get("/openapi.yaml", a.handle(openAPI))
	r.Get("/schemas/{name}", a.handle(schema))

	r.Group(func(r chi.Router) {
		r.Use(a.authenticate, a.keepToRequirement)
		r.Get("/project", a.handle(a.project))
		r.Post("/project/import", a.handle(a.importDocuments))
		r.Get("/project/review", a.handle(a.review))
		r.Get("/requirements", a.handle(a.listRequirements))
		r.Get("/requirements/{id}", a.handle(a.requirement))
		r.Patch("/requirements/{id}", a.handle(a.patchRequirement))
		r.Get("/requirements/{id}/next", a.handle(a.next))
		r.Get("/requirements/{id}/history", a.handle(a.history))
		r.Get("/requirements/{id}/review", a.handle(a.dossier))
		r.Post("/requirements/{id}/test-report", a.handle(a.attachReport))
		r.Get("/workflow", a.handle(a.workflow))
		r.Get("/audit", a.handle(a.audit))
		r.Get("/audit/blobs/{sha256}", a.handle(a.blob))
		r.Get("/audit/checkpoint", a.handle(a.checkpoint))
		r.Get("/audit/key", a.handle(a.auditKey))
		r.Get("/audit/records/{index}", a.handle(a.record))
		r.Get("/audit/proof/inclusion", a.handle(a.inclusion))
		r.Get("/audit/proof/consistency", a.handle(a.consistency))
		r.Get("/audit/tile/*", a.handle(a.tile))
		r.Get("/boundary/report", a.handle(a.boundaryReport))
		r.Get("/boundary/readiness", a.handle(a.boundaryReadiness))
		r.Get("/boundary/decisions", a.handle(a.boundaryDecisions))
		r.Put("/boundary/mode", a.handle(a.setBoundaryMode))
		r.Post("/obligations", a.handle(a.conduct))
		r.Get("/obligations", a.handle(a.listRuns))
		r.Get("/obligations/{run}", a.handle(a.showRun))
		r.Get("/traces/{run}", a.handle(a.showTrace))
		r.Post("/drive", a.handle(a.drive))
		r.Get("/tools", a.handle(a.listTools))
		r.Post("/requests", a.handle(a.ask))
	})
	return r
}

// handler is a request that succeeds or says why not.
type handler func(w http.ResponseWriter, r *http.Request) error

// handle is the only place where an error becomes an answer.
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
	only  string // the id of the requirement that its token is bound to; "" where it is not
	code  string // of the problem it was answered with
	cause error  // what is logged and never shown
	held  holding
}

// callOf is the call that w answers. It travels with the answer, not in the context, where it would cost a copy
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

// clip is the start of what a client sent, for an error that quotes it.
func clip(s string) string { return fault.Clip(secret.Mask(s), 64) }
