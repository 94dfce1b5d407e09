package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// Dossier shows the review of one requirement.
type Dossier struct{ review.Dossier }

// Markdown writes the review for people who read GitHub.
func (d Dossier) Markdown(w io.Writer) error { return d.sheet().markdown(w) }

// Table writes the review for terminals.
func (d Dossier) Table(w io.Writer, s Style) error { return d.sheet().terminal(w, s) }

func (d Dossier) sheet() sheet {
	row := d.Standing
	s := sheet{title: fmt.Sprintf("Review of %s: %s", row.ID, row.Status), shade: shadeOfRow(row)}
	s.list("", d.head())
	s.add(block{heading: "Text", texts: []string{d.Definition.Text}})
	acceptance := block{heading: "Acceptance", heads: []string{"Id", "Kind", "Text"}}
	for _, c := range d.Definition.Acceptance {
		acceptance.rows = append(acceptance.rows, []cell{name(c.ID), prose(c.Kind), prose(c.Text)})
	}
	s.add(acceptance)
	s.add(d.gates())
	s.add(d.next())
	for _, p := range d.Parts {
		s.add(partBlock(p))
		s.blocks = append(s.blocks, shownBlocks(p.Name, p.Evidence)...)
	}
	s.add(staleBlock(row))
	s.add(d.approvals())
	s.add(d.sinceApproved())
	s.add(d.textChanges())
	s.add(d.deviations())
	notes := block{heading: "Notes of PM", heads: []string{"When", "By", "Text"}}
	for _, n := range d.Notes {
		notes.rows = append(notes.rows, []cell{prose(moment(n.At)), name(n.By), prose(n.Text)})
	}
	s.add(notes)
	if len(d.Proposed) > 0 {
		s.add(proposalsBlock("What open changes propose", d.Proposed))
	}
	s.add(refusedBlock(d.Refused))
	s.add(d.history())
	for _, m := range d.History {
		s.blocks = append(s.blocks, shownBlocks(fmt.Sprintf("the move to %s", m.To), m.Evidence)...)
	}
	if d.NotShown > 0 {
		s.list("", []string{"evidence that there was no room to show: " + strconv.Itoa(d.NotShown)})
	}
	return s
}

// refusedBlock shows the newest refusals, and how many there are.
func refusedBlock(r review.Refused) block {
	b := block{heading: "Refused attempts", heads: []string{"When", "By", "Code", "Times", "Detail", "Record"}}
	for _, one := range r.Newest {
		b.rows = append(b.rows, []cell{prose(moment(one.At)), name(one.By), prose(string(one.Code)), number(one.Times),
			prose(one.Detail), number(int(one.Record))})
	}
	if n := len(b.rows); n > 0 {
		b.lines = []string{fmt.Sprintf("%d in all, the newest first", r.Count)}
		if r.More {
			b.lines = []string{fmt.Sprintf("%d at least, the newest first", r.Count)}
		}
	}
	return b
}

