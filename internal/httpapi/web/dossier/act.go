package dossier

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// change is the body of a request to change a requirement.
type change struct {
	Status        string                   `json:"status,omitempty"`
	Approvals     []approval               `json:"approvals,omitempty"`
	Notes         []note                   `json:"pm_notes,omitempty"`
	Deviations    []resolved               `json:"deviations,omitempty"`
	Accept        string                   `json:"accept_fingerprint,omitempty"`
	Justification *lifecycle.Justification `json:"justification,omitempty"`
}

type approval struct {
	Decision string `json:"decision"`
	Text     string `json:"text,omitempty"`
}

type note struct {
	Text string `json:"text"`
}

type resolved struct {
	ID         string     `json:"id"`
	Resolution resolution `json:"resolution"`
}

type resolution struct {
	Outcome string `json:"outcome"`
	Text    string `json:"text"`
}

// act sends what a form asks for as the change that a program would send, with the revision that the form covered and
// the key that carries it out once.
//
// Implements: ORC-332
func act(v *page.Visit) (page.Outcome, error) {
	var d review.Dossier // without what is cited, which nobody sees here
	if err := v.API.Get(pathTo(v.ID, "review"), nil, &d); err != nil {
		return page.Outcome{}, err
	}
	body, said, err := changeOf(v, d)
	if err != nil {
		return page.Outcome{}, err
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return page.Outcome{}, err
	}
	call := ask.Call{Method: http.MethodPatch, Path: "/requirements/" + url.PathEscape(v.ID), Body: encoded,
		Header: http.Header{"Prefer": {"return=minimal"}}}
	if revision := v.Form.Get("revision"); revision != "" {
		call.Header["If-Match"] = []string{revision}
	}
	tried := v.Form.Get("try") != ""
	if tried {
		call.Query = url.Values{"dry_run": {"true"}}
	} else if key := v.Form.Get("key"); key != "" {
		call.Header["Idempotency-Key"] = []string{keyOf(key, encoded)}
	}
	got := v.API.Send(call)
	if err := got.Refused(); err != nil {
		return page.Outcome{}, plainly(err, body)
	}
	if tried {
		return page.Outcome{Tried: true, Said: "It would be accepted. Nothing was changed."}, nil
	}
	return page.Outcome{Said: page.Recorded(said, got)}, nil
}

// plainly says to who ticked nothing what to do about it: the API says how a program would.
func plainly(err error, sent change) error {
	refused, is := errors.AsType[*ask.Refusal](err)
	if is && refused.Status == http.StatusUnprocessableEntity && sent.Justification != nil &&
		len(sent.Justification.Evidence) == 0 {
		refused.Fix = "tick at least one piece of evidence under What you rest on, and send it again"
	}
	return err
}

// keyOf returns the key of a change. The forms of a page have one key, and may be sent again with another text: what
// differs is another change, which the revision guards.
func keyOf(key string, body []byte) string {
	sum := sha256.Sum256(body)
	return key + "-" + hex.EncodeToString(sum[:8])
}

// changeOf returns the change that a form asks for, and what is said when it was made.
func changeOf(v *page.Visit, d review.Dossier) (c change, said string, err error) {
	id, text := d.Definition.ID, strings.TrimSpace(v.Form.Get("text"))
	switch v.Form.Get("act") {
	case "note":
		return change{Notes: []note{{text}}}, "Your note on " + id + " was written.", nil
	case "accept":
		return change{Accept: v.Form.Get("fingerprint")}, "You accepted the text of " + id + ".", nil
	case "resolve":
		deviation := v.Form.Get("to")
		return change{Deviations: []resolved{{deviation, resolution{v.Form.Get("outcome"), text}}}},
			"You closed deviation " + deviation + " of " + id + ".", nil
	case "approve":
		c.Approvals = []approval{{lifecycle.Approved, text}}
		c.Status, said = string(lifecycle.Done), "You approved "+id+". It is done."
	case "move":
		c.Status, said = v.Form.Get("to"), "You moved "+id+" to "+words.Status(v.Form.Get("to"))+"."
	default:
		return c, "", page.UnknownForm()
	}
	rests, err := restsOf(d, v.Form)
	c.Justification = &lifecycle.Justification{Reason: text, Evidence: rests}
	return c, said, err
}

// restsOf returns the evidence that was ticked. What does not hold any more as it did when it was ticked is refused:
// nobody rests a decision on what they have not looked at. A form of another revision is left to the API.
func restsOf(d review.Dossier, form url.Values) ([]lifecycle.Evidence, error) {
	all, ticked := []lifecycle.Evidence{}, form["rests"]
	same := form.Get("revision") == guidance.IfMatch(d.Revision)
	for _, c := range choicesOf(d, nil, "") {
		switch {
		case c.isAmong(ticked):
		case !slices.ContainsFunc(ticked, c.isNamed):
			continue
		case same:
			return nil, page.Meanwhile(c.Name + " changed after the page was made: " + c.Verdict)
		}
		all = append(all, current(c.Evidence, c.Recheck))
	}
	return all, nil
}

// current returns evidence as it is to be cited now: what moved stands elsewhere, and other lines stand in its place.
func current(e lifecycle.Evidence, r review.Rechecked) lifecycle.Evidence {
	e.Found = nil
	if r.Verdict != review.Moved || r.Detail == "" {
		return e
	}
	path, lines := r.Detail, ""
	if at := strings.LastIndexByte(path, ':'); at >= 0 && e.Lines != "" {
		path, lines = path[:at], path[at+1:]
	}
	e.Path, e.Lines = path, lines
	return e
}
