package main

import (
	"fmt"
	"strings"

	"orchestrator/internal/rules/lifecycle"
)

// actors are who changes requirements, by role.
var actors = map[string]lifecycle.Actor{
	"pm":        {Name: "paula", Role: lifecycle.PM},
	"architect": {Name: "archy", Role: lifecycle.Architect},
	"coder":     {Name: "cody", Role: lifecycle.Coder},
	"tester":    {Name: "tess", Role: lifecycle.Tester},
}

// step is one proposal in the life of a requirement. In its change %[1]d is the requirement and %[2]d the step.
type step struct {
	role    string
	change  string
	refused string // the code that refuses it; "" when it is accepted
	ifMatch []string
}

func (s step) body(n, i int) []byte {
	if !strings.Contains(s.change, "%") {
		return []byte(s.change)
	}
	return fmt.Appendf(nil, s.change, n, i)
}

// life is what every requirement goes through: from planned to done with a note here and there, and of the twenty
// proposals three that are refused.
var life = []step{
	{role: "pm", change: to("planned")},
	{role: "pm", change: note},
	{role: "coder", change: to("design_ready"), refused: "field_forbidden"},
	{role: "pm", change: to("design_in_progress")},
	{role: "pm", change: to("design_ready"), refused: "gate_unmet"},
	{role: "architect", change: design},
	{role: "pm", change: note},
	{role: "pm", change: to("design_ready")},
	{role: "pm", change: to("implementation_in_progress"), ifMatch: []string{"*"}},
	{role: "coder", change: implementation},
	{role: "coder", change: implementation},
	{role: "pm", change: to("implemented")},
	{role: "pm", change: to("test_in_progress")},
	{role: "pm", change: note},
	{role: "tester", change: test},
	{role: "tester", change: to("tested_fail"), refused: "gate_unmet"},
	{role: "tester", change: to("tested_pass")},
	{role: "pm",
		change: `{"deviations":[{"id":"D1","text":"Step %[2]d of %[1]d took another way than the design.",` +
			`"resolution":{"outcome":"accepted","text":"The design was too narrow."}}]}`},
	{role: "pm", change: `{"approvals":[{"decision":"approved","text":"As required; the tests of %[1]d were looked at in step %[2]d."}],` + to("done")[1:]},
	{role: "pm", change: note},
}

func to(status string) string {
	return `{"status":"` + status +
		`","justification":{"reason":"Agreed in the review of requirement %[1]d: step %[2]d is complete, and nothing is open.",` +
		`"evidence":[{"kind":"file","path":"docs/reviews/review-%[1]d.md","lines":"1-4%[2]d"},{"kind":"commit","commit":"%012[1]x"}]}}`
}

const (
	note   = `{"pm_notes":[{"text":"Talked to the customer about %[1]d in step %[2]d: the wording stays, and the error message shall say what to do next."}]}`
	design = `{"design_spec":{"summary":"Requirement %[1]d is met in the ledger: one transaction holds the change and its record.",` +
		`"decisions":["Step %[2]d: the head is read and written by every update, so that updates are ordered."],"risks":["A long read holds pages back."]}}`
	implementation = `{"implementation":{"summary":"Requirement %[1]d, step %[2]d: decisions are appended to the log in the transaction that makes them.",` +
		`"files":[{"path":"internal/ledger/tx.go","lines":"40-88","change":"appends the record"},{"path":"internal/ledger/read.go","lines":"12-40"}],` +
		`"commits":["%012[1]x"],"notes":"The head is read and written by every update, so that updates are ordered."}}`
	test = `{"test":{"evidence":[{"kind":"test","name":"TestRequirement_%06[1]d_%[2]d","result":"pass",` +
		`"report":"build/report-%[1]d.xml"}],"notes":"All of it on a fresh clone."}}`
)
