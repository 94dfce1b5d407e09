package testreport

import (
	"regexp"
	"regexp/syntax"

	"orchestrator/internal/fault"
)

// The limits of a pattern. Matching takes up to one step for each of its instructions and each byte of the names.
const (
	maxPattern = 1000 // bytes
	maxSteps   = 100_000_000
)

// Select returns the cases whose name, alone or in full, matches a regular expression, wherever in the name it matches.
// Its error is a *fault.Error of kind Invalid and code tests_pattern_invalid or tests_pattern_matches_nothing.
func (r Report) Select(pattern string) ([]Case, error) {
	re, err := r.compile(pattern)
	if err != nil {
		return nil, err
	}
	var selected []Case
	for _, c := range r.Cases {
		if re.MatchString(c.Name) || c.Suite != "" && re.MatchString(r.FullName(c)) {
			selected = append(selected, c)
		}
	}
	if len(selected) == 0 {
		return nil, r.nothingMatches(pattern)
	}
	return selected, nil
}

func (r Report) compile(pattern string) (*regexp.Regexp, error) {
	if pattern == "" || len(pattern) > maxPattern {
		return nil, invalidPattern("the pattern has %d bytes; it needs at least 1, and at most %d are read", len(pattern),
			maxPattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, invalidPattern("the pattern %q is no regular expression: %s", clip(pattern), clip(err.Error()))
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, invalidPattern("the pattern %q is no regular expression: %s", clip(pattern), clip(err.Error()))
	}
	if len(program.Inst)*r.nameBytes() > maxSteps {
		return nil, invalidPattern("the pattern %q is too large for the %d tests of the report", clip(pattern), len(r.Cases))
	}
	return regexp.MustCompile(pattern), nil
}

func invalidPattern(detail string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "tests_pattern_invalid", detail, args...).
		WithFix("give a short regular expression as go test -run reads it, such as ^TestLogin")
}

// nameBytes returns how many bytes Select may look at.
func (r Report) nameBytes() int {
	n := 0
	for _, c := range r.Cases {
		n += 2*len(c.Name) + len(c.Suite)
	}
	return n
}

func (r Report) nothingMatches(pattern string) *fault.Error {
	e := fault.New(fault.Invalid, "tests_pattern_matches_nothing", "no name of the %d tests of the report matches %q",
		len(r.Cases), clip(pattern))
	if len(r.Cases) == 0 {
		return e.WithFix("report a run in which tests ran")
	}
	return e.WithFix("give a pattern that names such as %q match", clip(r.FullName(r.Cases[0])))
}
