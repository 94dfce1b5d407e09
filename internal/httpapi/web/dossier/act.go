package dossier

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

// change is the body of a request to change a requirement.
type change struct {
	Status        string                   `json:"status,omitempty"`
	Approvals     []approval               `json:"approvals,omitempty"`
	Notes         []note                   `json:"pm_notes,omitempty"`
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

// act sends what a form asks for as the change that a program would send, with the revision that the form covered and
// the key that carries it out once.
//
// Implements: ORC-332
func act(v *page.Visit) (page.Outcome, error) {
	a, err := read(v)
	if err != nil {
		return page.Outcome{}, err
	}
	body, said, err := changeOf(v, a)
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
		call.Header["Idempotency-Key"] = []string{key}
	}
	got := v.API.Send(call)
	if err := got.Refused(); err != nil {
		return page.Outcome{}, err
	}
	if tried {
		return page.Outcome{Tried: true, Said: "It would be accepted. Nothing was changed."}, nil
	}
	return page.Outcome{Said: page.Recorded(said, got.Header.Get("Audit-Receipt"))}, nil
}

// changeOf returns the change that a form asks for, and what is said when it was made.
func changeOf(v *page.Visit, a asked) (c change, said string, err error) {
	id, text := a.Definition.ID, strings.TrimSpace(v.Form.Get("text"))
	switch v.Form.Get("act") {
	case "note":
		return change{Notes: []note{{text}}}, "Your note on " + id + " was written.", nil
	case "accept":
		return change{Accept: v.Form.Get("fingerprint")}, "You accepted the text of " + id + ".", nil
	case "approve":
		c.Approvals = []approval{{lifecycle.Approved, text}}
		c.Status, said = string(lifecycle.Done), "You approved "+id+". It is done."
	case "move":
		c.Status, said = v.Form.Get("to"), "You moved "+id+" to "+words.Status(v.Form.Get("to"))+"."
	default:
		return c, "", page.UnknownForm()
	}
	c.Justification = &lifecycle.Justification{Reason: text, Evidence: rests(a, v.Form["rests"])}
	return c, said, nil
}

// rests returns the evidence that was ticked.
func rests(a asked, ticked []string) []lifecycle.Evidence {
	all := []lifecycle.Evidence{}
	if slices.Contains(ticked, ownPointer) {
		all = append(all, ownText(a.Definition))
	}
	for _, p := range a.Parts {
		for _, e := range p.Evidence {
			if slices.Contains(ticked, e.Recheck.Pointer) {
				cited := e.Evidence
				cited.Found = nil
				all = append(all, cited)
			}
		}
	}
	return all
}
