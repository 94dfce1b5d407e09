package render

import (
	"cmp"
	"encoding/xml"
	"io"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/review"
)

type junitSuites struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Skipped  int           `xml:"skipped,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes the result as JUnit XML: a suite for each document with a case for each requirement, before them one for
// what is wrong with the project. What is deferred or retired is skipped.
func (r Gate) JUnit(w io.Writer) error {
	all := junitSuites{Name: clean("gate " + r.Require + " " + r.Project)}
	suites := map[string]*junitSuite{}
	suite := func(name string) *junitSuite {
		if suites[name] == nil {
			suites[name] = &junitSuite{Name: name}
			all.Suites = append(all.Suites, suites[name])
		}
		return suites[name]
	}
	for _, p := range r.Problems {
		suite("project").add(junitCase{
			Name: string(p.Code), Class: "project", File: clean(p.Path), Line: p.Line, Failure: failureOf(p.Code, p.Message,
				p.Path, p.Line),
		})
	}
	for _, c := range r.Cases {
		document := cmp.Or(clean(c.Path), "requirements")
		row := junitCase{Name: clean(c.ID), Class: document, File: clean(c.Path), Line: c.Line}
		switch c.Outcome {
		case review.Fails:
			row.Failure = failureOf(c.Failures[0].Code, c.Finding().Said(), c.Path, c.Line)
		case review.PassesDeferred, review.PassesRetired, review.PassesAsBefore:
			row.Skipped = &junitMessage{Message: c.Outcome}
		}
		suite(document).add(row)
	}
	for _, s := range all.Suites {
		all.Tests, all.Failures, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Skipped+s.Skipped
	}
	b, err := xml.MarshalIndent(all, "", " ")
	if err == nil {
		_, err = w.Write(append([]byte(xml.Header), append(b, '\n')...))
	}
	return err
}

func failureOf(code fault.Code, message, path string, line int) *junitMessage {
	message = clean(message)
	return &junitMessage{Message: message, Type: string(code), Text: message + inBrackets(path, line)}
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}
