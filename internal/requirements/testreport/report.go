// Package testreport reads the report of a test run: JUnit XML, the output of "go test -json", TAP 13 and 14, and CTRF
// JSON.
//
// The format is told from the bytes, never from the name of a file. Reading fails closed. What cannot be read whole is
// an error; what a report says went wrong outside its tests (a package that does not build, a run that was bailed out
// of, a plan that was not kept, failures that are counted and not listed) becomes a failed case, so that it cannot look
// like a pass. A report without tests is not an error: its Counts say that nothing ran.
//
// A report also says when its tests ran. The time of a test is its own, or that of the suites around it; a suite that
// lists no test says nothing. A report may leave times out, but one whose times cannot be read is refused: nobody could
// tell it from an old one. The package does no I/O.
package testreport

import (
	"bytes"

	"orchestrator/internal/fault"
)

// The formats.
const (
	JUnit = "junit"
	Go    = "go"
	TAP   = "tap"
	CTRF  = "ctrf"
)

// The results of a case.
const (
	Pass = "pass"
	Fail = "fail"
	Skip = "skip" // it did not run, or what it says does not count yet (TODO)
)

// The limits of a report.
const (
	MaxBytes = 32 << 20
	MaxCases = 200_000
)

// Case is one test of a report. Names are kept as they are, whatever their length; they are never empty.
type Case struct {
	Suite  string `json:"suite,omitempty"` // junit: class, or else suite; go: package; tap: the tests around it; ctrf: suite; may be empty
	Name   string `json:"name"`
	Result string `json:"result"` // Pass, Fail or Skip
}

// Report is what a report says, test by test, in its order.
type Report struct {
	Format string
	// Run is the same for two reports if they say that the same happened at the same time, however they are laid out: a
	// SHA-256, in hexadecimal, of the tests, their results, times and durations. What tests print is no part of it.
	Run   string
	Ran   Ran // when the last of the tests ended
	Cases []Case
	Spans []Span // when each of Cases ran; nil if Ran says it for all
}

// Counts are the numbers of cases.
type Counts struct {
	Run     int // Passed and Failed
	Passed  int
	Failed  int
	Skipped int
}

// Counts counts the cases.
func (r Report) Counts() Counts {
	var n Counts
	for _, c := range r.Cases {
		switch c.Result {
		case Pass:
			n.Passed++
		case Skip:
			n.Skipped++
		default:
			n.Failed++
		}
	}
	n.Run = n.Passed + n.Failed
	return n
}

// unreadable returns the error of a report that breaks the rules of its format; line is counted from 1.
func unreadable(format string, line int, detail string, args ...any) *fault.Error {
	e := fault.New(fault.Invalid, "report_unreadable", detail, args...)
	return e.WithDetail("the %s report cannot be read: line %d: %s", format, line, e.Detail).
		WithFix("give the whole report, as the test tool wrote it")
}

func tooManyCases() *fault.Error {
	return fault.New(fault.Invalid, "report_too_large", "the report has more than %d tests", MaxCases).
		WithFix("report parts of the run")
}

func lineAt(b []byte, at int) int { return 1 + bytes.Count(b[:min(at, len(b))], []byte("\n")) }
