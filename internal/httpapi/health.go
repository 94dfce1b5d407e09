package httpapi

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"orchestrator/api"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
	"orchestrator/schemas"
)

// CheckStatus says how bad the outcome of a check is.
type CheckStatus string

// The statuses of a check, from best to worst.
const (
	CheckOK       CheckStatus = "ok"
	CheckWarning  CheckStatus = "warning"  // an operator should look at it; requests are answered
	CheckStarting CheckStatus = "starting" // it is not known yet whether all is well; not ready
	CheckFailing  CheckStatus = "failing"  // not ready
)

// Check is one thing that /readyz looks at.
type Check struct {
	Name   string      `json:"name"`
	Status CheckStatus `json:"status"`
	Detail string      `json:"detail,omitempty"` // why it is not ok; anybody may read it
}

type health struct {
	Status CheckStatus `json:"status"` // the worst of the checks
	Checks []Check     `json:"checks,omitempty"`
}

// worst returns the status of the whole.
func worst(checks []Check) CheckStatus {
	order := []CheckStatus{CheckOK, CheckWarning, CheckStarting, CheckFailing}
	worst := 0
	for _, c := range checks {
		worst = max(worst, slices.Index(order, c.Status))
	}
	return order[worst]
}

// live fails only when the process can do nothing more than stop.
func (h *healthHandlers) live(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r); err != nil {
		return err
	}
	if h.Service.State().Ledger != nil {
		return writeJSON(w, http.StatusServiceUnavailable, health{Status: CheckFailing})
	}
	return writeJSON(w, http.StatusOK, health{Status: CheckOK})
}

// ready reports whether work should be sent here; verbose lists the checks. What only an operator can mend, and what takes
// nothing from those who ask, is a warning: taking the service out of traffic would make it worse.
func (h *healthHandlers) ready(w http.ResponseWriter, r *http.Request) error {
	values, err := query(r, "verbose")
	if err != nil {
		return err
	}
	checks := h.checks()
	answer, status := health{Status: worst(checks)}, http.StatusOK
	if answer.Status == CheckStarting || answer.Status == CheckFailing {
		status = http.StatusServiceUnavailable
	}
	if values.Has("verbose") {
		answer.Checks = checks
	}
	return writeJSON(w, status, answer)
}

func (h *healthHandlers) checks() []Check {
	state := h.Service.State()
	checks := []Check{
		failingIf("store", state.Ledger),
		failingIf("serving", h.draining()),
		checkExport(state),
		warningIf("import", state.Import),
	}
	if h.Checks != nil {
		checks = append(checks, h.Checks()...)
	}
	return checks
}

func (h *healthHandlers) draining() error {
	if h.Draining() {
		return errors.New("the service is shutting down")
	}
	return nil
}

func failingIf(name string, err error) Check {
	if err != nil {
		return Check{name, CheckFailing, err.Error()}
	}
	return Check{Name: name, Status: CheckOK}
}

func warningIf(name, problem string) Check {
	if problem != "" {
		return Check{name, CheckWarning, problem}
	}
	return Check{Name: name, Status: CheckOK}
}

// checkExport does not call an export good that was not tried since the start.
func checkExport(state requirements.State) Check {
	switch export := state.Export; {
	case export.Pending:
		return Check{"export", CheckStarting, "the first export since the start is not written yet"}
	case export.Err != nil:
		return Check{"export", CheckWarning, export.Err.Error()}
	case len(export.Displaced) > 0:
		d := export.Displaced[0]
		return Check{"export", CheckWarning,
			fmt.Sprintf("%s was %s, which is replaced: find out who put it there; GET /project/review has all, until the next start", d.Path, d.What)}
	}
	return Check{Name: "export", Status: CheckOK}
}

func (h *healthHandlers) version(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, h.Version)
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
