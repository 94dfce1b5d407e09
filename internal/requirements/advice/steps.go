package advice

import (
	"strings"

	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
)

var (
	aMove  = lazyregexp.New(`PATCH \{"status":"([a-z_]+)"\} with its justification`)
	aField = lazyregexp.New(`(?:POST /requirements/[^ ]+/test-report <[^>]*>, or )?PATCH with ([a-z_]+)`)
)

// Steps returns a text with commands in the place of the requests that it names, such as what a requirement still lacks.
func Steps(id, text string) string {
	text = aMove().ReplaceAllStringFunc(text, func(request string) string {
		to := aMove().FindStringSubmatch(request)[1]
		return move(id, to, " --reason '<why>' --evidence '<file>'")
	})
	text = aField().ReplaceAllStringFunc(text, func(request string) string {
		if command := supplied(id, aField().FindStringSubmatch(request)[1]); command != "" {
			return command
		}
		return request
	})
	return Typed(id, text)
}

// supplied returns the command that supplies a field; "" where none does.
func supplied(id, field string) string {
	var b guidance.Body
	switch field {
	case lifecycle.FieldDesignSpec:
		b.DesignSpec = &guidance.Design{}
	case lifecycle.FieldImplementation:
		b.Implementation = &guidance.Implementation{}
	case lifecycle.FieldTest:
		b.Test = &lifecycle.TestRecord{}
	case lifecycle.FieldApprovals:
		b.Approvals = []lifecycle.NewApproval{{}}
	case lifecycle.FieldDeviations:
		b.Deviations = []lifecycle.DeviationChange{{}}
	default:
		return ""
	}
	return Body(id, b)
}

// Reasoned returns a sentence that asks for a move with the reason that it lacks, or with what shows that.
func Reasoned(said string) string {
	if strings.Contains(said, " because ") {
		return "say which file shows it: " + said + ", see <file>"
	}
	return "say why: " + said + " because <why>"
}
