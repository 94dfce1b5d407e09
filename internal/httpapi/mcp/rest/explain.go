package rest

import (
	"fmt"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/problem"
)

// maxWhy is the most bytes that Explain returns of what is no problem.
const maxWhy = 500

// inTools says in the words of tools what the API says in those of HTTP.
var inTools = strings.NewReplacer(
	"which If-Match does not name", "which is not the revision that was sent",
	"with its present ETag", "with its present revision",
	", as Retry-After says", "",
	"see /schemas/change_request.schema.json", "see the schema of change",
	"; GET /forms lists all", "",
)

// Explain returns what was refused, why, and what to do instead, as the problem tells that a refusal has for its body.
func Explain(body []byte) string {
	var p problem.Problem
	if err := Unmarshal(body, &p); err != nil || p.Code == "" {
		return fault.Clip(string(body), maxWhy)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Refused (%s): %s.", p.Code, strings.TrimSuffix(p.Detail, "."))
	for _, f := range p.Errors {
		fmt.Fprintf(&b, "\n- %s", strings.TrimPrefix(f.Pointer+": "+f.Detail, ": "))
	}
	if p.Fix != "" {
		fmt.Fprintf(&b, "\nWhat to do: %s.", strings.TrimSuffix(p.Fix, "."))
	}
	if len(p.Allowed) > 0 {
		moves := make([]string, len(p.Allowed))
		for i, m := range p.Allowed {
			moves[i] = fmt.Sprintf("to %s by %s", m.To, m.By)
		}
		fmt.Fprintf(&b, "\nAllowed moves: %s.", strings.Join(moves, ", "))
	}
	if p.Current != nil {
		fmt.Fprintf(&b, "\nThe requirement is %s, revision %d.", p.Current.Status, p.Current.Revision)
	}
	return inTools.Replace(b.String())
}
