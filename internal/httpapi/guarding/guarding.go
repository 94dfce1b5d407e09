// Package guarding answers what is asked of the boundary, and makes the changes to it that the service offers.
package guarding

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
)

// Handlers answer requests about the boundary of one project.
type Handlers struct {
	Boundary *control.Boundary
	// Refused puts a refusal on record, and returns what to answer.
	Refused func(w http.ResponseWriter, r *http.Request, body []byte, err error) error
}

// Report answers GET /boundary/report.
func (h *Handlers) Report(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "since")
	if err != nil {
		return err
	}
	var since time.Time
	if text := values.Get("since"); text != "" {
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return wire.Parameter("since", "%q is no time", wire.Clip(text)).WithFix("send it as in since=2026-01-31T12:00:00Z")
		}
	}
	report, err := h.Boundary.Report(r.Context(), since)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, report)
}

// Readiness answers GET /boundary/readiness.
func (h *Handlers) Readiness(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	readiness, err := h.Boundary.Readiness(r.Context())
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, readiness)
}

// decisionPage is a page of decisions.
type decisionPage struct {
	Total     int                `json:"total"`
	Decisions []report.Violation `json:"decisions"`
	Next      *string            `json:"next"`
}

// Decisions answers GET /boundary/decisions.
func (h *Handlers) Decisions(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "from", "limit", "violations")
	if err != nil {
		return err
	}
	from, err := wire.NumberParameter(values, "from", 0, 0, 1<<53)
	if err != nil {
		return err
	}
	limit, err := wire.NumberParameter(values, "limit", filter.DefaultPage, 1, filter.LargestPage)
	if err != nil {
		return err
	}
	violations, err := wire.BoolParameter(values, "violations")
	if err != nil {
		return err
	}
	page, total, err := h.Boundary.Decisions(r.Context(), from, int(limit), violations != nil && *violations)
	if err != nil {
		return err
	}
	answer := decisionPage{Total: total, Decisions: page}
	if next := from + uint64(len(page)); len(page) > 0 && next < uint64(total) {
		values.Set("from", strconv.FormatUint(next, 10))
		answer.Next = wire.PathTo(w, r, values)
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}

// SetMode answers PUT /boundary/mode.
func (h *Handlers) SetMode(w http.ResponseWriter, r *http.Request) error {
	var answer control.ModeSwitched
	body, err := wire.ReadUnqueried(w, r)
	if err == nil {
		answer, err = h.switchMode(r.Context(), wire.ActorOf(w), body)
	}
	if err != nil {
		return h.Refused(w, r, body, err)
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}

func (h *Handlers) switchMode(ctx context.Context, who lifecycle.Actor,
	body []byte) (answer control.ModeSwitched, err error) {
	if err := onlyPM(who, body, "switching the mode of the boundary"); err != nil {
		return answer, err
	}
	var change control.ModeChange
	if err := strictjson.Fill(body, &change); err != nil {
		return answer, wire.Misshapen(err, `send {"mode":"validate","reason":"why"}; override alone may be added`)
	}
	return h.Boundary.SetMode(ctx, who.Name, change)
}

// onlyPM refuses a body that cannot be read, and then whoever is no pm.
func onlyPM(who lifecycle.Actor, body []byte, what string) error {
	if _, err := strictjson.Parse(body); err != nil {
		return err
	}
	if who.Role == lifecycle.PM {
		return nil
	}
	return fault.New(fault.Forbidden, "role_forbidden", "%s is for role pm, not for role %s", what, who.Role).
		WithFix("ask a pm to send it")
}

// Attest answers POST /boundary/attestations.
func (h *Handlers) Attest(w http.ResponseWriter, r *http.Request) error {
	var answer boundary.Attestation
	body, err := wire.ReadUnqueried(w, r)
	if err == nil {
		answer, err = h.attest(r.Context(), wire.ActorOf(w), body)
	}
	if err != nil {
		return h.Refused(w, r, body, err)
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}

func (h *Handlers) attest(ctx context.Context, who lifecycle.Actor, body []byte) (answer boundary.Attestation,
	err error) {
	if err := onlyPM(who, body, "attesting what the boundary needs"); err != nil {
		return answer, err
	}
	var a control.Attesting
	if err := strictjson.Fill(body, &a); err != nil {
		return answer, wire.Misshapen(err, `send {"item":"team","note":"what was done"}; "revoke":true takes it back`)
	}
	return h.Boundary.Attest(ctx, who.Name, a)
}
