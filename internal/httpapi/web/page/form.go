package page

import (
	"github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/httpapi/web/ask"
)

// UnknownForm returns the refusal of a form that asks for nothing that its page can do. It looks as one of the API does.
func UnknownForm() *ask.Refusal {
	p := problem.Of(fault.New(fault.Malformed, "invalid_form", "the form does not say what to do").
		WithFix("send a form of the page as it is"), "")
	body, _ := json.Marshal(p) // of texts alone
	return &ask.Refusal{Problem: p, Body: body}
}
