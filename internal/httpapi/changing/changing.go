// Package changing answers changes: with the requirement, as much of it as is wanted, and with what comes next.
package changing

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/shape"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
)

// unchanged marks the answer to a change that was made already.
type unchanged struct {
	Unchanged bool `json:"unchanged"`
}

var members = slices.Concat(shape.Names[lifecycle.Requirement](), shape.Names[guidance.Outcome](), shape.Names[unchanged]())

// Wanted reads what a client wants of the answer to a change.
func Wanted(r *http.Request, values url.Values) (shape.Wanted, error) {
	return shape.WantedOf(r.Header.Values("Prefer"), values, members)
}

// Write answers a change. An answer that was first given before answers said what comes next is given again as it was.
func Write(w http.ResponseWriter, o shape.Wanted, answer requirements.Answer) error {
	if answer.Outcome == nil {
		return wire.WriteBytes(w, http.StatusOK, answer.Requirement)
	}
	others := []any{*answer.Outcome}
	if answer.Unchanged {
		others = append(others, unchanged{true})
	}
	body, err := o.Requirement(answer.Requirement, others...)
	if err == nil {
		body, err = o.Cut(body)
	}
	if err != nil {
		return err
	}
	applied(w, o)
	return wire.WriteBytes(w, http.StatusOK, append(body, '\n'))
}

// applied says which preference was applied (RFC 7240, section 3).
func applied(w http.ResponseWriter, o shape.Wanted) {
	if o.Prefer != "" {
		w.Header().Set("Preference-Applied", o.Prefer)
	}
}

// attached answers a report that was attached: the requirement, what the report holds, and what comes next.
type attached struct {
	Requirement jsontext.Value     `json:"requirement"`
	Report      string             `json:"report"` // how evidence names it
	Format      string             `json:"format"`
	Counts      lifecycle.Results  `json:"counts"`
	Covers      bool               `json:"covers"`            // a cited test names this requirement
	Cited       int                `json:"cited"`             // tests that became evidence
	Named       []string           `json:"named"`             // requirements that test names name
	Commit      string             `json:"commit,omitempty"`  // that the report counts for
	Tip         bool               `json:"tip,omitzero"`      // nobody named Commit
	Branch      string             `json:"branch,omitempty"`  // that Commit must be in
	Against     *lifecycle.Against `json:"against,omitempty"` // why the report does not count now
	*guidance.Outcome
}

// WriteAttached answers a report that was attached.
func WriteAttached(w http.ResponseWriter, r *http.Request, answer requirements.Attachment) error {
	o, err := Wanted(r, nil)
	if err != nil {
		return err
	}
	body := attached{
		answer.Requirement, answer.Report, answer.Format, answer.Counts, answer.Covers, answer.Cited,
		append([]string{}, answer.Named...), answer.Commit, answer.Tip, answer.Branch, answer.Against, answer.Outcome,
	}
	if answer.Outcome != nil {
		stored, err := o.Requirement(answer.Answer.Requirement)
		if err != nil {
			return err
		}
		body.Requirement = jsontext.Value(stored)
		applied(w, o)
	}
	return wire.WriteJSON(w, http.StatusOK, body)
}

// imported answers an import: what it did, and what there is to do now.
type imported struct {
	drift.Report
	*Ahead
}

// Ahead is what there is to do first, and how much waits for whom.
type Ahead struct {
	Next       *agenda.First    `json:"next"`
	WaitingFor []agenda.Waiting `json:"waiting_for"`
}

// WriteImported answers an import; after one that was made, with what there is to do.
func WriteImported(w http.ResponseWriter, from *requirements.Reader, report drift.Report) error {
	answer := imported{Report: report}
	if !report.DryRun {
		all, err := from.Agenda(wire.ActorOf(w), agenda.Query{Limit: 1, Holder: wire.CallOf(w).Holder})
		if err != nil {
			return err
		}
		answer.Ahead = &Ahead{all.First, all.Waiting}
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}
