package dossier

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// forms are what whoever looks may do with the requirement now.
type forms struct {
	Revision string // that they cover, as If-Match names it
	Key      string // that the service carries one of them out once
	Sign     *form  // the sign-off
	Before   string // why it cannot be signed now, and who must act; "" where it can or nobody asks
	Others   []form
	Rest     string // who must act, where nothing can be done here
}

// form is one decision.
type form struct {
	Act, To  string
	Title    string // of its disclosure
	Button   string
	Warning  string // what cannot be undone
	Label    string // of its text
	Choices  []choice
	Outcomes []outcome // of a deviation
	Open     bool
	Filled   string // its text, as it was typed
	NeedText bool
}

// outcome is how a deviation can end.
type outcome struct {
	Value, Text string
	Chosen      bool
}

// outcomes are all, as lifecycle.Resolution has them.
var outcomes = []outcome{
	{"accepted", "accepted: it may stay as it is", false}, {"fixed", "fixed: it is gone", false},
	{"rejected", "rejected: it is none", false},
}

// choice is a piece of evidence that a decision can rest on.
type choice struct {
	Pointer string
	piece
	Ticked bool
}

// Value returns what a form sends of the choice: which piece it is, and what it looked like.
func (c choice) Value() string {
	return strings.TrimSpace(c.Pointer + " " + c.Recheck.Verdict + " " + c.Recheck.Detail)
}

// isNamed reports whether a Value is of this choice, whatever it looked like.
func (c choice) isNamed(value string) bool {
	pointer, _, _ := strings.Cut(value, " ")
	return pointer == c.Pointer
}

// isAmong reports whether the choice was ticked, and is what it was: what holds has the same content, moved or not.
func (c choice) isAmong(ticked []string) bool {
	if c.Recheck.Verdict != review.Stale {
		return slices.ContainsFunc(ticked, c.isNamed)
	}
	return slices.Contains(ticked, c.Value())
}

func formsOf(v *page.Visit, a asked) forms {
	f := forms{Revision: guidance.IfMatch(a.Revision), Key: page.NewKey()}
	if v.Refused != nil && v.Refused.Unknown() { // the same form again is carried out once
		f.Revision, f.Key = v.Form.Get("revision"), v.Form.Get("key")
	}
	choices := choicesOf(a.Dossier, v.Form, f.Revision)
	for _, m := range a.next.Moves {
		if m.To == lifecycle.Done {
			f.sign(a, m, choices)
		} else {
			f.Others = append(f.Others, moveForm(a, m, choices))
		}
	}
	for _, field := range a.next.Fields {
		switch field.Field {
		case lifecycle.FieldPMNotes:
			f.Others = append(f.Others, form{Act: "note", Title: "Write a note", Button: "Write the note",
				Label: "Note", NeedText: true})
		case lifecycle.FieldDeviations:
			f.Others = slices.Insert(f.Others, 0, resolving(v, a.Deviations)...)
		case lifecycle.FieldAcceptFingerprint:
			accept := form{Act: "accept", Title: "Accept the changed text", Button: "Accept the text as it is now"}
			f.Others = slices.Insert(f.Others, 0, accept)
		}
	}
	f.fill(v)
	mine := slices.Contains(a.next.WaitingFor, lifecycle.Party(v.Who.Role))
	if f.Before == "" && len(a.next.WaitingFor) > 0 && !mine {
		f.Rest = "Waits for " + whom(a.next.WaitingFor) + "."
	}
	return f
}

// sign sets the sign-off, or why there is none: the approval comes with it, and all else must be there before.
func (f *forms) sign(a asked, m guidance.Move, choices []choice) {
	for _, l := range m.Lacks {
		if l.Gate != lifecycle.GateApproval {
			f.Before = a.Definition.ID + " cannot be signed yet: " + words.Plain(l.Detail) + ". " +
				words.Upper(words.By(string(l.By))) + " must act."
			return
		}
	}
	f.Sign = &form{Act: "approve", To: string(lifecycle.Done), Label: "Why it is done", Choices: choices,
		Button: "Approve " + a.Definition.ID + " and mark it done", NeedText: true}
}

