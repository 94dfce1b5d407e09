// Package reviewing answers with reviews, in the media type that a client prefers.
package reviewing

import (
	"bytes"
	"io"
	"net/http"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/render"
)

// Dossier shows the review of one requirement.
func Dossier(from *requirements.Reviews, id string, w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "cited")
	if err != nil {
		return err
	}
	cited, err := wire.BoolParameter(values, "cited")
	if err != nil {
		return err
	}
	show, err := Negotiate(w, r)
	if err != nil {
		return err
	}
	dossier, err := from.Dossier(r.Context(), id, cited != nil && *cited)
	if err != nil {
		return err
	}
	answer, err := show(render.Dossier{Dossier: dossier})
	if err != nil {
		return err
	}
	return answer.Write(w)
}

// Document is a review: it can be shown in the media types that a client may ask for.
type Document interface {
	JSON(io.Writer) error
	Markdown(io.Writer) error
}

// Project is the review of the project.
type Project struct{ review.Encoded }

// Markdown writes the review for people.
func (p Project) Markdown(w io.Writer) error {
	return render.Project{Project: p.Project()}.Markdown(w)
}

// Show makes an answer of a review.
type Show func(Document) (Answer, error)

var typeMarkdown = []string{"text/markdown; charset=utf-8"}

// Negotiate returns how to answer with a review: in the media type that the client prefers (RFC 9110, section 12.5.1),
// and in JSON when it takes both alike. It is asked before the review is made, which takes time and puts on record what
// it finds.
func Negotiate(w http.ResponseWriter, r *http.Request) (Show, error) {
	const asJSON, asMarkdown = "application/json", "text/markdown"
	chosen := wire.Choose(w, r, asJSON, asMarkdown)
	switch {
	case wire.Qualities(r)(chosen) == 0:
		return nil, fault.New(fault.NotAcceptable, "not_acceptable",
			"a review is given as application/json or text/markdown").
			WithFix("send Accept: application/json, Accept: text/markdown, or no Accept")
	case chosen == asMarkdown:
		return func(d Document) (Answer, error) { return rendered(typeMarkdown, d.Markdown) }, nil
	}
	return func(d Document) (Answer, error) {
		if whole, is := d.(Project); is { // most of it is encoded
			return Answer{wire.TypeJSON, whole.JSON}, nil
		}
		return rendered(wire.TypeJSON, d.JSON)
	}, nil
}

// Answer is an answer that is ready to be sent.
type Answer struct {
	mediaType []string
	content   func(io.Writer) error
}

func rendered(mediaType []string, render func(io.Writer) error) (Answer, error) {
	var b bytes.Buffer
	err := render(&b)
	return Answer{mediaType, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	}}, err
}

// Write sends the answer.
func (a Answer) Write(w http.ResponseWriter) error {
	return wire.WriteContent(w, a.mediaType, wire.NoCache, a.content)
}
