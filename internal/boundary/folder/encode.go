package folder

import (
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/jsonobject"
)

// marshal returns a line as JSON. Every call of a hook writes one, so the library, which would look at the type first,
// writes only what no hook notes.
func marshal(l Line) ([]byte, error) {
	if l.Grant == nil && l.At.Location() == time.UTC {
		w := jsonobject.Writer{B: make([]byte, 0, 2<<10)}
		if writeLine(&w, l); w.Err == nil {
			return w.B, nil
		}
	}
	return jsonv2.Marshal(l, jsontext.AllowInvalidUTF8(true))
}

func writeLine(w *jsonobject.Writer, l Line) {
	w.Begin()
	w.Text("id", l.ID)
	w.Time("at", l.At)
	w.Text("kind", l.Kind)
	w.SomeText("client", l.Client)
	w.SomeText("version", l.Version)
	w.SomeText("session", l.Session)
	w.SomeText("tool_use_id", l.ToolUseID)
	if l.Actor != nil {
		w.Name("actor")
		writeActor(w, *l.Actor)
	}
	w.SomeText("tool", l.Tool)
	w.SomeText("own_tool", l.OwnTool)
	writeDecision(w, l)
	w.SomeText("what", l.What)
	w.SomeText("of", l.Of)
	w.SomeText("by", l.By)
	w.SomeText("reason", l.Reason)
	w.SomeText("from", string(l.From))
	w.SomeText("override", l.Override)
	w.SomeBool("revoked", l.Revoked)
	w.SomeText("link", l.Link)
	w.SomeText("mend", l.Mend)
	w.End()
}

func writeDecision(w *jsonobject.Writer, l Line) {
	w.SomeText("mode", string(l.Mode))
	w.SomeBool("shell", l.Shell)
	writeTargets(w, "named", l.Named)
	jsonobject.SomeList(w, "parts", l.Parts, writePart)
	writeTargets(w, "reads", l.Reads)
	if l.Verdict != nil {
		w.Name("verdict")
		writeVerdict(w, *l.Verdict)
	}
	w.SomeInt("micros", l.Micros)
	w.SomeBool("cut", l.Cut)
	w.SomeBool("guarded", l.Guarded)
	w.SomeBool("puts", l.Puts)
	w.SomeBool("notes", l.Notes)
	w.SomeTexts("homes", l.Homes)
}

func writeActor(w *jsonobject.Writer, a boundary.Actor) {
	w.Begin()
	w.Text("kind", string(a.Kind))
	w.SomeText("id", a.ID)
	w.SomeText("type", a.Type)
	w.End()
}

func writePart(w *jsonobject.Writer, p *boundary.Part) {
	w.Begin()
	w.SomeTexts("words", p.Words)
	w.Text("class", string(p.Class))
	writeTargets(w, "targets", p.Targets)
	w.SomeText("why", p.Why)
	w.SomeBool("foreign", p.Foreign)
	writeTargets(w, "runs", p.Runs)
	w.End()
}

func writeTarget(w *jsonobject.Writer, t *boundary.Target) {
	w.Begin()
	w.SomeText("path", t.Path)
	w.SomeText("real", t.Real)
	w.SomeBool("unknown", t.Unknown)
	w.SomeBool("tracked", t.Tracked)
	w.SomeText("holds", t.Holds)
	w.SomeText("link", t.Link)
	w.SomeBool("unsure", t.Unsure)
	w.End()
}

func writeVerdict(w *jsonobject.Writer, v boundary.Verdict) {
	w.Begin()
	w.Text("decision", string(v.Decision))
	w.Text("would", string(v.Would))
	w.Text("rule", v.Rule)
	w.Text("class", string(v.Class))
	w.SomeText("reason", v.Reason)
	w.SomeText("fix", v.Fix)
	writeTargets(w, "targets", v.Targets)
	w.SomeText("bypass", v.Bypass)
	w.SomeText("mode", string(v.Mode))
	jsonobject.SomeList(w, "steps", v.Steps, writeStep)
	w.End()
}

func writeStep(w *jsonobject.Writer, s *boundary.Step) {
	w.Begin()
	w.Text("rule", s.Rule)
	w.Bool("matched", s.Matched)
	w.Text("note", s.Note)
	w.End()
}

func writeTargets(w *jsonobject.Writer, name string, all []boundary.Target) {
	jsonobject.SomeList(w, name, all, writeTarget)
}
