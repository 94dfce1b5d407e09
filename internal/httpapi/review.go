package httpapi

import (
	"bytes"
	"context"
	"io"
	"math"
	"net/http"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/turns"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/render"
)

// document is a review: it can be shown in the media types that a client may ask for.
type document interface {
	JSON(io.Writer) error
	Markdown(io.Writer) error
}

func (h *requirementHandlers) review(w http.ResponseWriter, r *http.Request) error {
	narrowed, err := h.narrowing(r)
	if err != nil {
		return err
	}
	show, err := negotiate(w, r)
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
	return answer.write(w)
}

// renderReview makes one review of the project at a time: each reads all documents and goes through all requirements.
func (h *requirementHandlers) renderReview(ctx context.Context, narrowed narrowing, show func(document) (text, error)) (text, error) {
	if err := turns.Take(ctx, h.reviews.Making); err != nil {
		return text{}, err
	}
	defer func() { <-h.reviews.Making }()
	project, err := h.Service.Review(ctx, h.Documents)
	if err != nil {
		return text{}, err
	}
	if narrowed != nil {
		project, err = narrowed(project)
	}
	if err != nil {
		return text{}, err
	}
	return show(wholeReview{project})
}

// wholeReview is the review of the project.
type wholeReview struct{ review.Encoded }

// Markdown writes the review for people.
func (p wholeReview) Markdown(w io.Writer) error {
	return render.Project{Project: p.Project()}.Markdown(w)
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

func (h *requirementHandlers) dossier(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	id, err := requirementID(r)
	if err != nil {
		return err
	}
	show, err := negotiate(w, r)
	if err != nil {
		return err
	}
	dossier, err := h.Service.Dossier(r.Context(), id)
	if err != nil {
		return err
	}
	answer, err := show(render.Dossier{Dossier: dossier})
	if err != nil {
		return err
	}
	return answer.write(w)
}

var typeMarkdown = []string{"text/markdown; charset=utf-8"}

// negotiate returns how to answer with a review: in the media type that the client prefers (RFC 9110, section 12.5.1),
// and in JSON when it takes both alike. It is asked before the review is made, which takes time and puts on record what
// it finds.
func negotiate(w http.ResponseWriter, r *http.Request) (render func(document) (text, error), err error) {
	const asJSON, asMarkdown = "application/json", "text/markdown"
	chosen := wire.Choose(w, r, asJSON, asMarkdown)
	switch {
	case wire.Qualities(r)(chosen) == 0:
		return nil, fault.New(fault.NotAcceptable, "not_acceptable",
			"a review is given as application/json or text/markdown").
			WithFix("send Accept: application/json, Accept: text/markdown, or no Accept")
	case chosen == asMarkdown:
		return func(d document) (text, error) { return renderText(typeMarkdown, d.Markdown) }, nil
	}
	return func(d document) (text, error) {
		if whole, is := d.(wholeReview); is { // most of it is encoded
			return text{wire.TypeJSON, whole.JSON}, nil
		}
		return renderText(wire.TypeJSON, d.JSON)
	}, nil
}

// text is an answer that is ready to be sent.
type text struct {
	mediaType []string
	content   func(io.Writer) error
}

func renderText(mediaType []string, render func(io.Writer) error) (text, error) {
	var b bytes.Buffer
	err := render(&b)
	return text{mediaType, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	}}, err
}

func (t text) write(w http.ResponseWriter) error {
	return wire.WriteContent(w, t.mediaType, wire.NoCache, t.content)
}