// head returns what is to be said first, a line each.
func (d Dossier) head() []string {
	row, source := d.Standing, d.Definition.Source
	var lines []string
	add := func(there bool, format string, args ...any) {
		if there {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	add(row.Title != "", "title: %s", row.Title)
	add(len(d.FormerIDs) > 0, "formerly: %s", formerly(d.FormerIDs))
	add(true, "where: %s", place(source.Path, source.Line))
	add(len(source.Section) > 0, "section: %s", strings.Join(source.Section, " > "))
	add(source.Priority != "", "priority: %s", source.Priority)
	add(len(d.Definition.Parents) > 0, "derived from: %s", strings.Join(d.Definition.Parents, ", "))
	add(len(d.Definition.DependsOn) > 0, "depends on: %s", strings.Join(d.Definition.DependsOn, ", "))
	add(true, "status: %s%s, revision %d, workflow %s", row.Status, since(row.Since), d.Revision, d.Workflow)
	add(d.Branch != "", "branch: %s", d.Branch)
	add(row.Complete, "document: %s", finished.Words)
	add(row.Tick != "" && !row.Complete, "the document says: %s; the state here is %s", tickWords[row.Tick], row.Status)
	add(true, "waiting for: %s", review.OrNobody(row.WaitingFor))
	missing := missingWords(row)
	add(missing != "", "missing: %s", missing)
	findings := findingWords(row)
	add(findings != "", "findings: %s", findings)
	return lines
}

// formerly names the ids that a requirement had, each with the record that took it away.
func formerly(all []lifecycle.FormerID) string {
	ids := make([]string, len(all))
	for i, f := range all {
		ids[i] = fmt.Sprintf("%s, until record %d", f.ID, f.Record)
	}
	return strings.Join(ids, "; ")
}

var tickWords = map[string]string{reqdoc.TickTicked: "done", reqdoc.TickOpen: "open"}

func (d Dossier) gates() block {
	b := block{heading: "Gates", heads: []string{"Status", "Gate", "Verdict", "Needs", "By", "What is wrong"}}
	for _, g := range d.Gates {
		verdict := cell{text: "unmet", shade: bad}
		if g.Met {
			verdict = cell{text: "met", shade: good}
		}
		b.rows = append(b.rows, []cell{prose(string(g.To)), prose(g.Name), verdict, prose(g.Needs),
			prose(string(g.Supplier)), prose(g.Detail)})
	}
	return b
}

func (d Dossier) next() block {
	b := block{heading: "What each role may do next",
		heads: []string{"Role", "May change", "May move it to", "Once these are supplied"}}
	for _, n := range d.Next {
		var ready, later []string
		for _, m := range n.Moves {
			if m.Ready {
				ready = append(ready, string(m.To))
				continue
			}
			var gates []string
			for _, l := range m.Lacks {
				gates = append(gates, l.Gate)
			}
			later = append(later, fmt.Sprintf("%s (%s)", m.To, strings.Join(gates, ", ")))
		}
		b.rows = append(b.rows, []cell{
			prose(string(n.Role)), prose(strings.Join(n.Fields, ", ")), prose(strings.Join(ready, ", ")),
			prose(strings.Join(later, ", ")),
		})
	}
	return b
}

func partBlock(p review.Part) block {
	text := "the current text"
	if !p.OnText {
		text = "another text"
	}
	b := block{
		heading: "Part: " + p.Name, heads: citedHeads(), rows: citedRows(p.Evidence),
		lines: []string{fmt.Sprintf("by %s (%s) at revision %d, %s, on %s", p.Stamp.By, p.Stamp.Role,
			p.Stamp.Revision, moment(p.Stamp.At), text)},
	}
	if r := p.Results; r != nil {
		b.lines = append(b.lines, fmt.Sprintf("results: %d passed, %d failed, %d skipped", r.Passed, r.Failed,
			r.Skipped))
	}
	for _, text := range []string{indented(p.Content), p.Plan, p.Notes} {
		if text != "" {
			b.texts = append(b.texts, text)
		}
	}
	return b
}

// indented returns JSON on several lines, its members in their order.
func indented(content json.RawMessage) string {
	value := jsontext.Value(bytes.Clone(content))
	if value.Indent(jsontext.WithIndent("  ")) != nil {
		return string(content)
	}
	return string(value)
}

func citedHeads() []string { return []string{"Evidence", "Checked now", "Detail"} }

var checkShades = map[string]shade{review.Holds: good, review.Moved: good, review.Stale: bad}

func citedRows(all []review.Cited) [][]cell {
	var rows [][]cell
	for _, c := range all {
		rows = append(rows, append([]cell{name(evidenceWords(c.Evidence))}, recheckCells(c.Recheck)...))
	}
	return rows
}

func recheckCells(r review.Rechecked) []cell {
	verdict := r.Verdict
	if r.Reason != "" {
		verdict += ": " + r.Reason
	}
	return []cell{{text: verdict, shade: checkShades[r.Verdict]}, prose(r.Detail)}
}

// evidenceWords returns a piece of evidence in one line, with the commit in which it was found.
func evidenceWords(e lifecycle.Evidence) string {
	commit := e.Commit
	if e.Found != nil && e.Found.Commit != "" {
		commit = e.Found.Commit
	}
	words := []string{e.Kind}
	switch e.Kind {
	case lifecycle.EvidenceFile:
		if words = append(words, e.Path); e.Lines != "" {
			words[1] += ":" + e.Lines
		}
		if commit != "" {
			words = append(words, "at "+commit)
		}
	case lifecycle.EvidenceCommit:
		words = append(words, commit)
	case lifecycle.EvidenceTest:
		words = append(words, e.Name, e.Result)
		if e.Report != "" {
			words = append(words, "in "+e.Report)
		}
		if commit != "" {
			words = append(words, "of "+commit)
		}
		if e.Found != nil && e.Found.Tip {
			words = append(words, "(the tip when it was first seen)")
		}
	}
	return strings.Join(words, " ")
}

func staleBlock(row review.Requirement) block {
	b := block{heading: "Stale and moved", heads: []string{"What", "Pointer", "Reason", "Since", "Detail"}}
	for _, s := range row.Stale {
		b.rows = append(b.rows, []cell{{text: "stale " + s.Part, shade: bad}, name(s.Pointer), prose(s.Reason),
			prose(moment(s.Since)), prose(s.Detail)})
	}
	for _, path := range row.Dirty {
		b.rows = append(b.rows, []cell{{text: "dirty", shade: warn}, name(path), prose("uncommitted changes"), prose(""),
			prose("the file on disk is not as the branch has it")})
	}
	for _, m := range row.Moved {
		b.rows = append(b.rows, []cell{prose("moved"), name(m.Pointer), prose("holds elsewhere"),
			prose(moment(m.Since)), name(m.To)})
	}
	return b
}

func (d Dossier) approvals() block {
	b := block{heading: "Approvals", heads: []string{"When", "By", "Decision", "Counts for done", "Changed since",
		"Text"}}
	for _, a := range d.Approvals {
		counts := cell{text: "no", shade: warn}
		if a.Counts {
			counts = cell{text: "yes", shade: good}
		}
		b.rows = append(b.rows, []cell{
			prose(moment(a.At)), name(a.By), prose(a.Decision), counts, prose(strings.Join(a.ChangedSince, ", ")),
			prose(a.Text),
		})
	}
	return b
}

func (d Dossier) deviations() block {
	b := block{heading: "Deviations", heads: []string{"Deviation", "Since", "By", "Text", "Resolution"}}
	for _, v := range d.Deviations {
		resolution := cell{text: "open", shade: bad}
		if r := v.Resolution; r != nil {
			resolution = prosef("%s by %s: %s", r.Outcome, r.By, r.Text)
		}
		b.rows = append(b.rows, []cell{name(v.ID), prose(moment(v.At)), name(v.By), prose(v.Text), resolution})
	}
	return b
}

// history returns a block with a row for each piece of evidence; who, when and why stand in the first of a move.
func (d Dossier) history() block {
	b := block{heading: "History", heads: append([]string{"When", "By", "Move", "Reason"}, citedHeads()...)}
	for _, m := range d.History {
		move := []cell{prose(moment(m.At)), name(m.By), prosef("%s to %s", m.From, m.To), prose(m.Reason)}
		for _, c := range citedRows(m.Evidence) {
			b.rows = append(b.rows, append(move, c...))
			move = make([]cell, len(move))
		}
		if len(m.Evidence) == 0 {
			b.rows = append(b.rows, append(move, make([]cell, len(citedHeads()))...))
		}
	}
	return b
}
