// Package scheduling answers what is asked of schedules, and ends them.
package scheduling

import (
	"net/http"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/audit"
)

// Handlers answer requests about the schedules of one project.
type Handlers struct {
	Conductor *conductor.Conductor
	// Refused puts a refusal on record, and returns what to answer.
	Refused func(w http.ResponseWriter, r *http.Request, body []byte, err error) error
}

// page is a page of schedules.
type page struct {
	Schedules []state.Schedule `json:"schedules"`
	Next      *string          `json:"next"`
}

// List answers GET /schedules.
func (h *Handlers) List(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "active", "after", "limit")
	if err != nil {
		return err
	}
	active, err := wire.BoolParameter(values, "active")
	if err != nil {
		return err
	}
	limit, err := wire.NumberParameter(values, "limit", filter.DefaultPage, 1, filter.LargestPage)
	if err != nil {
		return err
	}
	list, next, err := h.Conductor.Schedules.List(r.Context(), caller(w), values.Get("after"), int(limit),
		active != nil && *active)
	if err != nil {
		return err
	}
	answer := page{Schedules: list}
	if next != "" {
		values.Set("after", next)
		answer.Next = wire.PathTo(w, r, values)
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}

// Show answers GET /schedules/{schedule}.
func (h *Handlers) Show(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	one, err := h.Conductor.Schedules.Get(r.Context(), caller(w), r.PathValue("schedule"))
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, one)
}

// End answers DELETE /schedules/{schedule}.
func (h *Handlers) End(w http.ResponseWriter, r *http.Request) error {
	_, err := wire.Query(r)
	var ended state.Schedule
	if err == nil {
		ended, err = h.Conductor.Schedules.End(r.Context(), caller(w), r.PathValue("schedule"))
	}
	if err != nil {
		return h.Refused(w, r, nil, err)
	}
	return wire.WriteJSON(w, http.StatusOK, ended)
}

func caller(w http.ResponseWriter) audit.Actor {
	who := wire.ActorOf(w)
	return audit.Actor{Name: who.Name, Role: string(who.Role)}
}
