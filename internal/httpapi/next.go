package httpapi

import (
	"math"
	"net/http"

	"orchestrator/internal/httpapi/shape"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
)

// How many requirements GET /next lists of those that wait for the caller.
const (
	fewNext  = 10
	mostNext = 100
)

var agendaMembers = shape.Names[agendaPage]()

// agendaPage is an agenda with the path of the next page.
type agendaPage struct {
	agenda.Agenda
	Next *string `json:"next"`
}

// imported answers an import: what it did, and what there is to do now.
type imported struct {
	drift.Report
	*Ahead
}

// Ahead is what there is to do first, and how much waits for whom.
type Ahead struct {
	First   *agenda.First    `json:"first"`
	Waiting []agenda.Waiting `json:"waiting"`
}

func (h *requirementHandlers) ahead(who lifecycle.Actor) (*Ahead, error) {
	all, err := h.Service.Agenda(who, agenda.Query{Limit: 1})
	return &Ahead{all.First, all.Waiting}, err
}

// next shows what the caller may do with a requirement.
func (h *requirementHandlers) next(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "fields")
	if err != nil {
		return err
	}
	id, err := requirementID(r)
	if err != nil {
		return err
	}
	o, err := wantedOf(r, values, viewMembers)
	if err != nil {
		return err
	}
	var view guidance.View
	if view, err = h.Service.Next(id, wire.ActorOf(w)); err != nil {
		return err
	}
	return writeFields(w, o, view)
}

// agenda shows what the caller has to do first, over all requirements.
func (h *requirementHandlers) agenda(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "after", "limit", "since", "fields")
	if err != nil {
		return err
	}
	limit, err := wire.NumberParameter(values, "limit", fewNext, 1, mostNext)
	if err != nil {
		return err
	}
	since, err := wire.NumberParameter(values, "since", 0, 0, math.MaxUint64)
	if err != nil {
		return err
	}
	o, err := wantedOf(r, values, agendaMembers)
	if err != nil {
		return err
	}
	all, err := h.Service.Agenda(wire.ActorOf(w), agenda.Query{After: values.Get("after"), Limit: int(limit), Since: since})
	if err != nil {
		return err
	}
	answer := agendaPage{Agenda: all}
	if all.After != "" {
		values.Set("after", all.After)
		answer.Next = wire.PathTo(w, r, values)
	}
	return writeFields(w, o, answer)
}
