// Package model is a language model that follows a script: a server on loopback which speaks the protocols of the
// providers that agent clients know. Whatever a client sends, the next answer is the next step of a script: a call of
// one of the tools that the client offered, or the last word.
package model

import (
	"slices"
	"strings"
)

// Tool is a tool that a client offers the model.
type Tool struct {
	Name   string   `json:"name"`
	Space  string   `json:"namespace,omitempty"` // the provider's own grouping of tools
	Fields []string `json:"fields"`              // of its input, sorted
	Free   bool     `json:"free,omitempty"`      // its input is text, not an object
}

// Tools are the tools that a client offers, in its order.
type Tools []Tool

// Find returns the first offered tool of the given names, which are tried in order.
func (t Tools) Find(names ...string) (Tool, bool) {
	for _, name := range names {
		if i := slices.IndexFunc(t, func(one Tool) bool { return one.Name == name }); i >= 0 {
			return t[i], true
		}
	}
	return Tool{}, false
}

// Ending returns the first offered tool whose full name has a word in it, and ends in another.
func (t Tools) Ending(has, ends string) (Tool, bool) {
	for _, one := range t {
		if full := one.FullName(); strings.Contains(full, has) && strings.HasSuffix(full, ends) {
			return one, true
		}
	}
	return Tool{}, false
}

// FullName returns the name as clients write it for their hooks.
func (t Tool) FullName() string { return t.Space + t.Name }

// Has reports whether the tool's input has a field.
func (t Tool) Has(field string) bool { return slices.Contains(t.Fields, field) }

// Call is a call of a tool by the model. The zero Call is none.
type Call struct {
	Tool  Tool
	Input any    // an object
	Text  string // the input of a tool that is free
}

// Step is one turn of the model. Make chooses among the tools that are offered, and knows what came of the call
// before; without a tool, the step is left out.
type Step struct {
	Name string
	Make func(offered Tools, last string) Call
}

// Script is what the model does in one conversation.
type Script struct {
	Mark  string // in the user's text: it says which conversation a request belongs to
	Steps []Step
	Last  string // the model's last word
}

// Outcome is what became of a step.
type Outcome struct {
	Step    string
	Tool    string
	Call    Call
	Offered bool   // the client offered a tool for it
	Ended   bool   // the client sent the result
	Result  string // what the client told the model
	Around  string // what else the client told the model after the call
}

// conversation is a script and where it stands. How many calls were made is told by each request anew, since clients
// repeat requests.
type conversation struct {
	script   Script
	outcomes []Outcome // of the steps that were reached
	made     []made
	reached  int      // steps of the script that were made or left out
	ends     []string // what the user had said in all, each time that the last word was said
}

// made is a step that the model called a tool for.
type made struct {
	id      string
	outcome int // its place among the outcomes
	call    Call
}

// next notes what the client says of the calls made so far, and returns the next one with its id; without an id, it
// is the last word.
func (c *conversation) next(r *request, id string) (string, Call) {
	last, open := c.note(r)
	if open != nil { // asked again
		return open.id, open.call
	}
	for c.reached < len(c.script.Steps) {
		step := c.script.Steps[c.reached]
		c.reached++
		call := step.Make(r.tools, last)
		offered := call.Tool.Name != ""
		c.outcomes = append(c.outcomes, Outcome{Step: step.Name, Tool: call.Tool.Name, Call: call, Offered: offered})
		if offered {
			c.made = append(c.made, made{id: id, outcome: len(c.outcomes) - 1, call: call})
			return id, call
		}
	}
	c.ends = append(c.ends, strings.Join(r.user, "\n"))
	return "", Call{}
}

// note notes the results of the calls made so far. It returns the last one, and the first call without a result.
func (c *conversation) note(r *request) (last string, open *made) {
	for i := range c.made {
		m := &c.made[i]
		found := r.resultOf(i, m.id)
		if found == nil {
			return last, m
		}
		o := &c.outcomes[m.outcome]
		o.Ended, o.Result, o.Around, last = true, found.text, found.around, found.text
	}
	return last, nil
}

// request is what a client asked, whatever the protocol.
type request struct {
	model   string
	tools   Tools
	user    []string // what the user said
	results []result // of the calls that were made, in their order
	stream  bool
}

// result is what the client told the model about one call.
type result struct {
	id     string // ends with the call's; "" where the protocol has none
	text   string
	around string
}

// resultOf returns the result of a call, by its id or by its place.
func (r *request) resultOf(place int, id string) *result {
	for i := range r.results {
		if known := r.results[i].id; known != "" && strings.HasSuffix(known, id) || known == "" && i == place {
			return &r.results[i]
		}
	}
	return nil
}

// of returns the conversation that a request belongs to: the one whose mark the user said first.
func (r *request) of(all []*conversation) *conversation {
	for _, text := range r.user {
		for _, c := range all {
			if strings.Contains(text, c.script.Mark) {
				return c
			}
		}
	}
	return nil
}

// after adds a text that follows the last call.
func (r *request) after(text string) {
	if n := len(r.results); n > 0 && text != "" {
		r.results[n-1].around += text + "\n"
	}
}
