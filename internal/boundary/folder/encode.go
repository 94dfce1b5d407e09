package folder

import (
	"strconv"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/rules/boundary"
)

// marshal returns a line as JSON. Every call of a hook writes one, so the library, which would look at the type first,
// writes only what no hook notes.
func marshal(l Line) ([]byte, error) {
	o := object{b: make([]byte, 0, 2<<10), odd: l.Grant != nil}
	if o.line(l); !o.odd {
		return o.b, nil
	}
	return jsonv2.Marshal(l, jsontext.AllowInvalidUTF8(true))
}

// object writes an object member by member. What is empty is left out.
type object struct {
	b   []byte
	odd bool // something that only the library knows how to write
}

func (o *object) line(l Line) {
	o.b = append(o.b, '{')
	o.always("id", l.ID)
	o.odd = o.odd || l.At.Location() != time.UTC || l.At.Year() < 0 || l.At.Year() > 9999
	o.name("at")
	o.b = append(l.At.AppendFormat(append(o.b, '"'), time.RFC3339Nano), '"')
	o.always("kind", l.Kind)
	o.text("client", l.Client)
	o.text("version", l.Version)
	o.text("session", l.Session)
	o.text("tool_use_id", l.ToolUseID)
	if l.Actor != nil {
		o.name("actor")
		o.actor(*l.Actor)
	}
	o.text("tool", l.Tool)
	o.text("own_tool", l.OwnTool)
	o.decision(l)
	o.text("what", l.What)
	o.text("of", l.Of)
	o.text("by", l.By)
	o.text("reason", l.Reason)
	o.text("from", string(l.From))
	o.text("override", l.Override)
	o.flag("revoked", l.Revoked)
	o.text("link", l.Link)
	o.text("mend", l.Mend)
	o.b = append(o.b, '}')
}

func (o *object) decision(l Line) {
	o.text("mode", string(l.Mode))
	o.flag("shell", l.Shell)
	o.targets("named", l.Named)
	array(o, "parts", l.Parts, o.part)
	o.targets("reads", l.Reads)
	if l.Verdict != nil {
		o.name("verdict")
		o.verdict(*l.Verdict)
	}
	if l.Micros != 0 {
		o.name("micros")
		o.b = strconv.AppendInt(o.b, l.Micros, 10)
	}
	o.flag("cut", l.Cut)
	o.flag("guarded", l.Guarded)
	o.flag("puts", l.Puts)
	o.flag("notes", l.Notes)
	array(o, "homes", l.Homes, o.quote)
}

func (o *object) actor(a boundary.Actor) {
	o.b = append(o.b, '{')
	o.always("kind", string(a.Kind))
	o.text("id", a.ID)
	o.text("type", a.Type)
	o.b = append(o.b, '}')
}

func (o *object) part(p boundary.Part) {
	o.b = append(o.b, '{')
	array(o, "words", p.Words, o.quote)
	o.always("class", string(p.Class))
	o.targets("targets", p.Targets)
	o.text("why", p.Why)
	o.flag("foreign", p.Foreign)
	o.targets("runs", p.Runs)
	o.b = append(o.b, '}')
}

func (o *object) target(t boundary.Target) {
	o.b = append(o.b, '{')
	o.text("path", t.Path)
	o.text("real", t.Real)
	o.flag("unknown", t.Unknown)
	o.flag("tracked", t.Tracked)
	o.text("holds", t.Holds)
	o.text("link", t.Link)
	o.flag("unsure", t.Unsure)
	o.b = append(o.b, '}')
}

func (o *object) verdict(v boundary.Verdict) {
	o.b = append(o.b, '{')
	o.always("decision", string(v.Decision))
	o.always("would", string(v.Would))
	o.always("rule", v.Rule)
	o.always("class", string(v.Class))
	o.text("reason", v.Reason)
	o.text("fix", v.Fix)
	o.targets("targets", v.Targets)
	o.text("bypass", v.Bypass)
	o.text("mode", string(v.Mode))
	array(o, "steps", v.Steps, o.step)
	o.b = append(o.b, '}')
}

func (o *object) step(s boundary.Step) {
	o.b = append(o.b, '{')
	o.always("rule", s.Rule)
	o.name("matched")
	o.b = strconv.AppendBool(o.b, s.Matched)
	o.always("note", s.Note)
	o.b = append(o.b, '}')
}

func (o *object) targets(name string, all []boundary.Target) { array(o, name, all, o.target) }

func array[V any](o *object, name string, all []V, element func(V)) {
	if len(all) == 0 {
		return
	}
	o.name(name)
	o.b = append(o.b, '[')
	for i, v := range all {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		element(v)
	}
	o.b = append(o.b, ']')
}

func (o *object) text(name, value string) {
	if value != "" {
		o.always(name, value)
	}
}

func (o *object) always(name, value string) {
	o.name(name)
	o.quote(value)
}

func (o *object) flag(name string, set bool) {
	if set {
		o.name(name)
		o.b = append(o.b, "true"...)
	}
}

// name begins a member.
func (o *object) name(name string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, '"'), name...), '"', ':')
}

func (o *object) quote(text string) {
	var err error
	o.b, err = jsontext.AppendQuote(o.b, text)
	o.odd = o.odd || err != nil
}
