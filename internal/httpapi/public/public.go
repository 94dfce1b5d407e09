// Package public answers what needs no token: the way in, the contract, and what problems mean.
package public

import (
	"io/fs"
	"net/http"
	"sync"

	"orchestrator/api"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/catalogue"
	"orchestrator/internal/httpapi/docpage"
	"orchestrator/internal/httpapi/fixed"
	"orchestrator/internal/httpapi/front"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/schemas"
)

// Pages answer with what is open to all.
type Pages struct {
	caller   func(*http.Request) front.Caller
	problems func() (catalogue.Pages, error)
	yaml     *fixed.Answer
	json     *fixed.Answer
	docs     func() (*fixed.Answer, error)
}

// New makes the pages; each is written when it is first asked for. caller says who asks.
func New(caller func(*http.Request) front.Caller) *Pages {
	return &Pages{
		caller:   caller,
		problems: sync.OnceValues(catalogue.Make),
		yaml:     fixed.New("application/yaml", api.OpenAPI),
		json:     fixed.New("application/json", api.OpenAPIJSON),
		docs: sync.OnceValues(func() (*fixed.Answer, error) {
			page, err := docpage.Render(api.OpenAPIJSON)
			return fixed.New(asHTML, page), err
		}),
	}
}

// The media types of pages.
const (
	asText = "text/plain; charset=utf-8"
	asHTML = "text/html; charset=utf-8"
)

// pages is where people look.
const pages = "/ui/"

// Front answers with what the service is, and to whoever shows a token, who they are. It sends a browser to the pages.
func (p *Pages) Front(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	w.Header().Add("Vary", "Authorization")
	caller := p.caller(r)
	switch wire.Choose(w, r, "text/plain", "application/json", "text/html") {
	case "text/html":
		w.Header().Set("Location", pages)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	case "text/plain":
		return wire.WriteAs(w, []string{asText}, wire.NoCache, front.Text(caller))
	}
	body, err := front.JSON(caller)
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, http.StatusOK, body)
}

// Docs shows the contract to people.
func (p *Pages) Docs(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	page, err := p.docs()
	if err != nil {
		return err
	}
	w.Header()["Content-Security-Policy"] = []string{docpage.Policy()}
	return page.Serve(w, r)
}

// OpenAPI serves the contract as it is written.
func (p *Pages) OpenAPI(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	return p.yaml.Serve(w, r)
}

// OpenAPIJSON serves the contract as one file.
func (p *Pages) OpenAPIJSON(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	return p.json.Serve(w, r)
}

// Problems lists the codes of problems.
func (p *Pages) Problems(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	pages, err := p.problems()
	if err != nil {
		return err
	}
	return writePageOf(w, r, pages.List)
}

// Problem explains a code.
func (p *Pages) Problem(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	pages, err := p.problems()
	if err != nil {
		return err
	}
	page, found := pages.Of[fault.Code(r.PathValue("code"))]
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

// Schema serves a schema under the name that the OpenAPI document refers to.
func Schema(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	body, err := fs.ReadFile(schemas.Files(), r.PathValue("name"))
	if err != nil {
		return fault.New(fault.NotFound, "unknown_schema", "there is no such schema").
			WithFix("GET /openapi.yaml refers to all of them")
	}
	return wire.WriteAs(w, []string{"application/schema+json"}, wire.NoCache, body)
}
