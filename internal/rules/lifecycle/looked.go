package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

// The codes of refusals that others have to know.
const (
	CodeEvidenceNotFound fault.Code = "evidence_not_found" // the evidence of the change is not as it says
	CodeGateUnmet        fault.Code = "gate_unmet"
	CodeSchemaViolation  fault.Code = "schema_violation"
	CodeUnjustified      fault.Code = "justification_required"
)

// reportSlack is how much older than the implementation a report may look: file systems keep times that coarse.
const reportSlack = 2 * time.Second

// Claims lists the evidence of a change that can be looked up, in the order of the request: of the justification, of
// the test record, and the files and commits that the implementation names. Pointers lead into the request.
func (c Change) Claims() []Citation {
	var all []Citation
	if c.Justification != nil {
		for i, e := range c.Justification.Evidence {
			all = append(all, Citation{FieldJustification, PointerTo(FieldJustification+"/evidence", i), e})
		}
	}
	if c.Test.Record != nil {
		for i, e := range c.Test.Record.Evidence {
			all = append(all, Citation{FieldTest, PointerTo(FieldTest+"/evidence", i), e})
		}
	}
	return append(all, c.Names...)
}

// NeedsLook reports whether a change says anything that must be looked up where evidence is verified: evidence, a move,
// or a test record or an implementation, which must not be taken on the sender's word.
func (c Change) NeedsLook() bool {
	return len(c.Claims()) > 0 || c.Status != "" || c.Test.Record != nil || c.implements()
}

// implements reports whether the change brings an implementation.
func (c Change) implements() bool { return orNil(c.Implementation) != nil }

// Looked is what the service found of a change before it was decided. A change without it is decided on the word of
// who sent it.
type Looked struct {
	Findings []Finding `json:"findings,omitempty"` // one for each of the change's claims, in their order
	Recheck  *Recheck  `json:"recheck,omitempty"`  // for a move that needs it: of what the requirement rests on
}

// at finds what was found of the claim at a pointer; nil when it is wrong or was not looked up.
func (l *Looked) at(pointer string) *Found {
	if l == nil {
		return nil
	}
	for _, f := range l.Findings {
		if f.Pointer == pointer {
			return f.Found
		}
	}
	return nil
}

// verified returns the list with what was found beside each piece; list itself is left as it is.
func (l *Looked) verified(list []Evidence, under string) []Evidence {
	if l == nil {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Found = l.at(PointerTo(under, i))
	}
	return list
}

// counted returns the test record with its evidence as it was found, and its results as the reports have them.
func (l *Looked) counted(record *TestRecord) *TestRecord {
	if l == nil || record == nil {
		return record
	}
	next := *record
	next.Evidence = l.verified(record.Evidence, FieldTest+"/evidence")
	if sum, complete := next.counts(); complete {
		next.Results = &sum
	}
	return &next
}

// counts adds up the reports that the evidence names, each once; complete is false when there is none, or one was
// not found.
func (t TestRecord) counts() (sum Results, complete bool) {
	seen := map[string]bool{}
	for _, e := range t.Evidence {
		switch {
		case e.Kind != EvidenceTest:
		case e.Found == nil || e.Found.Counts == nil:
			return sum, false
		case !seen[e.Found.SHA256]:
			seen[e.Found.SHA256] = true
			sum = sum.plus(*e.Found.Counts)
		}
	}
	return sum, len(seen) > 0
}

func (r Results) plus(other Results) Results {
	return Results{r.Run + other.Run, r.Passed + other.Passed, r.Failed + other.Failed, r.Skipped + other.Skipped}
}

// checkClaims refuses evidence that cannot be true of any repository.
func checkClaims(c Change) error {
	var wrong []fault.Field
	for _, claim := range c.Claims() {
		for _, path := range []string{claim.Path, claim.Report} {
			if strings.Contains("/"+path+"/", "/../") {
				wrong = append(wrong, fault.Field{Pointer: claim.Pointer, Code: "outside_repository",
					Detail: fmt.Sprintf("%q leads out of the repository", path)})
			}
		}
		first, last, isRange := strings.Cut(claim.Lines, "-")
		if from, _ := strconv.Atoi(first); isRange {
			if to, _ := strconv.Atoi(last); to < from {
				wrong = append(wrong, fault.Field{Pointer: claim.Pointer, Code: "lines_reversed",
					Detail: fmt.Sprintf("lines %s end before they begin", claim.Lines)})
			}
		}
	}
	if wrong == nil {
		return nil
	}
	return fault.New(fault.Invalid, "invalid_evidence", "evidence of the change points nowhere").WithFields(wrong...).
		WithFix("name files by their path inside the repository, and lines from first to last")
}

