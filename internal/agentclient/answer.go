package agentclient

import (
	"strings"

	"orchestrator/internal/rules/boundary"

	"github.com/go-json-experiment/json/jsontext"
)

// answers are a client's ways to be told something before a tool runs. A missing allow or warn is silence, which lets
// the call go on as if there were no hook; a missing ask is a block, as silence would let the call through.
type answers struct {
	allow func() Answer
	warn  func(message string) Answer
	ask   func(message string) Answer
	block func(message string) Answer
	deny  func(message string) Answer // a block where AsJSON says so; missing is block
	later func() Answer               // after a tool; missing is silence
}

// Asks reports whether the client can put a call to the person who uses it.
func (c *Client) Asks() bool { return c.answers.ask != nil }

// unsaid stands for an empty message: some clients take a block without a reason for a broken hook, and let the call
// run.
const unsaid = "The boundary of this project does not let this call through."

// Answer returns what to tell the client. Only the call before a tool can be answered; everything later is taken as it
// is. Ask blocks where the client cannot ask. A decision that does not exist blocks.
//
// An allowed call is not told "allow", since that passes over the client's own permission prompt. Cursor alone must be
// told: it takes silence, and an object without a decision, for a broken hook, and blocks.
func (c *Client) Answer(when When, decision boundary.Decision, message string) Answer {
	known := c.answers
	if when != Before {
		if known.later != nil {
			return known.later()
		}
		return Answer{}
	}
	message = strings.ToValidUTF8(strings.TrimSpace(message), "�")
	if message == "" {
		message = unsaid
	}
	switch decision {
	case boundary.Allow:
		if known.allow != nil {
			return known.allow()
		}
		return Answer{}
	case boundary.Warn:
		return known.warn(message)
	case boundary.Ask:
		if known.ask != nil {
			return known.ask(message)
		}
	}
	return known.block(message)
}

// AsJSON returns the client as it is answered where the hook's command line has Wiring.JSONFlag: with a decision as
// JSON and exit code 0, which it does not show as a broken hook. A client without such a form stays as it is.
func (c *Client) AsJSON() *Client {
	if c.answers.deny == nil {
		return c
	}
	its := *c
	its.answers.block = c.answers.deny
	return &its
}

func onStderr(message string) Answer { return Answer{Stderr: []byte(message + "\n"), Exit: 2} }

func warnOnStderr(message string) Answer { return Answer{Stderr: []byte(message + "\n")} }

// pair is one member of an answer: a text, or an object.
type pair struct {
	name  string
	value any // string or []pair
}

func say(members ...pair) Answer { return Answer{Stdout: append(encode(members), '\n')} }

func encode(members []pair) []byte {
	text := []byte{'{'}
	for i, member := range members {
		if i > 0 {
			text = append(text, ',')
		}
		text, _ = jsontext.AppendQuote(text, member.name)
		text = append(text, ':')
		switch value := member.value.(type) {
		case string:
			text, _ = jsontext.AppendQuote(text, value) // Answer has made it valid
		case []pair:
			text = append(text, encode(value)...)
		}
	}
	return append(text, '}')
}
