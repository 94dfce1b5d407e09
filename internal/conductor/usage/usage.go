// Package usage reads from the output of an agent client what its run used, in tokens and in money.
//
// Each client reports in a form of its own. What is in none of them, or not a number, is not reported: it is nil, and
// never 0. The package is pure.
package usage

import (
	"bytes"
	"fmt"
	"math"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
)

// Usage is what a run used, as its client reported it.
type Usage struct {
	Client  string   `json:"client"`             // whose form the report has: claude, codex, gemini, qwen, opencode
	Input   int64    `json:"input_tokens"`       // read from a cache or written to one included
	Output  int64    `json:"output_tokens"`      // thoughts included
	CostUSD *float64 `json:"cost_usd,omitempty"` // nil where the client does not say
}

// Tokens returns all tokens.
func (u *Usage) Tokens() int64 { return u.Input + u.Output }

// valid reports whether the figures can be counted: none is negative, or too large for JSON.
func (u *Usage) valid() bool {
	const most = 1 << 52
	return u.Input >= 0 && u.Output >= 0 && u.Input <= most && u.Output <= most && u.Tokens() > 0 &&
		(u.CostUSD == nil || *u.CostUSD >= 0 && !math.IsInf(*u.CostUSD, 0) && *u.CostUSD <= most)
}

// reader reads one message of a client. It returns nil for one that reports nothing.
type reader struct {
	client string
	read   func(m *message) *Usage
	sums   bool // each message reports a part; otherwise the last one reports all
}

// readers are in the order in which a message is tried. One that two would take is that of the first.
var readers = []reader{
	{"codex", codex, false}, {"opencode", opencode, true}, {"gemini", gemini, false}, {"qwen", qwen, false},
	{"claude", claude, false},
}

// Clients returns the names of the clients whose reports are read.
func Clients() (names []string) {
	for _, r := range readers {
		names = append(names, r.client)
	}
	return names
}

// Read returns what the output of a run reports: one JSON value, an array of them, or one on each line. client names
// the form, or "" has it recognised. It returns nil where nothing is reported.
func Read(output []byte, client string) *Usage {
	messages := messagesOf(output)
	for _, r := range readers {
		if client != "" && client != r.client {
			continue
		}
		if u := r.of(messages); u != nil {
			return u
		}
	}
	return nil
}

// of returns what messages report in the form of one client.
func (r reader) of(messages []message) (all *Usage) {
	for i := range messages {
		u := r.read(&messages[i])
		if u == nil {
			continue
		}
		if r.sums && all != nil {
			u.Input, u.Output, u.CostUSD = u.Input+all.Input, u.Output+all.Output, sum(u.CostUSD, all.CostUSD)
		}
		u.Client, all = r.client, u
	}
	if all == nil || !all.valid() {
		return nil
	}
	return all
}

// sum adds two costs; what one does not know is unknown.
func sum(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	both := *a + *b
	return &both
}

// valuesOf returns the JSON objects of an output. Lines that are none are skipped: clients warn among them.
func valuesOf(output []byte) (all []jsontext.Value) {
	whole := jsontext.Value(bytes.TrimSpace(output))
	if whole.IsValid() && whole.Kind() == '{' {
		return []jsontext.Value{whole}
	}
	if jsonv2.Unmarshal(whole, &all) == nil {
		return all
	}
	all = nil
	for line := range bytes.Lines(output) {
		line = bytes.TrimSpace(line)
		var several []jsontext.Value
		switch {
		case bytes.HasPrefix(line, []byte("{")) && jsontext.Value(line).IsValid():
			all = append(all, line)
		case bytes.HasPrefix(line, []byte("[")) && jsonv2.Unmarshal(line, &several) == nil:
			all = append(all, several...)
		}
	}
	return all
}

// messagesOf returns the messages of an output.
func messagesOf(output []byte) (all []message) {
	for _, raw := range valuesOf(output) {
		var one message
		if jsonv2.Unmarshal(raw, &one) == nil {
			all = append(all, one)
		}
	}
	return all
}

// Sum is what several runs used.
type Sum struct {
	Runs       int     `json:"runs"`                  // of agents
	Unreported int     `json:"unreported,omitzero"`   // of these, those that reported nothing
	Input      int64   `json:"input_tokens,omitzero"` //
	Output     int64   `json:"output_tokens,omitzero"`
	CostUSD    float64 `json:"cost_usd,omitzero"` // of the runs whose client says what they cost
}

// Add counts a run of an agent; nil is one that reported nothing.
func (s *Sum) Add(u *Usage) {
	s.Runs++
	if u == nil {
		s.Unreported++
		return
	}
	s.Input, s.Output = s.Input+u.Input, s.Output+u.Output
	if u.CostUSD != nil {
		s.CostUSD += *u.CostUSD
	}
}

// Join adds another sum.
func (s *Sum) Join(o Sum) {
	s.Runs, s.Unreported = s.Runs+o.Runs, s.Unreported+o.Unreported
	s.Input, s.Output, s.CostUSD = s.Input+o.Input, s.Output+o.Output, s.CostUSD+o.CostUSD
}

// Tokens returns all tokens.
func (s Sum) Tokens() int64 { return s.Input + s.Output }

// Exceeds returns which of two budgets is used up, or "". A budget of 0 is none.
//
// Implements: ORC-274
func (s Sum) Exceeds(tokens int64, costUSD float64) string {
	switch {
	case tokens > 0 && s.Tokens() >= tokens:
		return fmt.Sprintf("max_tokens is used up: agents reported %d tokens, and the budget is %d", s.Tokens(), tokens)
	case costUSD > 0 && s.CostUSD >= costUSD:
		return fmt.Sprintf("max_cost_usd is used up: agents reported %.4f US dollars, and the budget is %g",
			s.CostUSD, costUSD)
	}
	return ""
}

// String returns a sum in words; "" where no agent ran.
func (s Sum) String() string {
	if s.Runs == 0 {
		return ""
	}
	text := fault.Count(s.Runs, "run") + " of agents"
	if s.Runs > s.Unreported {
		text += fmt.Sprintf(" reported %d tokens in, %d out", s.Input, s.Output)
	}
	if s.CostUSD > 0 {
		text += fmt.Sprintf(", %.4f US dollars", s.CostUSD)
	}
	if s.Unreported > 0 {
		text += fmt.Sprintf("; %d reported nothing", s.Unreported)
	}
	return text
}
