package report

import (
	"strings"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// Decision is a judged call, what a person said of it, and what became of it. Many decisions of a long journal tell the
// same of other calls: what they have in common is kept once.
type Decision struct {
	*told
	who     *session
	ID      string
	At      time.Time
	Actor   *boundary.Actor // nil where the line has none
	Micros  int64
	Label   *string // the latest; nil where nobody said anything
	Outcome string  // folder.OutcomeDone, folder.OutcomeFailed, or "" where nothing is known
}

// session is a session of a client.
type session struct{ client, id string }

// told is what decisions have in common that judged the same call. It does not change.
type told struct {
	Client, Tool, OwnTool       string
	Mode                        boundary.Mode
	Shell, Guarded, Puts, Notes bool
	Named, Reads                []boundary.Target
	Parts                       []boundary.Part
	Homes                       []string
	Verdict                     *boundary.Verdict // without Steps, Fix and Targets, which no report shows
	does                        []string          // the names of what the call does
}

// Call returns the call of a decision, as far as the journal keeps it: enough to judge it again.
func (d *Decision) Call() boundary.Call {
	return folder.Line{At: d.At, Client: d.Client, Session: d.who.id, Tool: d.Tool, OwnTool: d.OwnTool, Named: d.Named,
		Parts: d.Parts, Reads: d.Reads, Puts: d.Puts, Notes: d.Notes, Homes: d.Homes, Shell: d.Shell,
		Guarded: d.Guarded, Actor: d.Actor}.Call()
}

// byAgent reports whether an agent made the call, and not a main session.
func (d *Decision) byAgent() bool { return d.Actor != nil && d.Actor.Kind == boundary.Agent }

// files returns what a call writes, by name; one that cannot be told has none.
func (t *told) files() []string {
	var names []string
	for _, t := range t.targets() {
		if t.Path != "" {
			names = append(names, t.Path)
		}
	}
	return names
}

func (t *told) targets() []boundary.Target {
	return append(boundary.Written(t.Named, t.Parts), t.Reads...)
}

// named names what a call does: by the files that it writes, or by its commands, or else by its tool.
func (t *told) named() (names []string) {
	for _, t := range t.targets() {
		if t.Path != "" && !t.Unknown {
			names = append(names, t.Path)
		}
	}
	if len(names) > 0 {
		return names
	}
	for _, part := range t.Parts {
		if len(part.Words) > 0 && (part.Class != boundary.Reads || !t.Verdict.Violation()) {
			names = append(names, strings.Join(part.Words, " "))
		}
	}
	if len(names) == 0 {
		return []string{t.Tool}
	}
	return names
}
