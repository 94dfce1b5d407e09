package review

import (
	"bytes"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
)

// Encoded is the review of a whole project whose requirements are encoded already. It never changes.
type Encoded struct {
	project Project // without requirements
	in      Input
	lines   []*line
}

// Project returns the review as Full makes it.
func (e Encoded) Project() Project {
	p, dead := e.project, e.in.Workflow.DeadEnds()
	for _, l := range e.lines {
		p.Requirements = append(p.Requirements, e.in.row(dead, l.source.Requirement()))
	}
	return p
}

// Narrowed does what Narrowed of Project does.
func (e Encoded) Narrowed(ids []string) Encoded {
	byID := lookup{kept: e.lines}
	e.lines = nil
	for i, id := range ids {
		if l := byID.at(i, id); l != nil {
			e.lines = append(e.lines, l)
		}
	}
	shown := len(e.lines)
	e.project.Shown = &shown
	return e
}

// noRows is how the requirements are encoded where there are none.
const noRows = `"requirements":[]`

// JSON writes what JSON of Project writes.
func (e Encoded) JSON(w io.Writer) error {
	b, err := jsonv2.Marshal(e.project, jsonv2.Deterministic(true))
	if err != nil {
		return err
	}
	at := bytes.LastIndex(b, []byte(noRows)) + len(noRows) - 1
	if _, err = w.Write(b[:at]); err != nil {
		return err
	}
	for i, l := range e.lines {
		if i > 0 {
			_, err = io.WriteString(w, ",")
		}
		for _, part := range []string{l.row.head, l.row.middle.Value(), l.row.tail.Value()} {
			if err == nil {
				_, err = io.WriteString(w, part)
			}
		}
		if err != nil {
			return err
		}
	}
	_, err = w.Write(append(b[at:], '\n'))
	return err
}
