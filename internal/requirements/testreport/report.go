// Package testreport reads the report of a test run: JUnit XML, the output of "go test -json", TAP 13 and 14, and CTRF
// JSON.
//
// The format is told from the bytes, never from the name of a file. Reading fails closed. What cannot be read whole is
// an error; what a report says went wrong outside its tests (a package that does not build, a run that was bailed out
// of, a plan that was not kept, failures that are counted and not listed) becomes a failed case, so that it cannot look
// like a pass. A report without tests is not an error: its Counts say that nothing ran. The package does no I/O.
package testreport

import (
	"bytes"
	"unicode/utf8"

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
	Cases  []Case
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

// Parse reads a report of up to MaxBytes bytes and MaxCases cases. Its error is a *fault.Error of kind Invalid and code
// report_empty, report_too_large, report_unknown or report_unreadable.
func Parse(b []byte) (Report, error) {
	if len(b) > MaxBytes {
		return Report{}, fault.New(fault.Invalid, "report_too_large", "the report has %d bytes; at most %d are read",
			len(b), MaxBytes).
			WithFix("leave the output of the tests out of the report, or report parts of the run")
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(b)) == 0 {
		return Report{}, fault.New(fault.Invalid, "report_empty", "the report is empty").
			WithFix("run the tests, and give the report that they write")
	}
	if at := invalidUTF8(b); at >= 0 {
		return Report{}, fault.New(fault.Invalid, "report_unreadable", "the report is not UTF-8 on line %d",
			lineAt(b, at)).
			WithFix("write the report in UTF-8")
	}
	read, format := detect(b)
	if read == nil {
		return Report{}, fault.New(fault.Invalid, "report_unknown",
			"the report is neither JUnit XML nor go test -json, TAP or CTRF JSON").
			WithFix("give the bytes of the report as the test tool wrote them, without other output before them; with go test, say -json")
	}
	cases, err := read(b)
	if err != nil {
		return Report{}, err
	}
	return Report{Format: format, Cases: cases}, nil
}

// detect finds the format by the bytes; nil when there is none that they could be in.
func detect(b []byte) (read func([]byte) ([]Case, error), format string) {
	switch bytes.TrimSpace(b)[0] {
	case '<':
		return readJUnit, JUnit
	case '{':
		switch firstMember(b, "Action", "results") {
		case "Action":
			return readGo, Go
		case "results":
			return readCTRF, CTRF
		}
		return nil, ""
	}
	if looksLikeTAP(b) {
		return readTAP, TAP
	}
	return nil, ""
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

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func lineAt(b []byte, at int) int { return 1 + bytes.Count(b[:min(at, len(b))], []byte("\n")) }
