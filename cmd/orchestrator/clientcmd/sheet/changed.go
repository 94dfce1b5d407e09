package sheet

import (
	"strings"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
)

// Since writes what changed in the text of the requirement since it read otherwise, word by word.
func (s Sheet) Since(p *output.Printer, columns int, before lifecycle.Definition) {
	now := s.Dossier.Definition
	edits, whole := proposal.Difference(before, now)
	if len(edits) == 0 {
		p.Line("  it reads as it did then")
	}
	Paragraph(p, columns, "  ", changed(edits))
	if was, is := before.Source.Priority, now.Source.Priority; was != is {
		Paragraph(p, columns, "  ", "priority: [-"+was+"-] {+"+is+"+}")
	}
	if !whole {
		p.Line("\nmore was taken away than is shown; it read:")
		Definition(p, columns, before)
	}
}

// changed returns what changed in a text, word by word.
func changed(edits []proposal.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		text := output.Printable(e.Text)
		switch {
		case e.Deletes():
			text = "[-" + text + "-]"
		case e.Inserts():
			text = "{+" + text + "+}"
		}
		b.WriteString(text + " ")
	}
	return b.String()
}
