package adoption

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/requirements/testruns"
	"orchestrator/internal/rules/lifecycle"
)

// Report is the report of a test run that a plan may cite.
type Report struct {
	path, commit string
	kept         record.Report
	read         testreport.Report
	digest       string // of the file
}

// ReadReport reads a report, which lies at a path from the root of the project on. Commit is the full id of the one
// that was tested; "" is for the service to find out.
func ReadReport(path string, content []byte, commit string, now time.Time) (Report, error) {
	read, err := testreport.Parse(content)
	if err != nil {
		return Report{}, err
	}
	kept, err := testruns.Attached(content, read, commit, now)
	plain, _ := testruns.Attached(content, read, "", now)
	return Report{path, commit, kept, read, plain.SHA256}, err
}

// Path returns where the report lies.
func (r Report) Path() string { return r.path }

// choice is what a report says of a requirement.
type choice struct {
	report Report
	cited  []lifecycle.Evidence
	tests  string // chooses them, where their names do not name the requirement
	failed string // the name of a test that failed
}

// choose looks for the tests of a requirement in a report: those whose names name it or, if there are none, those whose
// names stand in what its marks verify.
func (r Report) choose(id string, ids *idmatch.IDs, verified []string) choice {
	c := choice{report: r}
	names := func(e lifecycle.Evidence) bool { return slices.Contains(ids.In(e.Name), id) }
	var cases []testreport.Case
	for _, one := range r.read.Cases {
		if slices.Contains(ids.In(one.Name), id) {
			cases = append(cases, one)
		}
	}
	if len(cases) == 0 {
		if cases = r.standingIn(verified); len(cases) > 0 {
			c.tests = patternOf(cases)
		}
	}
	for _, e := range testruns.Cited(r.read, cases, names, maxTests) {
		if e.Result == testreport.Fail && c.failed == "" {
			c.failed = e.Name
		}
		e.Report, e.ReportCommit = lifecycle.AttachedPrefix+r.kept.SHA256, r.commit
		c.cited = append(c.cited, e)
	}
	return c
}

// maxTests is how many tests of a requirement are cited; the service takes as many of those that name it.
const maxTests = 20

// standingIn returns the cases whose names stand as words in one of some texts.
func (r Report) standingIn(texts []string) (cases []testreport.Case) {
	if len(texts) == 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, one := range r.read.Cases {
		if len(cases) == maxTests || seen[one.Name] || len(one.Name) < 4 {
			continue
		}
		seen[one.Name] = true
		if slices.ContainsFunc(texts, func(text string) bool { return hasWord(text, one.Name) }) {
			cases = append(cases, one)
		}
	}
	return cases
}

// hasWord reports whether a name stands in a text, and is no part of a longer one.
func hasWord(text, name string) bool {
	part := func(b byte) bool {
		return b == '_' || '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z' || b >= 0x80
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		if (at == 0 || !part(text[at-1])) && (end == len(text) || !part(text[end])) {
			return true
		}
		from = at + 1
	}
}

// patternOf returns the regular expression that chooses cases by their names.
func patternOf(cases []testreport.Case) string {
	var names []string
	for _, c := range cases {
		names = append(names, regexp.QuoteMeta(c.Name))
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// best returns what the reports say of a requirement: a failure before all, else the most tests that passed.
func best(all []Report, id string, ids *idmatch.IDs, verified []string) (found choice) {
	for _, r := range all {
		c := r.choose(id, ids, verified)
		if c.failed != "" {
			return c
		}
		if len(c.cited) > len(found.cited) {
			found = c
		}
	}
	return found
}
