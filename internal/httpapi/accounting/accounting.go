// Package accounting answers what agents used.
package accounting

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/account"
	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/wire"
)

// page is a page of sums.
type page struct {
	account.Page
	Next *string `json:"next"`
}

// Handlers answer what the agents of one project used.
type Handlers struct {
	Conductor *conductor.Conductor
}

// Show answers GET /usage from the rows of the runs.
func (h *Handlers) Show(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "requirement", "actor", "since", "before", "limit")
	if err != nil {
		return err
	}
	q, err := queryOf(values)
	if err != nil {
		return err
	}
	sums, err := h.Conductor.Used.Page(r.Context(), q)
	if err != nil {
		return err
	}
	answer := page{Page: sums}
	if sums.Next > 0 {
		values.Set("before", strconv.FormatUint(sums.Next, 10))
		answer.Next = wire.PathTo(w, r, values)
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}

// queryOf reads which runs are asked for.
func queryOf(v url.Values) (q account.Query, err error) {
	q = account.Query{Requirement: v.Get("requirement"), Actor: v.Get("actor")}
	for _, name := range []string{"requirement", "actor", "since"} {
		if v.Has(name) && v.Get(name) == "" {
			return q, wire.Parameter(name, "it is empty").WithFix("leave it out, or give it a value")
		}
	}
	if q.Since, err = since(v.Get("since")); err != nil {
		return q, err
	}
	if q.Before, err = wire.NumberParameter(v, "before", 0, 1, 1<<53); err != nil {
		return q, err
	}
	limit, err := wire.NumberParameter(v, "limit", filter.DefaultPage, 1, filter.LargestPage)
	q.Limit = int(limit)
	return q, err
}

// since reads a time, or a day, which begins at midnight in UTC.
func since(text string) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err = time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return at, wire.Parameter("since", "%q is no time", wire.Clip(text)).
		WithFix("write a time as in RFC 3339, such as 2026-01-31T09:00:00Z, or a day; percent-encode a +")
}
