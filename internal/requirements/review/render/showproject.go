package render

import (
	"fmt"
	"io"
	"strings"

	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// Project shows the review of a project.
type Project struct{ review.Project }

// Markdown writes the review for people who read GitHub.
func (p Project) Markdown(w io.Writer) error { return p.sheet().markdown(w) }

// Table writes the review for terminals.
func (p Project) Table(w io.Writer, s Style) error { return p.sheet().terminal(w, s) }

var shadeOf = map[string]shade{review.Ready: good, review.NotReady: warn, review.Inconsistent: bad}

func (p Project) sheet() sheet {
	s := sheet{title: fmt.Sprintf("Review of %s: %s", p.Project.Project, p.Verdict), shade: shadeOf[p.Verdict]}
	s.list("", append(append([]string{}, p.Reasons...), p.basis()...))
	s.add(countsBlock(p.Counts))
	requirements := block{
		heading: p.shown(),
		heads:   []string{"Requirement", "Status", "Since", "Waiting for", "Missing", "Findings", "Where", "Title"},
	}
	for _, r := range p.Requirements {
		requirements.rows = append(requirements.rows, []cell{
			name(r.ID), {text: string(r.Status), shade: shadeOfRow(r)},
			prose(day(r.Since)), prose(review.Joined(r.WaitingFor)),
			prose(missingWords(r)), prose(findingWords(r)), name(place(r.Path, r.Line)), prose(r.Title),
		})
	}
	s.add(requirements)
	showFindings(&s, p.Findings)
	return s
}

// shown heads the requirements; where only some of them were asked for, it says so.
func (p Project) shown() string {
	if p.Shown == nil {
		return "Requirements"
	}
	return fmt.Sprintf("Requirements: %d of %d", *p.Shown, p.Counts.Total)
}

func shadeOfRow(r review.Requirement) shade {
	switch {
	case r.OK:
		return good
	case r.Status == lifecycle.Done || r.Has(review.CodeRetiredWithWork) || r.Has(review.CodeSuspect) ||
		r.Has(review.CodeStale):
		return bad
	}
	return warn
}

// basis returns what the review rests on.
func (p Project) basis() []string {
	log := fmt.Sprintf("log: %d records, root %s", p.Log.Size, p.Log.Root)
	if p.Log.VerifiedUpTo > 0 {
		log += fmt.Sprintf(", verified up to %d", p.Log.VerifiedUpTo)
	}
	basis := "workflow " + p.Workflow
	if p.Evidence != "" {
		basis += ", evidence: " + p.Evidence
	}
	if p.Branch != "" {
		basis += ", branch " + p.Branch
	}
	lines := []string{log, basis}
	if r := p.Findings.Reading; r != nil {
		lines = append(lines, "documents: "+r.String())
	}
	for _, u := range p.Unchecked {
		lines = append(lines, "not checked: "+u)
	}
	return lines
}

func countsBlock(c review.Counts) block {
	b := block{heading: "Counts", heads: []string{"Requirements", "Number"}}
	add := func(what string, n int) {
		if n > 0 {
			b.rows = append(b.rows, []cell{prose(what), number(n)})
		}
	}
	b.rows = append(b.rows, []cell{prose("all"), number(c.Total)},
		[]cell{prose("with nothing against them"), number(c.OK)})
	for _, status := range lifecycle.Statuses() {
		add(string(status), c.ByStatus[status])
	}
	add("done, but stale", c.DoneStale)
	add("stale", c.Stale)
	add("suspect", c.Suspect)
	add(finished.Words, c.Complete)
	add("lacking something", c.Missing)
	add("whose evidence moved", c.Moved)
	add("retired", c.Retired)
	add("retired with work", c.RetiredWithWork)
	add("open deviations", c.OpenDeviations)
	return b
}

// showFindings adds a block for each kind of finding that there is.
func showFindings(s *sheet, f review.Findings) {
	s.add(importBlock(f.Import))
	if f.Reading != nil {
		s.add(readingBlock(*f.Reading))
	}
	for _, b := range pendingBlocks(f.Pending) {
		s.add(b)
	}
	drift := block{heading: "Documents that are not what was imported", heads: []string{"Document", "What"}}
	for _, d := range f.Drift {
		drift.rows = append(drift.rows, []cell{name(d.Path), prose(d.Detail)})
	}
	displaced := block{heading: "What stood in the place of files of the service, and was replaced",
		heads: []string{"File", "Was", "Times"}}
	for _, d := range f.Displaced {
		displaced.rows = append(displaced.rows, []cell{name(d.Path), prose(d.Was), number(d.Times)})
	}
	dead := block{heading: "Dead ends: the workflow has no way from here to done",
		heads: []string{"Status", "Number", "Requirements"}}
	for _, d := range f.DeadEnds {
		dead.rows = append(dead.rows, []cell{prose(string(d.Status)), number(len(d.Requirements)),
			name(review.Joined(d.Requirements))})
	}
	duties := block{heading: "Who approves whom", heads: []string{"Part", "Maker", "Approver", "Approved", "Always"}}
	for _, d := range f.Duties {
		always := cell{}
		if d.Always {
			always = cell{text: "always", shade: warn}
		}
		duties.rows = append(duties.rows, []cell{prose(d.Part), name(d.Maker), name(d.Approver),
			prosef("%d of %d", d.Count, d.Of), always})
	}
	deviations := block{heading: "Open deviations", heads: []string{"Requirement", "Deviation", "Since", "By", "Text"}}
	for _, d := range f.Deviations {
		deviations.rows = append(deviations.rows, []cell{name(d.Requirement), name(d.ID), prose(moment(d.Since)),
			name(d.By), prose(d.Text)})
	}
	refused, codes := refusedBlocks(f.Refused)
	stranded := block{heading: "Retired with work on them", heads: []string{"Requirement", "Status", "What is left"}}
	for _, r := range f.RetiredWithWork {
		stranded.rows = append(stranded.rows, []cell{name(r.ID), prose(string(r.Status)),
			prose(review.Joined(r.Strands))})
	}
	for _, b := range []block{drift, displaced, dead, duties, deviations, refused, codes, stranded} {
		s.add(b)
	}
}

// refusedBlocks lists who was refused how often, and why.
func refusedBlocks(by []review.ActorCount) (refused, codes block) {
	refused = block{heading: "Refused attempts", heads: []string{"Actor", "Role", "Refused", "Accepted"}}
	for _, a := range by {
		refused.rows = append(refused.rows, []cell{name(a.Name), prose(string(a.Role)), number(a.Refused),
			number(a.Accepted)})
	}
	codes = block{heading: "Why they were refused", heads: []string{"Actor", "Code", "Times", "Last", "Detail of the last"}}
	for _, a := range by {
		for _, c := range a.Codes {
			codes.rows = append(codes.rows, []cell{name(a.Name), prose(string(c.Code)), number(c.Count), prose(moment(c.At)),
				prose(c.Detail)})
		}
	}
	return refused, codes
}

// pendingBlocks list what open changes propose, and what is wrong with their files.
func pendingBlocks(open *pending.Open) []block {
	if open == nil {
		return nil
	}
	faults := block{heading: "What was not read of open changes", heads: []string{"Where", "What", "Fix"}}
	for _, r := range open.Remarks {
		faults.rows = append(faults.rows, []cell{name(place(r.Path, r.Line)), prose(r.Message), prose(r.Fix)})
	}
	if open.More > 0 {
		faults.rows = append(faults.rows, []cell{{}, prosef("%d more", open.More), {}})
	}
	return []block{proposalsBlock("What open changes propose ("+open.Summary()+")", open.Proposals), faults}
}

func proposalsBlock(heading string, all []pending.Proposal) block {
	b := block{heading: heading, heads: []string{"Requirement", "Change", "Would", "Where", "Against it"}}
	for _, p := range all {
		does, against := p.Does, cell{text: strings.Join(p.Conflicts, "; "), shade: warn}
		if p.To != "" {
			does += " to " + p.To
		}
		if p.Applied && len(p.Conflicts) == 0 {
			against = prose("nothing: the documents have it already")
		}
		b.rows = append(b.rows, []cell{name(p.Requirement), name(p.Change), prose(does), name(place(p.Path, p.Line)),
			against})
	}
	return b
}

// readingBlock lists what was not taken of the documents, and what else is to be said of them.
func readingBlock(r review.Reading) block {
	b := block{heading: "What was not read of the documents", heads: []string{"Where", "Why", "What", "Text"}}
	for _, d := range r.Documents {
		for _, remark := range d.Remarks {
			why := cell{text: remark.Reason}
			if account.Strict(remark.Reason) {
				why.shade = warn
			}
			b.rows = append(b.rows, []cell{name(place(d.Path, remark.Line)), why, prose(remark.Message),
				prose(remark.Excerpt)})
		}
		if len(d.Remarks) == 0 {
			b.rows = append(b.rows, []cell{name(d.Path), {}, prose(d.String()), {}})
		}
		if d.More > 0 {
			b.rows = append(b.rows, []cell{name(d.Path), {}, prosef("%d more", d.More), {}})
		}
	}
	return b
}

func importBlock(i review.Import) block {
	b := block{heading: "The last import failed", heads: []string{"Where", "What", "Fix"}}
	if i.OK {
		return b
	}
	b.lines = append(b.lines, i.Reason())
	if i.Problem == nil {
		return b
	}
	if i.Problem.Fix != "" {
		b.lines = append(b.lines, "fix: "+i.Problem.Fix)
	}
	for _, e := range i.Problem.Errors {
		b.rows = append(b.rows, []cell{name(place(e.Path, e.Line)), prose(e.Detail), prose(e.Fix)})
	}
	return b
}
