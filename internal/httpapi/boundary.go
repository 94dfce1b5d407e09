package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
)

func (h *boundaryHandlers) boundaryReport(w http.ResponseWriter, r *http.Request) error {
	values, err := query(r, "since")
	if err != nil {
		return err
	}
	var since time.Time
	if text := values.Get("since"); text != "" {
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return parameter("since", "%q is no time", clip(text)).WithFix("send it as in since=2026-01-31T12:00:00Z")
		}
	}
	report, err := h.Boundary.Report(r.Context(), since)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, report)
}

func (h *boundaryHandlers) boundaryReadiness(w http.ResponseWriter, r *http.Request) error {
	if _, err := query(r); err != nil {
		return err
	}
	readiness, err := h.Boundary.Readiness(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, readiness)
}

// decisionPage is a page of decisions.
type decisionPage struct {
	Total     int                `json:"total"`
	Decisions []report.Violation `json:"decisions"`
	Next      *string            `json:"next"`
}

func (h *boundaryHandlers) boundaryDecisions(w http.ResponseWriter, r *http.Request) error {
	values, err := query(r, "from", "limit", "violations")
	if err != nil {
		return err
	}
	from, err := numberParameter(values, "from", 0, 0, 1<<53)
	if err != nil {
		return err
	}
	limit, err := numberParameter(values, "limit", defaultPage, 1, largestPage)
	if err != nil {
		return err
	}
	violations, err := boolParameter(values, "violations")
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
		answer.Next = pathTo(r, values)
	}
	return writeJSON(w, http.StatusOK, answer)
}

// modeSwitched is the answer to a switch of the mode.
type modeSwitched struct {
	Mode boundary.Mode `json:"mode"`
	From boundary.Mode `json:"from"` // the same where there was nothing to switch, which is not recorded
}

func (h *boundaryHandlers) setBoundaryMode(w http.ResponseWriter, r *http.Request) error {
	var answer modeSwitched
	body, err := readUnqueried(w, r)
	if err == nil {
		answer, err = h.switchMode(r.Context(), actorOf(w), body)
	}
	if err != nil {
		return h.refused(w, r, body, err)
	}
	return writeJSON(w, http.StatusOK, answer)
}

// readUnqueried reads the body of a request that has no query.
func readUnqueried(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if _, err := query(r); err != nil {
		return nil, err
	}
	return readBody(w, r)
}

func (h *boundaryHandlers) switchMode(ctx context.Context, who actor, body []byte) (answer modeSwitched, err error) {
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
		return answer, misshapen(err, `send {"mode":"validate","reason":"why"}; override alone may be added`)
	}
	from, err := h.Boundary.SetMode(ctx, who.Name, change)
	return modeSwitched{change.Mode, from}, err
}

// misshapen refuses a body that is JSON of another shape.
func misshapen(err error, fix string) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	return fault.New(fault.Invalid, "schema_violation", "the body does not have the expected shape").
		WithFields(f.Fields...).
		WithFix("%s", fix)
}
