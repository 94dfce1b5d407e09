package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
)

func (h *boundaryHandlers) boundaryReport(w http.ResponseWriter, r *http.Request) error {
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

func (h *boundaryHandlers) boundaryReadiness(w http.ResponseWriter, r *http.Request) error {
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

func (h *boundaryHandlers) boundaryDecisions(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "from", "limit", "violations")
	if err != nil {
		return err
	}
	from, err := wire.NumberParameter(values, "from", 0, 0, 1<<53)
	if err != nil {
		return err
	}
	limit, err := wire.NumberParameter(values, "limit", defaultPage, 1, largestPage)
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

func (h *boundaryHandlers) setBoundaryMode(w http.ResponseWriter, r *http.Request) error {
	var answer control.ModeSwitched
	body, err := wire.ReadUnqueried(w, r)
	if err == nil {
		answer, err = h.switchMode(r.Context(), wire.ActorOf(w), body)
	}
	if err != nil {
		return h.refused(w, r, body, err)
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}

func (h *boundaryHandlers) switchMode(ctx context.Context, who lifecycle.Actor,
	body []byte) (answer control.ModeSwitched, err error) {
	if _, err := strictjson.Parse(body); err != nil {
		return answer, err
	}
	if who.Role != lifecycle.PM {
		return answer, fault.New(fault.Forbidden, "role_forbidden",
			"switching the mode of the boundary is for role pm, not for role %s", who.Role).
			WithFix("ask a pm to send it")
	}
	var change control.ModeChange
	if err := strictjson.Fill(body, &change); err != nil {
		return answer, wire.Misshapen(err, `send {"mode":"validate","reason":"why"}; override alone may be added`)
	}
	return h.Boundary.SetMode(ctx, who.Name, change)
}
