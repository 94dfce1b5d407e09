package httpapi

import (
	"context"
	"math"
	"net/http"

	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/reviewing"
	"orchestrator/internal/httpapi/turns"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements/review"
)

func (h *requirementHandlers) review(w http.ResponseWriter, r *http.Request) error {
	narrowed, err := h.narrowing(r)
	if err != nil {
		return err
	}
	show, err := reviewing.Negotiate(w, r)
	if err != nil {
		return err
	}
	mine := h.reviews.Of(wire.ActorOf(w))
	if err := turns.Take(r.Context(), mine); err != nil {
		return err
	}
	defer func() { <-mine }()
	answer, err := h.renderReview(r.Context(), narrowed, show)
	if err != nil {
		return err
	}
	return answer.Write(w)
}

// renderReview makes one review of the project at a time: each reads all documents and goes through all requirements.
func (h *requirementHandlers) renderReview(ctx context.Context, narrowed narrowing,
	show reviewing.Show) (reviewing.Answer, error) {
	if err := turns.Take(ctx, h.reviews.Making); err != nil {
		return reviewing.Answer{}, err
	}
	defer func() { <-h.reviews.Making }()
	project, err := h.Service.Review(ctx, h.Documents)
	if err != nil {
		return reviewing.Answer{}, err
	}
	if narrowed != nil {
		project, err = narrowed(project)
	}
	if err != nil {
		return reviewing.Answer{}, err
	}
	return show(reviewing.Project{Encoded: project})
}

// narrowing leaves those requirements of a review that were asked for, as they were to be sorted; nil leaves all.
type narrowing func(review.Encoded) (review.Encoded, error)

func (h *requirementHandlers) narrowing(r *http.Request) (narrowing, error) {
	values, err := wire.Query(r, filter.Narrowing...)
	if err != nil || len(values) == 0 {
		return nil, err
	}
	q, err := filter.Requirements(values)
	q.Limit = math.MaxInt
	return func(p review.Encoded) (review.Encoded, error) {
		page, err := h.Service.List(q)
		ids := make([]string, len(page.Requirements))
		for i, one := range page.Requirements {
			ids[i] = one.ID
		}
		return p.Narrowed(ids), err
	}, err
}

// dossier answers a request for the review of one requirement.
func (h *requirementHandlers) dossier(w http.ResponseWriter, r *http.Request) error {
	id, err := requirementID(r)
	if err != nil {
		return err
	}
	return reviewing.Dossier(h.Service.Reviews, id, w, r)
}
