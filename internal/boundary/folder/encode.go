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
		o := object{jsonobject.Writer{B: make([]byte, 0, 2<<10)}}
		if o.line(l); o.Err == nil {
			return o.B, nil
		}
	}
	return jsonv2.Marshal(l, jsontext.AllowInvalidUTF8(true))
}

// object writes an object member by member.
type object struct{ jsonobject.Writer }

func (o *object) line(l Line) {
	o.Begin()
	o.Text("id", l.ID)
	o.Time("at", l.At)
	o.Text("kind", l.Kind)
	o.SomeText("client", l.Client)
	o.SomeText("version", l.Version)
	o.SomeText("session", l.Session)
	o.SomeText("tool_use_id", l.ToolUseID)
	if l.Actor != nil {
		o.Name("actor")
		o.actor(*l.Actor)
	}
	o.SomeText("tool", l.Tool)
	o.SomeText("own_tool", l.OwnTool)
	o.decision(l)
	o.SomeText("what", l.What)
	o.SomeText("of", l.Of)
	o.SomeText("by", l.By)
	o.SomeText("reason", l.Reason)
	o.SomeText("from", string(l.From))
	o.SomeText("override", l.Override)
	o.SomeBool("revoked", l.Revoked)
	o.SomeText("link", l.Link)
	o.SomeText("mend", l.Mend)
	o.End()
}

func (o *object) decision(l Line) {
	o.SomeText("mode", string(l.Mode))
	o.SomeBool("shell", l.Shell)
	o.targets("named", l.Named)
	jsonobject.SomeList(&o.Writer, "parts", l.Parts, o.part)
	o.targets("reads", l.Reads)
	if l.Verdict != nil {
		o.Name("verdict")
		o.verdict(*l.Verdict)
	}
	o.SomeInt("micros", l.Micros)
	o.SomeBool("cut", l.Cut)
	o.SomeBool("guarded", l.Guarded)
	o.SomeBool("puts", l.Puts)
	o.SomeBool("notes", l.Notes)
	jsonobject.SomeList(&o.Writer, "homes", l.Homes, o.quote)
}

func (o *object) actor(a boundary.Actor) {
	o.Begin()
	o.Text("kind", string(a.Kind))
	o.SomeText("id", a.ID)
	o.SomeText("type", a.Type)
	o.End()
}

func (o *object) part(p *boundary.Part) {
	o.Begin()
	jsonobject.SomeList(&o.Writer, "words", p.Words, o.quote)
	o.Text("class", string(p.Class))
	o.targets("targets", p.Targets)
	o.SomeText("why", p.Why)
	o.SomeBool("foreign", p.Foreign)
	o.targets("runs", p.Runs)
	o.End()
}

func (o *object) target(t *boundary.Target) {
	o.Begin()
	o.SomeText("path", t.Path)
	o.SomeText("real", t.Real)
	o.SomeBool("unknown", t.Unknown)
	o.SomeBool("tracked", t.Tracked)
	o.SomeText("holds", t.Holds)
	o.SomeText("link", t.Link)
	o.SomeBool("unsure", t.Unsure)
	o.End()
}

func (o *object) verdict(v boundary.Verdict) {
	o.Begin()
	o.Text("decision", string(v.Decision))
	o.Text("would", string(v.Would))
	o.Text("rule", v.Rule)
	o.Text("class", string(v.Class))
	o.SomeText("reason", v.Reason)
	o.SomeText("fix", v.Fix)
	o.targets("targets", v.Targets)
	o.SomeText("bypass", v.Bypass)
	o.SomeText("mode", string(v.Mode))
	jsonobject.SomeList(&o.Writer, "steps", v.Steps, o.step)
	o.End()
}

func (o *object) step(s *boundary.Step) {
	o.Begin()
	o.Text("rule", s.Rule)
	o.Bool("matched", s.Matched)
	o.Text("note", s.Note)
	o.End()
}

func (o *object) targets(name string, all []boundary.Target) {
	jsonobject.SomeList(&o.Writer, name, all, o.target)
}

func (o *object) quote(text *string) { o.Quote(*text) }
