package testreport

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxNesting    = 64     // elements inside one another
	maxAttributes = 10_000 // of one element
)

// junitReader reads a JUnit report in one pass. It keeps names and outcomes alone, without output and properties, which
// are most of a report; so the memory it takes does not depend on how deep the report is.
type junitReader struct {
	source  *xml.Decoder
	open    []string // the elements that are open
	suites  []junitSuite
	in      bool   // in a test case
	current Case   // it, while it is read
	timing  timing // of it
	outcome string // of it: the element that says so; "" when it has passed
	told    reading
}

type junitSuite struct {
	name    string
	tests   int  // that its attributes count
	listed  int  // in it and in the suites in it
	counted int  // the failures and errors that its attributes count
	failed  bool // it lists one, or a suite in it does
	timing  timing
}

// outcomes are the words in the attributes status and result of a test case that say more than its elements: tools
// that leave out <skipped> or <failure> write these.
var outcomes = map[string]string{
	"notrun": "skipped", "disabled": "skipped", "skipped": "skipped", "suppressed": "skipped", "ignored": "skipped",
	"fail": "failure", "failed": "failure", "failure": "failure", "error": "failure", "interrupted": "failure",
	"timeout": "failure",
}

// readJUnit reads JUnit XML: a <testsuites> or a <testsuite>, with suites inside suites. A test case with a failure or
// error has failed, whatever else it says; a failure or error outside a test case, or a number of them that is not
// listed, is a failed case of its own. A document type, and so any entity of its own, is refused.
func readJUnit(b []byte) (*reading, error) {
	r := &junitReader{source: xml.NewDecoder(&attributeCounter{Reader: bytes.NewReader(b)})}
	r.source.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		if at := bytes.IndexFunc(b, func(c rune) bool { return c >= 0x80 }); at >= 0 {
			return nil, fmt.Errorf("it calls itself %.40q, and holds more than ASCII", label)
		}
		return input, nil
	}
	done := false // the root element has ended
	for {
		token, err := r.source.Token()
		if errors.Is(err, io.EOF) && done {
			return &r.told, nil
		}
		line, _ := r.source.InputPos()
		if err != nil {
			return nil, unreadable(JUnit, line, "it is not whole and well-formed XML in UTF-8").Because(err)
		}
		if err := r.take(token, line, done); err != nil {
			return nil, err
		}
		_, ended := token.(xml.EndElement)
		done = done || ended && len(r.open) == 0
	}
}

func (r *junitReader) take(token xml.Token, line int, done bool) error {
	switch token := token.(type) {
	case xml.Directive:
		return unreadable(JUnit, line, "it has a document type").
			WithFix("leave <!DOCTYPE> and entities out of the report")
	case xml.CharData:
		if len(r.open) == 0 && len(bytes.TrimSpace(token)) > 0 {
			return unreadable(JUnit, line, "there is text outside the root element")
		}
	case xml.StartElement:
		if done {
			return unreadable(JUnit, line, "there is a second root element").
				WithFix("give one report at a time, or put the suites into one <testsuites>")
		}
		return r.start(token, line)
	case xml.EndElement:
		return r.end(token.Name.Local)
	}
	return nil
}

func (r *junitReader) start(e xml.StartElement, line int) error {
	name := e.Name.Local
	if len(r.open) == 0 && name != "testsuites" && name != "testsuite" {
		return unreadable(JUnit, line, "the root element is <%s>", clip(name)).
			WithFix("the root of JUnit XML is <testsuites> or <testsuite>")
	}
	if len(r.open) == maxNesting {
		return unreadable(JUnit, line, "there are more than %d elements inside one another", maxNesting)
	}
	if twice := repeated(e); twice != "" {
		return unreadable(JUnit, line, "an element has the attribute %s twice", twice)
	}
	r.open = append(r.open, name)
	switch name {
	case "testsuites", "testsuite":
		if r.in {
			return unreadable(JUnit, line, "there is a suite inside a test case")
		}
		timing, err := r.timingOf(e, line)
		r.startSuite(e, timing)
		return err
	case "testcase":
		if r.in {
			return unreadable(JUnit, line, "there is a test case inside a test case")
		}
		timing, err := r.timingOf(e, line)
		r.startCase(e, timing)
		return err
	case "failure", "error":
		if r.in {
			r.note("failure")
		} else if parent := r.open[len(r.open)-2]; parent == "testsuites" || parent == "testsuite" {
			return r.failOutside("failed outside its test cases")
		}
	case "skipped":
		if r.in {
			r.note("skipped")
		}
	}
	return nil
}

func (r *junitReader) startSuite(e xml.StartElement, t timing) {
	failures, _ := strconv.Atoi(attribute(e, "failures")) // what is no number counts nothing
	errs, _ := strconv.Atoi(attribute(e, "errors"))
	tests, _ := strconv.Atoi(attribute(e, "tests"))
	r.suites = append(r.suites, junitSuite{name: attribute(e, "name"), tests: tests,
		counted: max(failures, errs, failures+errs), timing: t})
}

