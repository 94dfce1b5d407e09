package httpapi

import (
	"io/fs"
	"net/http"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"orchestrator/api"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/catalogue"
	"orchestrator/internal/httpapi/fixed"
	"orchestrator/internal/httpapi/front"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/schemas"
)

// openHandlers answer what is open to all: the way in, and the contract.
type openHandlers struct {
	identify func(presented string, now time.Time) (front.Caller, error)
	problems func() (catalogue.Pages, error)
	yaml     *fixed.Answer
}

func newOpenHandlers(a *API) *openHandlers {
	return &openHandlers{
		identify: func(presented string, now time.Time) (front.Caller, error) {
			t, err := a.Tokens.Authenticate(presented, now)
			return front.Caller{Name: t.Name, Role: t.Role}, err
		},
		problems: sync.OnceValues(catalogue.Make),
		yaml:     fixed.New("application/yaml", api.OpenAPI),
	}
}

func (h *openHandlers) route(r chi.Router, handle func(handler) http.HandlerFunc) {
	r.Get("/", handle(h.front))
	r.Get("/openapi.yaml", handle(h.openAPI))
	r.Get("/problems", handle(h.listProblems))
	r.Get("/problems/{code}", handle(h.problem))
	r.Get("/schemas/{name}", handle(schema))
}

// The media types of pages.
const (
	asText = "text/plain; charset=utf-8"
	asHTML = "text/html; charset=utf-8"
)

// front says what the service is, and to whoever shows a token, who they are.
func (h *openHandlers) front(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	caller := h.caller(w, r)
	if wire.Choose(w, r, "text/plain", "application/json") == "text/plain" {
		return wire.WriteAs(w, []string{asText}, wire.NoCache, front.Text(caller))
	}
	body, err := front.JSON(caller)
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, http.StatusOK, body)
}

// caller returns who asks. A token that is not accepted is no reason to keep the way in from anybody.
func (h *openHandlers) caller(w http.ResponseWriter, r *http.Request) front.Caller {
	w.Header().Add("Vary", "Authorization")
	if r.Header["Authorization"] == nil {
		return front.Caller{}
	}
	presented, err := bearer(r)
	if err == nil {
		var caller front.Caller
		if caller, err = h.identify(presented, wire.CallOf(w).Start); err == nil {
			return caller
		}
	}
	return front.Caller{Refused: fault.As(err).Detail}
}

func (h *openHandlers) openAPI(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	return h.yaml.Serve(w, r)
}

func (h *openHandlers) listProblems(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	pages, err := h.problems()
	if err != nil {
		return err
	}
	return writePageOf(w, r, pages.List)
}

func (h *openHandlers) problem(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	pages, err := h.problems()
	if err != nil {
		return err
	}
	page, found := pages.Of[fault.Code(chi.URLParam(r, "code"))]
	if !found {
		return fault.New(fault.NotFound, "unknown_code", "no problem has this code").
			WithFix("GET /problems lists the codes")
	}
	return writePageOf(w, r, page)
}

// writePageOf answers with a page in the form that the client prefers.
func writePageOf(w http.ResponseWriter, r *http.Request, page catalogue.Page) error {
	switch wire.Choose(w, r, "text/plain", "application/json", "text/html") {
	case "application/json":
		return wire.WriteBytes(w, http.StatusOK, page.JSON)
	case "text/html":
		w.Header()["Content-Security-Policy"] = []string{"default-src 'none'"}
		return wire.WriteAs(w, []string{asHTML}, wire.NoCache, page.HTML)
	}
	return wire.WriteAs(w, []string{asText}, wire.NoCache, page.Text)
}

// schema serves a schema under the name that the OpenAPI document refers to.
func schema(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	body, err := fs.ReadFile(schemas.Files(), chi.URLParam(r, "name"))
	if err != nil {
		return fault.New(fault.NotFound, "unknown_schema", "there is no such schema").
			WithFix("GET /openapi.yaml refers to all of them")
	}
	return wire.WriteAs(w, []string{"application/schema+json"}, wire.NoCache, body)
}
