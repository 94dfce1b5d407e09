// Package provenance finds who stated an answer that no built-in tool can work out.
//
// A source is what the caller states in the request, what somebody answered to a question, and a fact that was asserted
// before, by a caller or by the ACHIEVE of another run. What a tool of the same run asserted is no source: a tool would
// confirm itself. Nor is, in any run, a fact that was made of what a tool said and nothing confirmed: it is that tool's
// word.
package provenance

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/conductor/state"
)

// Source names who stated something.
type Source struct {
	ID   string    `json:"id"`
	Kind string    `json:"kind"`           // state.SourceCaller, state.SourceAnswer, state.SourceTool
	By   string    `json:"by"`             // who stated it, or had a tool find it out
	Tool string    `json:"tool,omitempty"` // that found it out, or took it down
	Run  string    `json:"run,omitempty"`  // absent where it is this one
	At   time.Time `json:"at,omitzero"`    // absent where it is in this run
}

// String names the source in a sentence.
func (s Source) String() string {
	text := s.By
	if s.Kind == state.SourceAnswer {
		text += ", in answer to a question"
	}
	if s.Run != "" {
		return fmt.Sprintf("%s, on %s in the run %s", text, s.At.UTC().Format(time.RFC3339), s.Run)
	}
	return text + ", in this request"
}

// Said is a value with its source.
type Said struct {
	Value  any
	Source Source
}

// String returns the value, and who stated it.
func (s Said) String() string { return fmt.Sprintf("%s (%s)", agreement.Shown(s.Value), s.Source) }

// Held returns what is held of a subject, with its sources, the oldest first. run is the run that asks: what its tools
// asserted is left out, and so is what is merely the word of a tool.
func Held(v state.View, run, subject, predicate string) (all []Said, err error) {
	held, err := v.Held(subject, predicate)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(held, func(a, b state.Assertion) int { return a.Since.Compare(b.Since) })
	for _, a := range held {
		source, found, err := v.Source(a.Source)
		if err != nil {
			return nil, err
		}
		if !found || source.Kind == state.SourceTool && (source.Run == run || len(source.Words) > 0) {
			continue
		}
		by, err := v.Actor(a.Source)
		if err != nil {
			return nil, err
		}
		all = append(all, Said{a.Object, named(source, by, run)})
	}
	return all, nil
}

// named returns a source as it is named in the trace of a run: what the run itself brought has no moment, so that the
// same request gives the same trace.
func named(s state.Source, by, run string) Source {
	n := Source{ID: s.ID, Kind: s.Kind, By: by}
	if s.Kind == state.SourceTool {
		n.Tool = s.Name
	}
	if s.Run != run {
		n.Run, n.At = s.Run, s.At
	}
	return n
}

// Contradiction returns two statements of a functional relation that cannot both be true: the newest words of two
// actors.
//
// Implements: ORC-242
func Contradiction(held []Said) (one, other Said, is bool) {
	var newest []Said
	for _, s := range slices.Backward(held) { // the oldest stands first
		if !slices.ContainsFunc(newest, func(n Said) bool { return n.Source.By == s.Source.By }) {
			newest = append(newest, s)
		}
	}
	for _, s := range newest {
		if !agreement.Equal(s.Value, newest[0].Value) {
			return s, newest[0], true
		}
	}
	return Said{}, Said{}, false
}

// sources returns the sources of statements, each once, by their ids.
func sources(all []Said) (list []Source) {
	for _, s := range all {
		list = append(list, s.Source)
	}
	slices.SortFunc(list, func(a, b Source) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(list)
}
