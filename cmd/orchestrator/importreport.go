package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"orchestrator/internal/operator/offline"
	"orchestrator/internal/requirements/drift"
)

// shownShifts is how many requirements that only stand on other lines are named one by one.
const shownShifts = 5

// write shows the report as JSON alone, or for people.
func (o importOptions) write(out, notes io.Writer, done offline.Outcome) error {
	r := done.Report
	if done.DryRun && done.Against == "" && len(r.Errors) == 0 {
		fmt.Fprintf(notes, "there is neither %s nor a database in %s: compared with an empty state\n",
			printable(o.export), printable(o.data))
	}
	if o.asJSON {
		return writeJSON(out, r)
	}
	p := &reportPrinter{colour: colourful(out)}
	p.documents(r)
	p.drift(r)
	p.remarks("warning", yellow, r.Warnings)
	p.remarks("skipped", yellow, r.Skipped)
	p.remarks("error", red, r.Errors)
	if len(r.Errors) == 0 {
		p.line("%s%s", r, o.summary(done))
	}
	_, err := io.WriteString(out, p.text.String())
	return err
}

// summary returns what the numbers are about.
func (o importOptions) summary(done offline.Outcome) string {
	switch {
	case done.DryRun:
		return "; dry run against " + printable(done.Baseline()) + ", nothing was written"
	case !done.Written:
		return "; nothing was to be imported, and " + printable(o.export) + " is up to date"
	}
	return "; imported, and " + printable(o.export) + " is written"
}

func (p *reportPrinter) documents(r drift.Report) {
	for _, d := range r.Documents {
		family := "no family"
		if d.Family != "" {
			family = d.Family
		}
		if d.Mark != "" {
			family += " (" + printable(d.Mark) + ")"
		}
		if d.Delta {
			family += ", a delta"
		}
		noun := "requirements"
		if d.Found == 1 {
			noun = "requirement"
		}
		line := fmt.Sprintf("%s: %s: %d %s", printable(d.Path), family, d.Found, noun)
		if d.Rows > d.Found {
			line += fmt.Sprintf(", of %d rows that look like requirements", d.Rows)
		}
		if len(d.Families) > 1 {
			line += " (" + counts(d.Families) + ")"
		}
		if len(d.Others) > 0 {
			line += "; beside them " + counts(d.Others)
		}
		p.line("%s", line)
	}
}

func counts(by map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, fmt.Sprintf("%d %s", by[name], name))
	}
	return strings.Join(all, ", ")
}

func (p *reportPrinter) drift(r drift.Report) {
	for _, a := range r.Added {
		name := printable(a.ID)
		if a.Title != a.ID {
			name += ": " + printable(a.Title)
		}
		p.line("%sadded %s", at(a.Path, a.Line), name)
	}
	p.changes(r)
	p.moves(r)
	p.renamings(r)
	for _, id := range r.Restored {
		p.line("restored %s", printable(id))
	}
	p.retirements(r)
}

func (p *reportPrinter) changes(r drift.Report) {
	for _, c := range r.Changed {
		state := ""
		if c.Suspect {
			state = ", which is suspect now: PM must accept it"
		}
		if len(c.Stale) > 0 {
			state += "; made for another text: " + printable(strings.Join(c.Stale, ", "))
		}
		p.line("%schanged %s%s", at(c.Path, c.Line), printable(c.ID), state)
		if c.Priority != nil {
			p.line("    priority: %s", p.wordDiff([]drift.Edit{
				{Op: drift.OpDelete, Text: c.Priority.From}, {Op: drift.OpInsert, Text: c.Priority.To}}))
		}
		if len(c.Diff) > 0 {
			p.line("    %s", p.wordDiff(c.Diff))
		}
	}
}

func (p *reportPrinter) renamings(r drift.Report) {
	for _, n := range r.Renamed {
		if n.Declared {
			p.line("renamed %s to %s, as the document says", printable(n.From), printable(n.To))
		} else {
			p.line("perhaps renamed %s to %s, which has the same text", printable(n.From), printable(n.To))
		}
	}
}

func (p *reportPrinter) retirements(r drift.Report) {
	for _, x := range r.Retired {
		p.line("retired %s (%s): %s", printable(x.ID), x.Status, printable(x.Title))
		if len(x.Strands) > 0 {
			p.line("    work that is left: %s", printable(strings.Join(x.Strands, ", ")))
		}
		if x.PMMust != "" {
			p.line("    PM must: %s", printable(x.PMMust))
		}
	}
}

// moves names what went to another document; of many that only stand on other lines, a few.
func (p *reportPrinter) moves(r drift.Report) {
	shifts := 0
	for _, m := range r.Moved {
		if m.From.Path == m.Path {
			if shifts++; shifts > shownShifts {
				continue
			}
		}
		p.line("%smoved %s from %s", at(m.Path, m.Line), printable(m.ID),
			strings.TrimSuffix(at(m.From.Path, m.From.Line), ": "))
	}
	if more := shifts - shownShifts; more > 0 {
		p.line("moved within their documents: %d more; --json lists them", more)
	}
}

// wordDiff shows runs of words as {+new+}, [-old-], or as they are. White space stands between two runs, but not
// between what was taken away and what came in its place.
func (p *reportPrinter) wordDiff(edits []drift.Edit) string {
	var b strings.Builder
	var last drift.Edit
	for _, e := range edits {
		replaced := last.Deletes() && e.Inserts()
		if b.Len() > 0 && !replaced && !strings.HasSuffix(last.Text, "\n") && !strings.HasPrefix(e.Text, "\n") {
			b.WriteByte(' ')
		}
		b.WriteString(p.edit(e))
		last = e
	}
	return b.String()
}

func (p *reportPrinter) edit(e drift.Edit) string {
	open, end, c := "", "", plain
	switch {
	case e.Inserts():
		open, end, c = "{+", "+}", green
	case e.Deletes():
		open, end, c = "[-", "-]", red
	}
	lines := strings.Split(e.Text, "\n")
	lines[0] = open + lines[0]
	lines[len(lines)-1] += end
	for i, line := range lines {
		if lines[i] = printable(line); c != plain {
			lines[i] = p.paint(c, lines[i])
		}
	}
	return strings.Join(lines, "\n    ")
}

func (p *reportPrinter) remarks(what string, c colour, all []drift.Remark) {
	for _, r := range all {
		p.line("%s%s %s", at(r.Path, r.Line), p.paint(c, what+":"), printable(r.Message))
		if r.Fix != "" {
			p.line("    fix: %s", printable(r.Fix))
		}
	}
}