// checkFindings refuses a change with evidence that was looked up and is not as it says. It fails closed: a claim
// without a finding is as good as false.
func checkFindings(c Change, next Requirement) error {
	if c.Looked == nil {
		return nil
	}
	var wrong []fault.Field
	for i, claim := range c.Claims() {
		switch {
		case i >= len(c.Looked.Findings) || c.Looked.Findings[i].Pointer != claim.Pointer:
			wrong = append(wrong, fault.Field{Pointer: claim.Pointer, Code: "not_looked_up",
				Detail: "it was not looked up"})
		case c.Looked.Findings[i].Wrong != nil:
			field := *c.Looked.Findings[i].Wrong
			field.Pointer = claim.Pointer
			wrong = append(wrong, field)
		}
	}
	if c.implements() && len(c.Names) == 0 {
		wrong = append(wrong, fault.Field{Pointer: "/implementation", Code: "implementation_without_evidence",
			Detail: "it names no file and no commit",
			Fix:    "name what was written in implementation.files or implementation.commits"})
	}
	if wrong == nil {
		wrong = resultsWrong(c, next)
	}
	if wrong == nil {
		return nil
	}
	return fault.New(fault.Invalid, CodeEvidenceNotFound,
		"the evidence is not as the change says; it was looked up in the repository").
		WithFields(wrong...).WithFix("cite what is there: each of errors says what was looked for, where, and what was found instead")
}

// resultsWrong holds the results of a request against the reports that it names.
func resultsWrong(c Change, next Requirement) []fault.Field {
	if c.Test.Record == nil || c.Test.Record.Results == nil {
		return nil
	}
	const fix = "leave results out; the service counts them in the reports that the evidence names"
	sent := *c.Test.Record.Results
	sum, complete := next.Test.counts()
	if !complete {
		return []fault.Field{{Pointer: "/test/results", Code: "results_without_report",
			Detail: "no evidence of kind test names a report that has them", Fix: fix}}
	}
	var wrong []fault.Field
	for _, n := range []struct {
		name       string
		sent, have int
	}{{"passed", sent.Passed, sum.Passed}, {"failed", sent.Failed, sum.Failed},
		{"skipped", sent.Skipped, sum.Skipped}} {
		if n.sent != n.have {
			wrong = append(wrong, fault.Field{Pointer: "/test/results/" + n.name, Code: "results_differ",
				Detail: fmt.Sprintf("the reports have %d %s, not %d", n.have, n.name, n.sent), Fix: fix})
		}
	}
	return wrong
}

// ErrMovedOn says that a requirement changed since its evidence was looked at: look again, and decide again.
var ErrMovedOn = errors.New("the requirement changed while its evidence was looked at")

// LookAgain reports whether a move into the status needs what the requirement rests on to be looked at again: since
// Rules3 where a gate asks for evidence that holds, before only for done.
func (v Rules) LookAgain(to Status) bool {
	return to == Done || v >= Rules3 && slices.ContainsFunc(gates, func(g Gate) bool {
		return g.To == to && slices.Contains(StaleGates(), g.Name)
	})
}

// checkRecheck wants the requirement to be at the revision from which the change was made and, for a move that needs it,
// at which its evidence was looked at again.
func checkRecheck(req Requirement, c Change) error {
	if c.MadeFrom != 0 && c.MadeFrom != req.Revision {
		return ErrMovedOn
	}
	if c.Looked != nil && c.Rules.LookAgain(c.Status) &&
		(c.Looked.Recheck == nil || !c.Looked.Recheck.isOf(req)) {
		return ErrMovedOn
	}
	return nil
}

// attachedIn gives the reports that this very change attaches the number of its record.
func (t *TestRecord) attachedIn(record uint64) *TestRecord {
	if t == nil || record == 0 {
		return t
	}
	for i, e := range t.Evidence {
		if e.Found != nil && e.Found.In == InAttached && e.Found.Record == 0 {
			found := *e.Found
			found.Record = record
			t.Evidence[i].Found = &found
		}
	}
	return t
}

// olderReport describes a report of the test record that is older than the implementation, or is "".
func olderReport(r candidate) string {
	if r.Test == nil || r.Implementation == nil {
		return ""
	}
	for _, e := range r.Test.Evidence {
		if e.Kind == EvidenceTest && e.Found != nil && r.precedesImplementation(*e.Found) {
			return fmt.Sprintf("the report %s is of %s, before the implementation changed at %s; run the tests again",
				e.Report, e.Found.at(r.rules).Format(time.RFC3339), r.Stamps.Implementation.At.Format(time.RFC3339))
		}
	}
	return ""
}

// precedesImplementation compares the numbers of records where both are known, and the time of the run where the report
// has it. A report in the working tree has a time alone. A time says nothing once the clock was set back between the
// implementation and its tests.
func (r candidate) precedesImplementation(report Found) bool {
	implementation, test := r.Stamps.Implementation, r.Stamps.Test
	setBack := r.rules != Rules1 && test.Revision > implementation.Revision && test.At.Before(implementation.At)
	earlier := !setBack && report.at(r.rules).Before(implementation.At.Add(-reportSlack))
	if r.rules != Rules1 && report.Record != 0 && implementation.Record != 0 {
		byItself := r.rules >= Rules3 && !report.Ran.IsZero()
		return report.Record < implementation.Record || byItself && earlier
	}
	return earlier
}

// at returns the latest time at which the run of a report can have been, as far as the rules read it.
func (f Found) at(rules Rules) time.Time {
	if rules >= Rules3 && !f.Ran.IsZero() && f.Ran.Before(f.Modified) {
		return f.Ran
	}
	return f.Modified
}
