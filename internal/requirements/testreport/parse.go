package testreport

import (
	"bytes"
	"unicode/utf8"

	"orchestrator/internal/fault"
)

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
	told, err := read(b)
	if err != nil {
		return Report{}, err
	}
	return told.report(format), nil
}

// detect finds the format by the bytes; nil when there is none that they could be in.
func detect(b []byte) (read func([]byte) (*reading, error), format string) {
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
