package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/offline"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/pending"
)

// shownShifts is how many requirements that only stand on other lines are named one by one.
const shownShifts = 5

// write shows the report as JSON alone, or for people.
func (o importOptions) write(out, notes io.Writer, done offline.Outcome) error {
	r := done.Report
	if done.DryRun && done.Against == "" && len(r.Errors) == 0 {
		fmt.Fprintf(notes, "there is neither %s nor a database in %s: compared with an empty state\n",
			cmp.Or(output.Printable(o.export), "an export"), output.Printable(o.data))
	}
	if done.Torn && done.Broken() == nil {
		fmt.Fprintf(notes, "%s was not what the log amounts to, such as after a power cut; it is written anew\n",
			output.Printable(o.export))
	}
	if o.asJSON {
		return output.WriteJSON(out, r)
	}
	p := importReport{output.NewPrinter(output.Colourful(out))}
	p.documents(r)
	p.drift(r)
	p.proposals(r.Pending)
	p.remarks("warning", output.Yellow, r.Warnings)
	p.remarks("skipped", output.Yellow, r.Skipped)
	p.remarks("error", output.Red, r.Errors)
	if len(r.Errors) == 0 {
		p.Line("%s%s", r, o.summary(done))
	} else if !done.DryRun {
		p.Line("nothing was imported")
	}
	_, err := io.WriteString(out, p.String())
	return err
}

// summary returns what the numbers are about.
func (o importOptions) summary(done offline.Outcome) string {
	switch {
	case done.DryRun:
		return "; dry run against " + output.Printable(done.Baseline()) + ", nothing was written"
	case !done.Written && o.export == "":
		return "; nothing was to be imported"
	case o.export == "":
		return "; imported, and no export is written"
	case !done.Written:
		return "; nothing was to be imported, and " + output.Printable(o.export) + " is up to date"
	}
	return "; imported, and " + output.Printable(o.export) + " is written"
}

// importReport writes what an import did, for people.
type importReport struct{ *output.Printer }

func (p importReport) documents(r drift.Report) {
	for _, d := range r.Documents {
		family := "no family"
		if d.Family != "" {
			family = d.Family
		}
		if d.Mark != "" {
			family += " (" + output.Printable(d.Mark) + ")"
		}
		if d.Delta {
			family += ", a delta"
		}
		line := fmt.Sprintf("%s: %s: %s", output.Printable(d.Path), family, fault.Count(d.Found, "requirement"))
		if d.Rows > d.Found {
			line += fmt.Sprintf(", of %d rows that look like requirements", d.Rows)
		}
		if len(d.Families) > 1 {
			line += " (" + counts(d.Families) + ")"
		}
		if len(d.Others) > 0 {
			line += "; beside them " + counts(d.Others)
		}
		p.Line("%s", line)
	}
}

func counts(by map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, fmt.Sprintf("%d %s", by[name], name))
	}
	return strings.Join(all, ", ")
}

func (p importReport) drift(r drift.Report) {
	for _, a := range r.Added {
		name := output.Printable(a.ID)
		if !saysTitle(a.ID, a.Title) {
			name += ": " + output.Printable(a.Title)
		}
		p.Line("%sadded %s", output.At(a.Path, a.Line), name)
	}
	p.changes(r)
	p.moves(r)
	p.renamings(r)
	for _, id := range r.Restored {
		p.Line("restored %s", output.Printable(id))
	}
	p.retirements(r)
}

// proposals shows what open changes propose, which changes nothing; of many proposals a few, those in conflict first.
func (p importReport) proposals(all []pending.Proposal) {
	ordered := slices.SortedStableFunc(slices.Values(all), func(a, b pending.Proposal) int {
		return cmp.Compare(min(len(b.Conflicts), 1), min(len(a.Conflicts), 1))
	})
	for i, o := range ordered {
		if i == shownProposals {
			p.Line("open changes propose %d more; orchestrator review shows them all, and so does --json", len(all)-i)
			break
		}
		p.Line("%s%s", output.At(o.Path, o.Line), output.Printable(o.String()))
		for _, conflict := range o.Conflicts {
			p.Line("    conflict: %s", output.Printable(conflict))
		}
	}
}

