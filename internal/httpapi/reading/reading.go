// Package reading answers what is asked about requirements: one, a list, and what comes next.
package reading

import (
	"math"
	"net/http"

	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/shape"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// The members that the parameter fields can name.
var (
	ofRequirement = append(shape.Names[lifecycle.Requirement](), "proposed")
	ofView        = shape.Names[guidance.View]()
	ofSummary     = shape.Names[projection.Summary]()
	ofAgenda      = shape.Names[agendaPage]()
)

// Requirement shows a requirement.
func Requirement(from *requirements.Reader, id string, w http.ResponseWriter, r *http.Request) error {
	if r.URL.RawQuery != "" {
		return part(from, id, w, r)
	}
	doc, err := from.Requirement(id)
	if err != nil {
		return err
	}
	if wire.NotModified(w, r, doc.ETag) {
		return nil
	}
	return wire.WriteBytes(w, http.StatusOK, doc.Bytes)
}

// part shows some members of a requirement, or what was added to its lists since a revision.
func part(from *requirements.Reader, id string, w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "fields", "since", "wait")
	if err != nil {
		return err
	}
	since, err := wire.NumberParameter(values, "since", 0, 0, math.MaxUint64)
	if err != nil {
		return err
	}
	o, err := shape.WantedOf(nil, values, ofRequirement)
	if err != nil {
		return err
	}
	doc, err := from.Since(id, since)
	if err != nil {
		return err
	}
	if wire.NotModified(w, r, doc.ETag) {
		return nil
	}
	body, err := o.Cut(doc.Bytes)
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, http.StatusOK, body)
}

// listPage is one page, with the path of the next.
type listPage struct {
	lookup.List
	Requirements any     `json:"requirements"` // in the place of those of List
	Next         *string `json:"next"`
}

// List shows a page of requirements.
func List(from *requirements.Reader, w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, append([]string{"after", "limit", "since", "fields"}, filter.Narrowing...)...)
	if err != nil {
		return err
	}
	limit, err := wire.NumberParameter(values, "limit", filter.DefaultPage, 1, filter.LargestPage)
	if err != nil {
		return err
	}
	q, err := filter.Requirements(values)
	if err != nil {
		return err
	}
	if q.Since, err = wire.NumberParameter(values, "since", 0, 0, math.MaxUint64); err != nil {
		return err
	}
	o, err := shape.WantedOf(nil, values, ofSummary)
	if err != nil {
		return err
	}
	q.After, q.Limit, q.Holder = values.Get("after"), int(limit), wire.CallOf(w).Holder
	page, err := from.List(q)
	if err != nil {
		return err
	}
	answer := listPage{List: page, Requirements: page.Requirements}
	if page.After != "" {
		values.Set("after", page.After)
		answer.Next = wire.PathTo(w, r, values)
	}
	if o.Fields != nil {
		if answer.Requirements, err = o.CutAll(len(page.Requirements), func(i int) any { return page.Requirements[i] }); err != nil {
			return err
		}
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}

// Next shows what the caller may do with a requirement.
func Next(from *requirements.Reader, id string, w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "fields", "wait")
	if err != nil {
		return err
	}
	o, err := shape.WantedOf(nil, values, ofView)
	if err != nil {
		return err
	}
	view, err := from.Next(id, wire.ActorOf(w), wire.CallOf(w).Holder)
	if err != nil {
		return err
	}
	return write(w, o, view)
}

// How many requirements an agenda lists of those that wait for the caller.
const (
	fewNext  = 10
	mostNext = 100
)

// agendaPage is an agenda with the path of the next page.
type agendaPage struct {
	agenda.Agenda
	Next *string `json:"next"`
}

// Agenda shows what the caller has to do first, over all requirements.
func Agenda(from *requirements.Reader, w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "after", "limit", "since", "fields", "wait")
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
	o, err := shape.WantedOf(nil, values, ofAgenda)
	if err != nil {
		return err
	}
	all, err := from.Agenda(wire.ActorOf(w), agenda.Query{After: values.Get("after"), Limit: int(limit), Since: since,
		Holder: wire.CallOf(w).Holder})
	if err != nil {
		return err
	}
	answer := agendaPage{Agenda: all}
	if all.After != "" {
		values.Del("wait") // the next page is there already
		values.Set("after", all.After)
		answer.Next = wire.PathTo(w, r, values)
	}
	return write(w, o, answer)
}

// Renames shows which requirements seem to have got other ids.
func Renames(from *requirements.Reader, w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, from.ProposedRenames())
}

// write answers with the members of an object that were asked for.
func write(w http.ResponseWriter, o shape.Wanted, v any) error {
	if o.Fields == nil {
		return wire.WriteJSON(w, http.StatusOK, v)
	}
	body, err := o.CutValue(v)
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, http.StatusOK, append(body, '\n'))
}
