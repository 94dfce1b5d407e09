package encode

import (
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// Definition writes the members that the documents have.
func Definition(w *jsonobject.Writer, d *lifecycle.Definition) {
	w.Text("id", d.ID)
	w.Text("title", d.Title)
	w.Text("text", d.Text)
	w.Text("kind", d.Kind)
	jsonobject.List(w, "acceptance", d.Acceptance, writeCriterion)
	w.SomeTexts("parents", d.Parents)
	w.SomeTexts("depends_on", d.DependsOn)
	w.Object("source")
	w.Text("path", d.Source.Path)
	w.Int("line", int64(d.Source.Line))
	w.Int("end_line", int64(d.Source.EndLine))
	w.Texts("section", d.Source.Section)
	w.Text("family", d.Source.Family)
	w.SomeBool("assigned", d.Source.Assigned)
	w.SomeText("priority", d.Source.Priority)
	w.SomeText("tick", d.Source.Tick)
	w.End()
	w.Text("fingerprint", d.Fingerprint)
}

func writeCriterion(w *jsonobject.Writer, c *lifecycle.Criterion) {
	w.Begin()
	w.SomeText("id", c.ID)
	w.Text("kind", c.Kind)
	w.Text("text", c.Text)
	w.End()
}
