package httpapi

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"orchestrator/internal/httpapi/accounting"
	"orchestrator/internal/httpapi/changing"
	"orchestrator/internal/httpapi/guarding"
	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/httpapi/live"
	"orchestrator/internal/httpapi/mcp"
	"orchestrator/internal/httpapi/proving"
	"orchestrator/internal/httpapi/public"
	"orchestrator/internal/httpapi/reading"
	"orchestrator/internal/httpapi/scheduling"
	"orchestrator/internal/httpapi/turns"
	"orchestrator/internal/httpapi/web"
	"orchestrator/internal/httpapi/web/page"
)

// New builds the handler of the whole service.
func New(c Config) http.Handler {
	held := inflight.New()
	a := &API{Config: c, metrics: newMetrics(c, held), bodies: held, limits: newLimits(c.Limit)}
	a.live = live.New(live.Config{Ledger: c.Ledger, Log: c.Service.Log, Kinds: c.Kinds, Stopping: c.Stopping,
		Allowed: a.allowed})
	registerLive(c, a.live)
	a.door = mcp.NewDoor(c.Version.Version, a.defect)
	a.root = a.router()
	return a.root
}

func (a *API) router() chi.Router {
	r := chi.NewRouter()
	r.Use(a.observe, a.checkHost, a.checkOrigin, middleware.GetHead)
	r.NotFound(a.handle(a.notFound))
	r.MethodNotAllowed(a.handle(a.methodNotAllowed))

	health := &healthHandlers{a.Config}
	r.Get("/healthz", a.handle(health.live))
	r.Get("/livez", a.handle(health.live))
	r.Get("/readyz", a.handle(health.ready))
	r.Get("/version", a.handle(health.version))
	r.Get("/metrics", a.handle(health.serveMetrics()))
	r.Mount(page.Root, web.New(web.Config{API: a.page, Count: a.countPage, Project: a.Service.Name,
		Refuse: a.writeProblem}))
	r.Group(func(r chi.Router) {
		r.Use(a.limitAddress)
		routeOpen(r, public.New(a.caller), a.handle)
	})
	r.Group(func(r chi.Router) {
		r.Use(a.authenticate, a.keepToRequirement)
		if a.Replica != nil {
			r.Use(a.Replica.OnDuty(a.Ledger, routeOf, a.writeProblem))
		}
		refuses := refuser{a.Service}
		(&requirementHandlers{a.Service, a.Documents, turns.New(), a.confirm, a.live.Waiting}).route(r, a.handle)
		(&logHandlers{a.Service.Log, a.Kinds}).route(r, a.handle)
		r.Get("/events", a.handle(a.live.Events))
		r.Post("/mcp", a.handle(a.message))
		routeBoundary(r, &guarding.Handlers{Boundary: a.Boundary, Refused: refuses.refused}, a.handle)
		(&conductorHandlers{a.Conductor, a.Driver, a.Model, refuses}).route(r, a.handle)
	})
	a.routes = patterns(r)
	return r
}

func routeOpen(r chi.Router, pages *public.Pages, handle func(handler) http.HandlerFunc) {
	r.Get("/", handle(pages.Front))
	r.Get("/docs", handle(pages.Docs))
	r.Get("/openapi.yaml", handle(pages.OpenAPI))
	r.Get("/openapi.json", handle(pages.OpenAPIJSON))
	r.Get("/problems", handle(pages.Problems))
	r.Get("/problems/{code}", handle(pages.Problem))
	r.Get("/schemas/{name}", handle(public.Schema))
}

func (h *requirementHandlers) route(r chi.Router, handle func(handler) http.HandlerFunc) {
	r.Get("/project", handle(h.project))
	r.Get("/project/import", handle(reading.LastImport(h.Service.Reviews)))
	r.Post("/project/import", handle(h.importDocuments))
	r.Get("/project/renames", handle(h.ofAll(reading.Renames)))
	r.Post("/project/renames", handle(changing.Rename(h.Service)))
	r.Get("/project/review", handle(h.review))
	r.Get("/project/progress", handle(reading.Progress(h.Service.Reviews)))
	r.Get("/requirements", handle(h.ofAll(reading.List)))
	r.Get("/requirements/{id}", handle(h.waiting(h.ofOne(reading.Requirement))))
	r.Patch("/requirements/{id}", handle(h.patchRequirement))
	r.Get("/requirements/{id}/next", handle(h.waiting(h.ofOne(reading.Next))))
	r.Get("/requirements/{id}/review", handle(h.dossier))
	r.Post("/requirements/{id}/test-report", handle(h.attachReport))
	r.Post("/requirements/{id}/claim", handle(h.claim))
	r.Delete("/requirements/{id}/claim", handle(h.release))
	r.Get("/workflow", handle(changing.Workflow(h.Service)))
	r.Get("/next", handle(h.waiting(h.ofAll(reading.Agenda))))
	r.Put("/workflow", handle(changing.SwitchWorkflow(h.Service)))
}

func (h *logHandlers) route(r chi.Router, handle func(handler) http.HandlerFunc) {
	r.Get("/requirements/{id}/history", handle(h.history))
	r.Get("/audit", handle(h.audit))
	r.Get("/audit/blobs/{sha256}", handle(h.blob))
	proofs := &proving.Handlers{Log: h.Log}
	r.Get("/audit/checkpoint", handle(proofs.Checkpoint))
	r.Get("/audit/key", handle(proofs.Key))
	r.Get("/audit/records/{index}", handle(proofs.Record))
	r.Get("/audit/proof/inclusion", handle(proofs.Inclusion))
	r.Get("/audit/proof/consistency", handle(proofs.Consistency))
	r.Get("/audit/tile/*", handle(proofs.Tile))
}

func routeBoundary(r chi.Router, h *guarding.Handlers, handle func(handler) http.HandlerFunc) {
	r.Get("/boundary/report", handle(h.Report))
	r.Get("/boundary/readiness", handle(h.Readiness))
	r.Get("/boundary/decisions", handle(h.Decisions))
	r.Put("/boundary/mode", handle(h.SetMode))
	r.Post("/boundary/attestations", handle(h.Attest))
}

func (h *conductorHandlers) route(r chi.Router, handle func(handler) http.HandlerFunc) {
	r.Post("/obligations", handle(h.conduct))
	r.Get("/obligations", handle(h.listRuns))
	r.Get("/obligations/{run}", handle(h.showRun))
	r.Post("/obligations/{run}/answers", handle(h.answer))
	r.Get("/traces/{run}", handle(h.showTrace))
	r.Post("/drive", handle(h.drive))
	r.Get("/tools", handle(h.listTools))
	kept := &scheduling.Handlers{Conductor: h.Conductor, Refused: h.refused}
	r.Get("/schedules", handle(kept.List))
	r.Get("/schedules/{schedule}", handle(kept.Show))
	r.Delete("/schedules/{schedule}", handle(kept.End))
	r.Get("/usage", handle((&accounting.Handlers{Conductor: h.Conductor}).Show))
	r.Post("/requests", handle(h.ask))
	r.Get("/forms", handle(h.forms))
}