// titles are what the moves are called that are no step on the way.
var titles = map[lifecycle.Status]string{
	lifecycle.NeedsChanges: "Send it back", lifecycle.Blocked: "Block it", lifecycle.Deferred: "Defer it",
}

func moveForm(a asked, m guidance.Move, choices []choice) form {
	to := words.Status(string(m.To))
	f := form{Act: "move", To: string(m.To), Title: titles[m.To], Button: "Move " + a.Definition.ID + " to " + to,
		Label: "Why", Choices: choices, NeedText: true}
	if f.Title == "" {
		f.Title = "Move it to " + to
	}
	if !m.LeadsToDone && m.Why != "" {
		f.Warning = words.Upper(words.Plain(m.Why)) + "."
	}
	for _, l := range m.Lacks {
		f.Warning = strings.TrimSpace(f.Warning + " It lacks: " + l.Detail + ", by " + words.By(string(l.By)) + ".")
	}
	return f
}

// resolving returns the forms that close what is open of the deviations.
func resolving(v *page.Visit, deviations []lifecycle.Deviation) (all []form) {
	for _, d := range deviations {
		if d.Resolution != nil {
			continue
		}
		f := form{Act: "resolve", To: d.ID, Title: "Close deviation " + d.ID, Button: "Close deviation " + d.ID,
			Label: "Why", NeedText: true, Outcomes: slices.Clone(outcomes)}
		for i := range f.Outcomes {
			f.Outcomes[i].Chosen = v.Form.Get("to") == d.ID && v.Form.Get("outcome") == f.Outcomes[i].Value
		}
		all = append(all, f)
	}
	return all
}

// fill puts back what was typed into the form that was sent.
func (f *forms) fill(v *page.Visit) {
	all := make([]*form, 0, len(f.Others)+1)
	for i := range f.Others {
		all = append(all, &f.Others[i])
	}
	if f.Sign != nil {
		all = append(all, f.Sign)
	}
	for _, one := range all {
		if v.Form.Get("act") == one.Act && v.Form.Get("to") == one.To {
			one.Open, one.Filled = true, v.Form.Get("text")
		}
	}
}

// choicesOf returns what a decision can rest on: evidence that is known not to hold is not ticked, and what was
// ticked before stays so where it looks as it did then.
func choicesOf(d review.Dossier, typed url.Values, revision string) []choice {
	var all []choice
	for _, p := range d.Parts {
		for _, one := range piecesOf(p.Evidence) {
			all = append(all, choice{one.Recheck.Pointer, one, one.Recheck.Verdict != review.Stale})
		}
	}
	if len(all) == 0 {
		e := ownText(d.Definition)
		own := piece{Cited: review.Cited{Evidence: e}, Mark: "m-unverified", Name: nameOf(e),
			Verdict: "the requirement itself"}
		all = append(all, choice{ownPointer, own, true})
	}
	if typed["rests"] != nil && typed.Get("revision") == revision { // whose pieces it names
		for i := range all {
			all[i].Ticked = all[i].isAmong(typed["rests"])
		}
	}
	return all
}

// ownPointer stands for the place of the requirement in its document.
const ownPointer = "/definition"

func ownText(d lifecycle.Definition) lifecycle.Evidence {
	return lifecycle.Evidence{Kind: "file", Path: d.Source.Path,
		Lines: strconv.Itoa(d.Source.Line) + "-" + strconv.Itoa(d.Source.EndLine)}
}

func whom(parties []lifecycle.Party) string {
	names := make([]string, len(parties))
	for i, p := range parties {
		names[i] = words.By(string(p))
	}
	return words.And(names...)
}
