package sheet

import (
	"io"
	"strings"
	"time"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/guidance"
)

// Printer returns a printer for out, and how wide it may be.
func Printer(out io.Writer) (*output.Printer, int) {
	return output.NewPrinter(output.Colourful(out)), output.Columns(out)
}

// Paragraph writes a text on as many lines as it needs, all indented.
func Paragraph(p *output.Printer, columns int, indent, text string) {
	for line := range strings.Lines(text) {
		for _, part := range output.Wrap(output.Printable(strings.TrimRight(line, "\r\n")), columns-len(indent)) {
			p.Line("%s", strings.TrimRight(indent+part, " "))
		}
	}
}

// Labelled writes a text as paragraph does, behind a label in a colour.
func Labelled(p *output.Printer, columns int, indent string, c output.Colour, label, text string) {
	for i, line := range output.Wrap(label+output.Printable(text), columns-len(indent)) {
		if rest, begins := strings.CutPrefix(line+" ", label); begins && i == 0 {
			line = strings.TrimRight(p.Paint(c, label)+rest, " ")
		}
		p.Line("%s", indent+line)
	}
}

// Day returns the day of a time, or "" for none.
func Day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// Leads writes whom a requirement waits for, and the commands that lead on.
func Leads(p *output.Printer, id string, waiting []string, next []guidance.Lead) {
	if len(waiting) > 0 {
		p.Line("  waits for %s", strings.Join(waiting, ", "))
	}
	for _, l := range next {
		if command := advice.Lead(id, l); command != "" {
			p.Line("  next, by the %s: %s", l.By, output.Printable(command))
		} else if l.Needs != "" {
			p.Line("  next, by the %s: %s", l.By, output.Printable(advice.Typed(id, l.Needs)))
		}
	}
}
