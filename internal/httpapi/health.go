package httpapi

import (
	"errors"
	"io/fs"
	"net/http"

	"github.com/go-chi/chi/v5"

	"orchestrator/api"
	"orchestrator/internal/fault"
	"orchestrator/schemas"
)

type health struct {
	Status string  `json:"status"` // ok or failing
	Checks []check `json:"checks,omitempty"`
}

type check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok or failing
	Detail string `json:"detail,omitempty"`
}

// live fails only when the process can do nothing more than stop.
func (a *API) live(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r); err != nil {
		return err
	}
	if a.Service.State().Ledger != nil {
		return writeJSON(w, http.StatusServiceUnavailable, health{Status: "failing"})
	}
	return writeJSON(w, http.StatusOK, health{Status: "ok"})
}

// ready says whether work should be sent here; verbose lists the checks.
func (a *API) ready(w http.ResponseWriter, r *http.Request) error {
	values, err := query(r, "verbose")
	if err != nil {
		return err
	}
	state := a.Service.State()
	checks := []check{
		checked("store", state.Ledger),
		checked("export", state.Export.Err),
		checkedImport(state.Import),
		checked("serving", a.draining()),
	}
	answer, status := health{Status: "ok"}, http.StatusOK
	for _, c := range checks {
		if c.Status != "ok" {
			answer.Status, status = "failing", http.StatusServiceUnavailable
		}
	}
	if values.Has("verbose") {
		answer.Checks = checks
	}
	return writeJSON(w, status, answer)
}

func (a *API) draining() error {
	if a.Draining() {
		return errors.New("the service is shutting down")
	}
	return nil
}

func checked(name string, err error) check {
	if err != nil {
		return check{name, "failing", err.Error()}
	}
	return check{name, "ok", ""}
}

// checkedImport leaves out what a client need not know: anybody may ask this.
func checkedImport(problem string) check {
	if problem != "" {
		return check{"import", "failing", problem}
	}
	return check{"import", "ok", ""}
}

func (a *API) version(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, a.Version)
}

func openAPI(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(api.OpenAPI)
	return nil
}

// schema serves a schema under the name that the OpenAPI document refers to.
func schema(w http.ResponseWriter, r *http.Request) error {
	body, err := fs.ReadFile(schemas.Files(), chi.URLParam(r, "name"))
	if err != nil {
		return fault.New(fault.NotFound, "unknown_schema", "there is no such schema").
			WithFix("GET /openapi.yaml refers to all of them")
	}
	w.Header().Set("Content-Type", "application/schema+json")
	_, _ = w.Write(body)
	return nil
}
