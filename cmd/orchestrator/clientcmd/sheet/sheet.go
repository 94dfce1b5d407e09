// Package sheet shows a requirement to people: its text, what was written about it, and what can be done with it.
package sheet

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// Sheet is what is known of a requirement.
type Sheet struct {
	Dossier review.Dossier
	View    guidance.View
}

// Definition writes the text of a requirement, and where it stands.
func Definition(p *output.Printer, columns int, d lifecycle.Definition) {
	Paragraph(p, columns, "", d.ID+": "+d.Title)
	if d.Text != d.Title {
		Paragraph(p, columns, "  ", d.Text)
	}
	for _, c := range d.Acceptance {
		Paragraph(p, columns, "  ", "- "+c.Text)
	}
	const label = "place     "
	place := fmt.Sprintf("%s:%d, %s", d.Source.Path, d.Source.Line, strings.Join(d.Source.Section, " > "))
	p.Line("\n%s%s", label, strings.Join(output.Wrap(output.Printable(place), columns-len(label)),
		"\n"+strings.Repeat(" ", len(label))))
}

// Write writes all of it.
func (s Sheet) Write(p *output.Printer, columns int) {
	Definition(p, columns, s.Dossier.Definition)
	for _, f := range s.Dossier.FormerIDs {
		p.Line("formerly  %s, until record %d", output.Printable(f.ID), f.Record)
	}
	standing := s.Dossier.Standing
	p.Line("status    %s since %s, revision %d", p.Paint(output.Green, string(standing.Status)), Day(standing.Since),
		s.Dossier.Revision)
	if s.View.Complete {
		p.Line("document  %s", finished.Words)
	}
	for _, c := range s.View.Claims {
		p.Line("claimed   %s by %s until %s", c.Field, output.Printable(c.By.Name),
			c.Until.Format("2006-01-02 15:04 MST"))
	}
	for _, o := range s.View.AgainstDone {
		Labelled(p, columns, "", output.Yellow, "against done: ", advice.Objection(s.View.ID, o))
	}
	s.Written(p, columns)
	s.Gates(p, columns)
	s.Evidence(p, columns)
	s.proposed(p, columns)
	p.Line("")
	s.Moves(p)
}

// proposed writes what open changes would do to it.
func (s Sheet) proposed(p *output.Printer, columns int) {
	if len(s.Dossier.Proposed) == 0 {
		return
	}
	p.Line("\nopen changes")
	for _, o := range s.Dossier.Proposed {
		Paragraph(p, columns, "  ", o.String()+strings.TrimSuffix(" ("+output.At(o.Path, o.Line), ": ")+")")
		for _, conflict := range o.Conflicts {
			Labelled(p, columns, "    ", output.Yellow, "conflict: ", conflict)
		}
	}
}

// Gates writes what is lacking on the way to done.
func (s Sheet) Gates(p *output.Printer, columns int) {
	var rows [][]string
	for _, g := range s.Dossier.Gates {
		row := []string{string(g.To), string(g.Supplier), g.Detail}
		if n := len(rows); !g.Met && (n == 0 || !slices.Equal(row, rows[n-1])) { // two gates may lack the same
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		p.Line("\nlacking")
		p.Whole(columns, []string{"FOR", "BY", "WHAT"}, rows)
	}
}

// Evidence writes the evidence of the parts and of the last move, with what looking it up came to.
func (s Sheet) Evidence(p *output.Printer, columns int) {
	var rows [][]string
	add := func(part string, all []review.Cited) {
		for _, c := range all {
			verdict := c.Recheck.Verdict
			if c.Recheck.Detail != "" {
				verdict += ": " + c.Recheck.Detail
			}
			rows = append(rows, []string{part, proposal.Words(c.Evidence), verdict})
		}
	}
	for _, part := range s.Dossier.Parts {
		add(part.Name, part.Evidence)
	}
	if n := len(s.Dossier.History); n > 0 {
		add("status", s.Dossier.History[n-1].Evidence)
	}
	if len(rows) > 0 {
		p.Line("\nevidence, looked up now")
		p.Whole(columns, []string{"OF", "EVIDENCE", "VERDICT"}, rows)
	}
}

// Moves writes whom the requirement waits for, and what whoever asks can send.
func (s Sheet) Moves(p *output.Printer) {
	var waiting []string
	for _, w := range s.View.WaitingFor {
		waiting = append(waiting, string(w))
	}
	if len(waiting) > 0 {
		p.Line("waits for %s", strings.Join(waiting, ", "))
	}
	if len(s.View.Moves)+len(s.View.Fields) == 0 {
		for _, role := range waiting {
			if command := advice.Next(s.View.ID, role); command != "" {
				p.Line("  %s", output.Printable(command))
			}
		}
	}
	for _, f := range s.View.Fields {
		if f.Due {
			p.Line("  supply %s: %s", f.Field, output.Printable(advice.Body(s.View.ID, *f.Example)))
		}
	}
	if command := advice.WayOut(s.View.AgainstDone); command != "" {
		p.Line("  to have it come back, by the pm: %s", command)
	}
	for _, m := range s.View.Moves {
		p.Line("  to %s: %s", m.To, output.Printable(advice.Body(s.View.ID, *m.Example)))
		for _, l := range m.Lacks {
			p.Line("    lacks %s (%s)", output.Printable(l.Detail), l.By)
		}
	}
}