func (p importReport) changes(r drift.Report) {
	for _, c := range r.Changed {
		state := ""
		if c.Suspect {
			state = ", which is suspect now: PM must accept it"
		}
		if len(c.Stale) > 0 {
			state += "; made for another text: " + output.Printable(strings.Join(c.Stale, ", "))
		}
		p.Line("%schanged %s%s", output.At(c.Path, c.Line), output.Printable(c.ID), state)
		if c.Priority != nil {
			p.Line("    priority: %s", p.wordDiff([]drift.Edit{
				{Op: drift.OpDelete, Text: c.Priority.From}, {Op: drift.OpInsert, Text: c.Priority.To}}))
		}
		if len(c.Diff) > 0 {
			p.Line("    %s", p.wordDiff(c.Diff))
		}
	}
}

func (p importReport) renamings(r drift.Report) {
	for _, n := range r.Renamed {
		if n.Declared {
			p.Line("renamed %s to %s, as the document says", output.Printable(n.From), output.Printable(n.To))
		} else {
			p.Line("perhaps renamed %s to %s, which has the same text", output.Printable(n.From), output.Printable(n.To))
		}
		p.Line("    its history goes along with %s",
			output.Printable(advice.Line("orchestrator rename", n.From, n.To, "--reason", "<why>")))
	}
}

func (p importReport) retirements(r drift.Report) {
	for _, x := range r.Retired {
		p.Line("retired %s (%s): %s", output.Printable(x.ID), x.Status, output.Printable(x.Title))
		if len(x.Strands) > 0 {
			p.Line("    work that is left: %s", output.Printable(strings.Join(x.Strands, ", ")))
		}
		if x.PMMust != "" {
			p.Line("    PM must: %s", output.Printable(x.PMMust))
		}
	}
}

// moves names what went to another document; of many that only stand on other lines, a few.
func (p importReport) moves(r drift.Report) {
	shifts := 0
	for _, m := range r.Moved {
		if m.From.Path == m.Path {
			if shifts++; shifts > shownShifts {
				continue
			}
		}
		p.Line("%smoved %s from %s", output.At(m.Path, m.Line), output.Printable(m.ID),
			strings.TrimSuffix(output.At(m.From.Path, m.From.Line), ": "))
	}
	if more := shifts - shownShifts; more > 0 {
		p.Line("moved within their documents: %d more; --json lists them", more)
	}
}

// wordDiff shows runs of words as {+new+}, [-old-], or as they are. White space stands between two runs, but not
// between what was taken away and what came in its place.
func (p importReport) wordDiff(edits []drift.Edit) string {
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

func (p importReport) edit(e drift.Edit) string {
	open, end, c := "", "", output.Plain
	switch {
	case e.Inserts():
		open, end, c = "{+", "+}", output.Green
	case e.Deletes():
		open, end, c = "[-", "-]", output.Red
	}
	lines := strings.Split(e.Text, "\n")
	lines[0] = open + lines[0]
	lines[len(lines)-1] += end
	for i, line := range lines {
		if lines[i] = output.Printable(line); c != output.Plain {
			lines[i] = p.Paint(c, lines[i])
		}
	}
	return strings.Join(lines, "\n    ")
}

// shownProposals is how many proposals are shown.
const shownProposals = 10

// shownAlike is how many remarks with one remedy are shown.
const shownAlike = 5

// remarks shows remarks, each with its remedy; of many that have one remedy, a few.
func (p importReport) remarks(what string, c output.Colour, all []drift.Remark) {
	alike, shown := map[string]int{}, map[string]int{}
	for _, r := range all {
		alike[r.Fix]++
	}
	for _, r := range all {
		n := alike[r.Fix]
		if shown[r.Fix]++; shown[r.Fix] > shownAlike {
			continue
		}
		last := shown[r.Fix] == shownAlike
		p.Line("%s%s %s", output.At(r.Path, r.Line), p.Paint(c, what+":"), output.Printable(r.Message))
		if r.Fix != "" && (n <= shownAlike || last) {
			p.Line("    fix: %s", output.Printable(r.Fix))
		}
		if last && n > shownAlike {
			p.Line("    and %d more with this remedy; --json lists them", n-shownAlike)
		}
	}
}
