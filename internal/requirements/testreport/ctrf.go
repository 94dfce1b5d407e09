package testreport

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
)

// maxSuite is how long the list of the suites around a test may be, in bytes of JSON.
const maxSuite = 64 << 10

// ctrfReport is what a CTRF report says that matters here.
type ctrfReport struct {
	Results struct {
		Tool struct {
			Name string `json:"name"`
		} `json:"tool"`
		Summary *struct {
			ctrfSummary
			Start jsontext.Value `json:"start"`
			Stop  jsontext.Value `json:"stop"`
		} `json:"summary"`
		Tests *ctrfTests `json:"tests"`
	} `json:"results"`
}

type ctrfSummary struct {
	Tests   int `json:"tests"`
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Pending int `json:"pending"`
	Other   int `json:"other"`
}

// ctrfTests are the tests one by one, so that a long list of nothing cannot fill the memory.
type ctrfTests struct {
	cases   []Case
	timings []timing // of the cases
	counted ctrfSummary
}

// ctrfTest is one of them. Its duration is in milliseconds.
type ctrfTest struct {
	Name     string         `json:"name"`
	Status   string         `json:"status"`
	Suite    jsontext.Value `json:"suite"`
	Start    jsontext.Value `json:"start"`
	Stop     jsontext.Value `json:"stop"`
	Duration jsontext.Value `json:"duration"`
}

// readCTRF reads a CTRF report. The tests are what counts; a summary that says otherwise is an error. A test that is
// "pending" did not run; one that is "other" is not known to have passed, so it has failed.
func readCTRF(b []byte) (*reading, error) {
	var report ctrfReport
	if err := json.Unmarshal(b, &report); err != nil {
		if refused := fault.As(err); refused != nil {
			return nil, refused
		}
		return nil, unreadable(CTRF, lineOf(b, err), "%s", reasonOf(err)).Because(err)
	}
	results := report.Results
	switch {
	case results.Tool.Name == "":
		return nil, unreadable(CTRF, 1, "results.tool.name is missing")
	case results.Summary == nil:
		return nil, unreadable(CTRF, 1, "results.summary is missing")
	case results.Tests == nil:
		return nil, unreadable(CTRF, 1, "results.tests is missing")
	case results.Summary.ctrfSummary != results.Tests.counted:
		return nil, fault.New(fault.Invalid, "report_unreadable",
			"the ctrf report contradicts itself: its summary says %+v, its tests are %+v",
			results.Summary.ctrfSummary, results.Tests.counted).WithFix("give the report as the test tool wrote it")
	}
	whole, err := ctrfTiming(results.Summary.Start, results.Summary.Stop, 0)
	if err != nil {
		return nil, fault.New(fault.Invalid, "report_unreadable",
			"the ctrf report cannot be read: in results.summary %s", err).WithFix(fixTime)
	}
	return results.Tests.told(whole), nil
}

// told returns what was read. A test without times ended when the whole did.
func (t *ctrfTests) told(whole timing) *reading {
	told := &reading{}
	for i, c := range t.cases {
		told.add(c, t.timings[i].within(whole))
	}
	if len(t.cases) > 0 {
		told.addAround("", whole)
	}
	return told
}

// ctrfTiming reads when something began and ended. A stop is its end; without one it ended after its start.
func ctrfTiming(start, stop jsontext.Value, took time.Duration) (timing, error) {
	begin, err := momentOf(start)
	if err != nil {
		return timing{}, fmt.Errorf("the start %w", err)
	}
	end, err := momentOf(stop)
	if err != nil {
		return timing{}, fmt.Errorf("the stop %w", err)
	}
	if end == (moment{}) {
		return timing{at: begin, took: took, ran: begin.ran(took)}, nil
	}
	if begin != (moment{}) {
		took = end.at.Sub(begin.at)
	}
	return timing{at: end, took: took, ran: end.ran(0)}, nil
}

// UnmarshalJSONFrom reads the list of tests.
func (t *ctrfTests) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '[' {
		return errors.New("results.tests is not a list")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		var test ctrfTest
		if err := json.UnmarshalDecode(d, &test); err != nil {
			return err
		}
		suite, err := ctrfSuite(test.Suite)
		if err == nil {
			err = t.add(suite, test)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// ctrfSuite reads the suite of a test: a name, or the names from the outermost to the innermost.
func ctrfSuite(v jsontext.Value) (string, error) {
	switch v.Kind() {
	case 0, 'n':
		return "", nil
	case '"':
		var name string
		return name, json.Unmarshal(v, &name)
	}
	if len(v) > maxSuite {
		return "", fault.New(fault.Invalid, "report_too_large", "a suite in the ctrf report has more than %d bytes",
			maxSuite).
			WithFix("give the names of the suites around each test, and no more")
	}
	var names []string
	err := json.Unmarshal(v, &names)
	return strings.Join(names, separators[CTRF]), err
}

func (t *ctrfTests) add(suite string, test ctrfTest) error {
	c := Case{Suite: suite, Name: test.Name}
	switch test.Status {
	case "passed":
		c.Result = Pass
		t.counted.Passed++
	case "failed":
		c.Result = Fail
		t.counted.Failed++
	case "skipped":
		c.Result = Skip
		t.counted.Skipped++
	case "pending":
		c.Result = Skip
		t.counted.Pending++
	case "other":
		c.Result = Fail
		t.counted.Other++
	default:
		return fault.New(fault.Invalid, "report_unreadable",
			"the ctrf report cannot be read: results.tests[%d] has the status %q",
			len(t.cases), clip(test.Status)).WithFix("a status is passed, failed, skipped, pending or other")
	}
	if test.Name == "" {
		return fault.New(fault.Invalid, "report_unreadable",
			"the ctrf report cannot be read: results.tests[%d] has no name", len(t.cases)).
			WithFix("give every test a name")
	}
	if len(t.cases) == MaxCases {
		return tooManyCases()
	}
	timing, err := ctrfTiming(test.Start, test.Stop, durationOf(test.Duration, time.Millisecond))
	if err != nil {
		return fault.New(fault.Invalid, "report_unreadable", "the ctrf report cannot be read: in results.tests[%d] %s",
			len(t.cases), err).WithFix(fixTime)
	}
	t.cases, t.timings = append(t.cases, c), append(t.timings, timing)
	t.counted.Tests++
	return nil
}

// lineOf returns the line of a JSON error.
func lineOf(b []byte, err error) int {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		return lineAt(b, int(syntax.ByteOffset))
	case errors.As(err, &semantic):
		return lineAt(b, int(semantic.ByteOffset))
	}
	return lineAt(b, len(b))
}

// reasonOf returns what is wrong with JSON, in a few words.
func reasonOf(err error) string {
	var semantic *json.SemanticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "an object has the same name twice"
	case errors.As(err, &semantic):
		return clip(string(semantic.JSONPointer)) + " does not have the type that CTRF gives it"
	}
	return "it is not valid JSON, or not all of it is there"
}
