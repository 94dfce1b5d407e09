package review

import (
	"fmt"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/account"
)

// contradictions returns the reasons why the project is inconsistent.
func (p *Project) contradictions(t *tally) []string {
	reasons := []string{}
	if log := p.Log.problem(); log != "" {
		reasons = append(reasons, log)
	}
	if i := p.Findings.Import; !i.OK {
		reasons = append(reasons, i.Reason())
	}
	if n := len(p.Findings.Drift); n > 0 {
		reasons = append(reasons, fmt.Sprintf("requirement documents that are not what was imported: %d", n))
	}
	for _, c := range []struct {
		code      fault.Code
		one, more string
	}{
		{CodeGateUnmet, "fails gates of done", "fail gates of done"},
		{CodeStale, "is stale", "are stale"},
		{CodeSuspect, "is suspect: its text changed, and PM has not accepted it", "are suspect: their text changed, and PM has not accepted it"},
		{CodeOpenDeviation, "has an open deviation", "have an open deviation"},
		{CodeRetiredWithWork, "was removed from its document and is not deferred", "were removed from their documents and are not deferred"},
	} {
		n := t.doneWith[c.code]
		what := c.more
		if n == 1 {
			what = c.one
		}
		if n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d of %d done requirements %s", n, p.Counts.Done, what))
		}
	}
	return reasons
}

// unfinished returns the reasons why a project is not ready that may well be consistent.
func (t *tally) unfinished() []string {
	var reasons []string
	if t.live == 0 {
		return append(reasons, "there is no requirement in force")
	}
	if n := t.open; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d requirements %s open", n, t.live, are(n)))
	} else if t.counts.Done == 0 {
		reasons = append(reasons, "no requirement is done; all are deferred")
	}
	return reasons
}

// live counts the requirements that are not retired for good.
func (p *Project) live() (n int) {
	for _, r := range p.Requirements {
		if !r.Retired || r.Has(CodeRetiredWithWork) {
			n++
		}
	}
	return n
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// The codes of what is wrong with the project as a whole.
const (
	CodeImport  fault.Code = "import_failed"
	CodeDrift   fault.Code = "drift"
	CodeLog     fault.Code = "log"
	CodeEmpty   fault.Code = "no_requirements"
	CodeVerdict fault.Code = "verdict"
	CodeNotRead fault.Code = "not_read" // something may be missing from the state
)

// Problem is one thing that is wrong, and where. A Line of 0 is the file as a whole, a Path of "" no file at all.
type Problem struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Path    string     `json:"path,omitempty"`
	Line    int        `json:"line,omitzero"`
}

// problems returns what is wrong with the project as a whole: the log, the import, the documents.
func (p *Project) problems() []Problem {
	var all []Problem
	if log := p.Log.problem(); log != "" {
		all = append(all, Problem{Code: CodeLog, Message: log})
	}
	if i := p.Findings.Import; !i.OK {
		all = append(all, i.problems()...)
	}
	for _, d := range p.Findings.Drift {
		all = append(all, Problem{Code: CodeDrift, Message: d.Path + " is not what was imported: " + d.Detail,
			Path: d.Path})
	}
	return all
}

// lacks returns what may be missing from the state: each row that looks like a requirement and was not taken, each
// stated total that differs, and each document of which nothing was read. What remarks do not name is counted.
func (r *Reading) lacks() []Problem {
	if r == nil {
		return []Problem{{Code: CodeNotRead, Message: "what was read of the documents is not known: import them again"}}
	}
	var all []Problem
	for _, d := range r.Documents {
		left := d.Missed() + d.Totals + d.Empty
		for _, remark := range d.Remarks {
			if account.Strict(remark.Reason) {
				left--
				all = append(all, Problem{CodeNotRead, remark.Message, d.Path, remark.Line})
			}
		}
		if left > 0 {
			all = append(all, Problem{Code: CodeNotRead, Message: d.String(), Path: d.Path})
		}
	}
	return all
}

// problem returns why the log cannot be trusted, or "". One that was not looked at is trusted, and listed as unchecked.
func (l Log) problem() string {
	switch {
	case l.Problem != "":
		return "the log cannot be trusted: " + l.Problem
	case l.VerifiedUpTo != 0 && l.VerifiedUpTo != l.Size:
		return fmt.Sprintf("the log has %d records, and is verified up to %d", l.Size, l.VerifiedUpTo)
	}
	return ""
}

// Reason returns why the last import failed, in one line.
func (i Import) Reason() string {
	switch {
	case i.Problem == nil:
		return "the last import failed"
	case len(i.Problem.Errors) > 0:
		return fmt.Sprintf("the last import failed: %s (errors: %d)", i.Problem.Detail, len(i.Problem.Errors))
	}
	return "the last import failed: " + i.Problem.Detail
}

// problems returns one problem for each error, or one for the import.
func (i Import) problems() []Problem {
	if i.Problem == nil || len(i.Problem.Errors) == 0 {
		return []Problem{{Code: CodeImport, Message: i.Reason()}}
	}
	var all []Problem
	for _, e := range i.Problem.Errors {
		all = append(all, Problem{CodeImport, "the last import failed: " + e.Detail, e.Path, e.Line})
	}
	return all
}
