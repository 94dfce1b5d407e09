package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/convention"
	"orchestrator/internal/httpapi/replica"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
)

type health struct {
	Status CheckStatus `json:"status"` // the worst of the checks
	Checks []Check     `json:"checks,omitempty"`

	Replica *replica.State `json:"replica,omitempty"` // where there are several
}

// live fails only when the process can do nothing more than stop.
func (h *healthHandlers) live(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	wire.Unversioned(w)
	if h.Service.State().Ledger != nil {
		return wire.WriteJSON(w, http.StatusServiceUnavailable, health{Status: CheckFailing})
	}
	return wire.WriteJSON(w, http.StatusOK, health{Status: CheckOK})
}

// ready reports whether work should be sent here; verbose lists the checks. What only an operator can mend, and what takes
// nothing from those who ask, is a warning: taking the service out of traffic would make it worse.
func (h *healthHandlers) ready(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "verbose")
	if err != nil {
		return err
	}
	wire.Unversioned(w)
	checks := h.checks(r.Context())
	answer, status := health{Status: worst(checks)}, http.StatusOK
	if answer.Status == CheckStarting || answer.Status == CheckFailing {
		status = http.StatusServiceUnavailable
	}
	if values.Has("verbose") {
		answer.Checks = checks
		answer.Replica = h.state(r.Context())
	}
	return wire.WriteJSON(w, status, answer)
}

func (h *healthHandlers) checks(ctx context.Context) []Check {
	state := h.Service.State()
	checks := []Check{
		failingIf("store", state.Ledger),
		failingIf("serving", h.draining()),
		checkExport(state),
		warningIf("import", state.Import),
		warningIf("evidence", state.Unknown),
		checkRead(state),
	}
	if h.Replica != nil {
		checks = append(checks, h.checkDatabase(ctx))
	}
	if h.Checks != nil {
		checks = append(checks, h.Checks()...)
	}
	return checks
}

// checkDatabase fails where a read would be refused.
func (h *healthHandlers) checkDatabase(ctx context.Context) Check {
	if h.Replica.Latest(ctx, true) != nil {
		return Check{"database", CheckFailing, "it does not say whether another replica has written"}
	}
	return Check{Name: "database", Status: CheckOK}
}

// state returns what is told of this replica; nil where it is the only process.
func (h *healthHandlers) state(ctx context.Context) *replica.State {
	if h.Replica == nil {
		return nil
	}
	s := h.Replica.State(ctx, h.Ledger.Head().Size)
	return &s
}

// checkRead warns of what may be missing from the state.
func checkRead(state requirements.State) Check {
	if state.Read.Lacks() {
		return Check{"documents", CheckWarning, state.Read.String() + "; GET /project/import says what was not"}
	}
	return Check{Name: "documents", Status: CheckOK}
}

func (h *healthHandlers) draining() error {
	if h.Draining() {
		return errors.New("the service is shutting down")
	}
	return nil
}

// checkExport does not call an export good that was not tried since the start.
func checkExport(state requirements.State) Check {
	switch export := state.Export; {
	case export.Off:
		return Check{"export", CheckOK, "none is written: --export none"}
	case export.Standby:
		return Check{"export", CheckOK, "the replica on duty writes it"}
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

// replicaVersion says which program answers, and which of several replicas it is.
type replicaVersion struct {
	Version
	Replica string `json:"replica"`
	OnDuty  bool   `json:"on_duty"`
}

func (h *healthHandlers) version(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	if h.Replica == nil {
		return wire.WriteJSON(w, http.StatusOK, h.Version)
	}
	return wire.WriteJSON(w, http.StatusOK, replicaVersion{h.Version, h.Replica.Name, h.Replica.Duty.OnDuty()})
}

func (h *healthHandlers) serveMetrics() handler {
	serve := promhttp.HandlerFor(h.Metrics, promhttp.HandlerOpts{})
	return func(w http.ResponseWriter, r *http.Request) error {
		if h.MetricsToken != "" {
			presented, err := convention.Bearer(r.Header["Authorization"])
			got, want := sha256.Sum256([]byte(presented)), sha256.Sum256([]byte(h.MetricsToken))
			if err != nil || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
				w.Header().Set("WWW-Authenticate", `Bearer realm="orchestrator metrics"`)
				return fault.New(fault.Unauthenticated, "metrics_token", "the metrics need their own token").
					WithFix("send the header Authorization: Bearer <token of --metrics-token-file>")
			}
		}
		serve.ServeHTTP(w, r)
		return nil
	}
}
