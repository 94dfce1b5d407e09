// Package adoption plans how requirements that their document calls finished come to done.
//
// A plan is a list of ordinary changes, each of one role: what a person of that role would send. It goes through every
// row of the workflow from the status that a requirement has. What comes next is asked of package guidance, and each
// change is put to the rules before it becomes a line, so that a plan holds nothing that they refuse. Whether the files
// and reports that it cites are there, the service finds out when it gets the change.
//
// The package does no I/O and reads no clock.
package adoption

import (
	"bytes"
	"path/filepath"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
	"orchestrator/internal/system/lazyregexp"
)

// Role is who a change is of.
type Role = lifecycle.Role

// Line is one change of a plan: a line of a JSON Lines file. It has either a request or a report.
type Line struct {
	Role        lifecycle.Role `json:"role"`
	Requirement string         `json:"requirement"`
	Revision    uint64         `json:"revision,omitzero"` // that the requirement has before it; 0 is any
	Request     jsontext.Value `json:"request,omitempty"` // body of PATCH /requirements/{id}
	Report      *ReportFile    `json:"report,omitempty"`  // body of POST /requirements/{id}/test-report
	Why         string         `json:"why,omitempty"`     // for who reads the plan

	Number int `json:"-"` // of the line in the file
}

// ReportFile is the report of a test run that is attached.
type ReportFile struct {
	Path   string `json:"path"`             // from the root of the project on
	SHA256 string `json:"sha256,omitempty"` // of the file when the plan was written; another content is refused
	Commit string `json:"commit,omitempty"` // that was tested
	Tests  string `json:"tests,omitempty"`  // regular expression for the tests that become evidence
}

// The limits of a plan.
const (
	MaxBytes = 64 << 20
	MaxLines = 100_000
	maxLine  = 1<<20 + 16<<10 // the largest request, and what is around it
	maxID    = 128 * 4        // bytes of an id
)

// CodeLine is the code of a line that cannot be read.
const CodeLine fault.Code = "plan_line"

// Read reads a plan. Its error is a *fault.Error that names the line, counted from 1. Empty lines are left out.
func Read(content []byte) ([]Line, error) {
	if len(content) > MaxBytes {
		return nil, fault.New(fault.Invalid, "plan_too_large", "the plan has more than %d MiB", MaxBytes>>20).
			WithFix("split it between the lines of two requirements")
	}
	lines, number := []Line{}, 0
	for text := range bytes.Lines(content) {
		number++
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		if len(lines) == MaxLines {
			return nil, wrongLine(number, "a plan has at most %d lines", MaxLines).
				WithFix("split it between the lines of two requirements")
		}
		line, err := readLine(number, text)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, fault.New(fault.Invalid, "plan_empty", "the plan has no lines").
			WithFix("orchestrator adopt -o FILE writes one, and says why requirements are left out")
	}
	return lines, nil
}

func wrongLine(number int, format string, args ...any) *fault.Error {
	e := fault.New(fault.Invalid, CodeLine, format, args...)
	return e.WithDetail("line %d of the plan: %s", number, e.Detail)
}

const shapeOfLine = `write it as {"role":"coder","requirement":"REQ-001","request":{…}}, or with ` +
	`"report":{"path":"report.xml"} in the place of request`

func readLine(number int, text []byte) (line Line, err error) {
	if len(text) > maxLine {
		return line, wrongLine(number, "it has more than %d KiB", maxLine>>10).
			WithFix("cite files instead of copying them")
	}
	value, err := strictjson.Parse(text)
	if err != nil {
		f := fault.As(err)
		return line, wrongLine(number, "%s", f.Detail).WithFix("%s", f.Fix).Because(err)
	}
	if _, is := value.(map[string]any); !is {
		return line, wrongLine(number, "it is no JSON object").WithFix(shapeOfLine)
	}
	if err := jsonv2.Unmarshal(text, &line, jsonv2.RejectUnknownMembers(true)); err != nil {
		return line, wrongLine(number, "it has a member that a line does not have, or one of another type").
			WithFix(shapeOfLine).Because(err)
	}
	line.Number = number
	return line, line.check(number)
}

var digest = lazyregexp.New(`^[0-9a-f]{64}$`)

// check refuses what no service could take.
func (l Line) check(number int) error {
	role, err := lifecycle.ParseRole(string(l.Role))
	switch {
	case err != nil:
		return wrongLine(number, "%s", fault.As(err).Detail).WithFix("%s", fault.As(err).Fix)
	case lifecycle.FieldsOf(role) == nil:
		return wrongLine(number, "role %s changes nothing", role).WithFix("name the role whose change it is")
	case l.Requirement == "" || len(l.Requirement) > maxID:
		return wrongLine(number, "it names no requirement").WithFix(shapeOfLine)
	case (l.Request == nil) == (l.Report == nil):
		return wrongLine(number, "it needs either a request or a report").WithFix(shapeOfLine)
	case l.Request != nil && l.Request.Kind() != '{':
		return wrongLine(number, "its request is no JSON object").WithFix(shapeOfLine)
	case l.Report != nil && strings.Trim(l.Report.Path, " ") == "":
		return wrongLine(number, "its report has no path").WithFix(shapeOfLine)
	case l.Report != nil && !filepath.IsLocal(filepath.FromSlash(l.Report.Path)):
		return wrongLine(number, "the path of its report leaves the project").
			WithFix("copy the report into the project, and give its path from the root on")
	case l.Report != nil && l.Report.SHA256 != "" && !digest().MatchString(l.Report.SHA256):
		return wrongLine(number, "the sha256 of its report is not 64 hexadecimal digits").
			WithFix("leave sha256 out, or have orchestrator adopt write it")
	}
	return nil
}

// Encode returns a plan as a file.
func Encode(lines []Line) ([]byte, error) {
	var file bytes.Buffer
	for _, l := range lines {
		text, err := jsonv2.Marshal(l, jsonv2.Deterministic(true))
		if err != nil {
			return nil, err
		}
		file.Write(text)
		file.WriteByte('\n')
	}
	return file.Bytes(), nil
}