// timingOf returns when a suite or a test case ended. Without a time of its own it ended when the suite around it did.
func (r *junitReader) timingOf(e xml.StartElement, line int) (timing, error) {
	at, err := readMoment(attribute(e, "timestamp"))
	if err != nil {
		return timing{}, unreadable(JUnit, line, "the timestamp %s", err).WithFix(fixTime)
	}
	took := readDuration(attribute(e, "time"), time.Second)
	return timing{at: at, took: took, ran: at.ran(took)}.within(r.around()), nil
}

// around returns the timing of the suite that is open.
func (r *junitReader) around() timing {
	if len(r.suites) == 0 {
		return timing{}
	}
	return r.suites[len(r.suites)-1].timing
}

// startCase begins a test case. Without a class it belongs to the suite; without a name it goes by that of its class or
// suite, as when a class could not be set up.
func (r *junitReader) startCase(e xml.StartElement, t timing) {
	class, name := attribute(e, "classname"), attribute(e, "name")
	for i := len(r.suites) - 1; i >= 0 && class == ""; i-- {
		class = r.suites[i].name
	}
	if name == "" {
		name, class = class, ""
	}
	if name == "" {
		name = "a test case without a name"
	}
	r.in, r.current, r.timing, r.outcome = true, Case{Suite: class, Name: name}, t, ""
	for _, attr := range []string{"status", "result"} {
		if element := outcomes[strings.ToLower(attribute(e, attr))]; element != "" {
			r.note(element)
		}
	}
}

// note keeps the outcome of the present test case: once it has failed, nothing else counts.
func (r *junitReader) note(element string) {
	if r.outcome != "failure" {
		r.outcome = element
	}
}

// endCase ends the present test case.
func (r *junitReader) endCase() error {
	if len(r.told.cases) == MaxCases {
		return tooManyCases()
	}
	r.current.Result = junitResults[r.outcome]
	r.told.add(r.current, r.timing)
	suite := &r.suites[len(r.suites)-1]
	suite.failed = suite.failed || r.outcome == "failure"
	suite.listed++
	r.in = false
	return nil
}

var junitResults = map[string]string{"": Pass, "skipped": Skip, "failure": Fail}

// failOutside adds a failed case that stands for what is wrong with the suite.
func (r *junitReader) failOutside(what string) error {
	e := xml.StartElement{Attr: []xml.Attr{{Name: xml.Name{Local: "name"}, Value: what}}}
	r.startCase(e, timing{}.within(r.around()))
	r.note("failure")
	return r.endCase()
}

func (r *junitReader) end(name string) error {
	r.open = r.open[:len(r.open)-1]
	switch name {
	case "testcase":
		return r.endCase()
	case "testsuites", "testsuite":
		return r.endSuite()
	}
	return nil
}

// endSuite holds a suite against what its attributes count, and adds it to the suite that it is in.
func (r *junitReader) endSuite() error {
	suite := &r.suites[len(r.suites)-1]
	if suite.counted > 0 && !suite.failed {
		err := r.failOutside(fmt.Sprintf("%d failures or errors are counted and none is listed", suite.counted))
		if err != nil {
			return err
		}
	}
	if suite.tests > suite.listed {
		err := r.failOutside(fmt.Sprintf("%d tests are counted and %d are listed", suite.tests, suite.listed))
		if err != nil {
			return err
		}
	}
	if suite.listed > 0 {
		r.told.addAround(suite.name, suite.timing)
	}
	if r.suites = r.suites[:len(r.suites)-1]; len(r.suites) > 0 {
		above := &r.suites[len(r.suites)-1]
		above.failed, above.listed = above.failed || suite.failed, above.listed+suite.listed
	}
	return nil
}

// attributes are those that are read.
var attributes = []string{"name", "classname", "status", "result", "tests", "failures", "errors", "timestamp", "time"}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name == (xml.Name{Local: name}) {
			return a.Value
		}
	}
	return ""
}

// repeated returns an attribute that an element has twice, or "": the decoder lets that pass, and the two may differ.
func repeated(e xml.StartElement) string {
	seen := map[string]bool{}
	for _, a := range e.Attr {
		if a.Name.Space != "" || !slices.Contains(attributes, a.Name.Local) {
			continue
		}
		if seen[a.Name.Local] {
			return a.Name.Local
		}
		seen[a.Name.Local] = true
	}
	return ""
}

// attributeCounter stops the decoder, which keeps all attributes of an element, at too many of them.
type attributeCounter struct {
	*bytes.Reader
	last  byte // the last byte that is no white space
	count int
}

// ReadByte implements io.ByteReader, which the decoder uses.
func (c *attributeCounter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	switch {
	case c.last == '<':
		c.count = 0
	case c.last == '=' && (b == '"' || b == '\''):
		if c.count++; c.count > maxAttributes {
			return 0, errors.New("an element has too many attributes")
		}
	}
	if b > ' ' {
		c.last = b
	}
	return b, err
}
