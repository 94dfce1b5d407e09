package httpapi

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/shape"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// The members that the parameter fields can name.
var (
	requirementMembers = shape.Names[lifecycle.Requirement]()
	changeMembers      = slices.Concat(requirementMembers, shape.Names[guidance.Outcome]())
	viewMembers        = shape.Names[guidance.View]()
	summaryMembers     = shape.Names[projection.Summary]()
)

// minimalMembers are what is left of a requirement where a client prefers to read little.
var minimalMembers = []string{"id", "status", "revision"}

// wanted is what a client wants to read of an answer.
type wanted struct {
	prefer string
	fields []string // nil is all
}

// wantedOf reads what a client wants of an answer with these members.
func wantedOf(r *http.Request, values url.Values, known []string) (o wanted, err error) {
	o.prefer = shape.Preference(r.Header.Values("Prefer"))
	if values.Has("fields") {
		o.fields, err = shape.Fields(values.Get("fields"), known)
	}
	return o, err
}

// applied says which preference was applied (RFC 7240, section 3).
func (o wanted) applied(w http.ResponseWriter) {
	if o.prefer != "" {
		w.Header().Set("Preference-Applied", o.prefer)
	}
}

// cut returns an object with the members that were asked for.
func (o wanted) cut(object []byte) ([]byte, error) {
	if o.fields == nil {
		return object, nil
	}
	return shape.Only(object, o.fields...)
}

// requirement returns as much of a requirement as is wanted in the answer to a change: without its history, unless that
// was asked for.
func (o wanted) requirement(stored []byte) ([]byte, error) {
	switch {
	case o.prefer == shape.Minimal && o.fields == nil:
		return shape.Only(stored, minimalMembers...)
	case o.prefer == shape.Whole || slices.Contains(o.fields, "history"):
		return stored, nil
	}
	return shape.Without(stored, "history")
}

// writeChange answers a change. An answer that was first given before answers said what comes next is given again as it
// was.
func writeChange(w http.ResponseWriter, o wanted, answer requirements.Answer) error {
	if answer.Outcome == nil {
		return wire.WriteBytes(w, http.StatusOK, answer.Requirement)
	}
	body, err := o.requirement(answer.Requirement)
	if err == nil {
		body, err = shape.With(body, *answer.Outcome)
	}
	if err == nil {
		body, err = o.cut(body)
	}
	if err != nil {
		return err
	}
	o.applied(w)
	return wire.WriteBytes(w, http.StatusOK, append(body, '\n'))
}

// writeAttached answers a report. What comes next stands beside the requirement.
func writeAttached(w http.ResponseWriter, o wanted, answer requirements.Attachment) error {
	body := attached{
		answer.Requirement, answer.Report, answer.Format, answer.Counts, answer.Covers, answer.Cited,
		append([]string{}, answer.Named...), answer.Commit, answer.Tip, answer.Branch, answer.Against, nil,
	}
	if answer.Outcome != nil {
		stored, err := o.requirement(answer.Requirement)
		if err != nil {
			return err
		}
		body.Requirement, body.Outcome = jsontext.Value(stored), answer.Outcome
		o.applied(w)
	}
	return wire.WriteJSON(w, http.StatusOK, body)
}

// cutAll cuts each requirement of a list.
func (o wanted) cutAll(all []projection.Summary) ([]jsontext.Value, error) {
	cut := make([]jsontext.Value, len(all))
	for i, s := range all {
		whole, err := shape.With([]byte("{}"), s)
		if err == nil {
			cut[i], err = o.cut(whole)
		}
		if err != nil {
			return nil, err
		}
	}
	return cut, nil
}

// writeFields answers with the members of an object that were asked for.
func writeFields(w http.ResponseWriter, o wanted, v any) error {
	if o.fields == nil {
		return wire.WriteJSON(w, http.StatusOK, v)
	}
	whole, err := shape.With([]byte("{}"), v)
	if err == nil {
		whole, err = o.cut(whole)
	}
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, http.StatusOK, append(whole, '\n'))
}
