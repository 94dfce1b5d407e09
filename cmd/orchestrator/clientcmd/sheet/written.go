package sheet

import (
	"fmt"
	"strings"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// Written writes what the roles have written about a requirement: its parts, and the words of the pm.
func (s Sheet) Written(p *output.Printer, columns int) {
	for _, part := range s.Dossier.Parts {
		writePart(p, columns, part)
	}
	var approvals, deviations, notes []string
	for _, a := range s.Dossier.Approvals {
		approvals = append(approvals, stamped(a.Stamp, a.Decision+a.Lost()+": "+a.Text))
	}
	for _, d := range s.Dossier.Deviations {
		text := d.ID + ": " + d.Text
		if r := d.Resolution; r != nil {
			text += " (" + r.Outcome + ": " + r.Text + ")"
		}
		deviations = append(deviations, stamped(d.Stamp, text))
	}
	for _, n := range s.Dossier.Notes {
		notes = append(notes, stamped(n.Stamp, n.Text))
	}
	writeWords(p, columns, "approvals", approvals)
	writeWords(p, columns, "deviations", deviations)
	writeWords(p, columns, "notes", notes)
}

// writePart writes a part as its role edits it.
func writePart(p *output.Printer, columns int, part review.Part) {
	head := part.Name + ", by " + part.Stamp.By + " on " + Day(part.Stamp.At)
	if !part.OnText {
		head += ", on another text than the present one"
	}
	if part.Results != nil {
		head += ": " + proposal.Results(*part.Results)
	}
	p.Line("")
	Paragraph(p, columns, "", head)
	for _, text := range []string{proposal.Plain(part.Content), part.Plan, part.Notes} {
		for line := range strings.Lines(text) {
			said := strings.TrimLeft(line, " ")
			Paragraph(p, columns, strings.Repeat(" ", min(2+len(line)-len(said), columns/2)), said)
		}
	}
}

// stamped returns words with who said them, and when.
func stamped(s lifecycle.Stamp, words string) string {
	return fmt.Sprintf("%s %s (%s), revision %d: %s", Day(s.At), s.By, s.Role, s.Revision, strings.TrimSuffix(words, ": "))
}

func writeWords(p *output.Printer, columns int, head string, words []string) {
	if len(words) > 0 {
		p.Line("\n%s", head)
	}
	for _, w := range words {
		Paragraph(p, columns, "  ", w)
	}
}
