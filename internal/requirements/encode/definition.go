package encode

import (
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// Definition writes the members that the documents have.
func (w *Writer) Definition(d *lifecycle.Definition) {
	quote := func(text *string) { w.Quote(*text) }
	w.Text("id", d.ID)
	w.Text("title", d.Title)
	w.Text("text", d.Text)
	w.Text("kind", d.Kind)
	jsonobject.List(&w.Writer, "acceptance", d.Acceptance, func(c *lifecycle.Criterion) {
		w.Begin()
		w.SomeText("id", c.ID)
		w.Text("kind", c.Kind)
		w.Text("text", c.Text)
		w.End()
	})
	jsonobject.SomeList(&w.Writer, "parents", d.Parents, quote)
	jsonobject.SomeList(&w.Writer, "depends_on", d.DependsOn, quote)
	w.Object("source")
	w.Text("path", d.Source.Path)
	w.Int("line", int64(d.Source.Line))
	w.Int("end_line", int64(d.Source.EndLine))
	jsonobject.List(&w.Writer, "section", d.Source.Section, quote)
	w.Text("family", d.Source.Family)
	w.SomeBool("assigned", d.Source.Assigned)
	w.SomeText("priority", d.Source.Priority)
	w.SomeText("tick", d.Source.Tick)
	w.End()
	w.Text("fingerprint", d.Fingerprint)
}
