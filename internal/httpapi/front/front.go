// Package front writes what GET / answers: what the service is, how to authenticate, and the calls that matter, in at
// most MaxBytes. It is pure.
package front

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/rules/lifecycle"
)

// MaxBytes is the most that the front page has, in each of its forms.
const MaxBytes = 2048

// Caller is who asks, as far as it showed a token.
type Caller struct {
	Name, Role string // of a token that is in force
	Refused    string // why the token that was shown is not

	Requirement string // that the token is bound to; "" for none
}

// call is one that matters, and what for.
type call struct {
	Call string `json:"call"`
	Does string `json:"does"`
}

var calls = []call{
	{"GET /next", "what to do first, and why"},
	{"GET /requirements/{id}/next", "what you may send now, each with a body to copy"},
	{"PATCH /requirements/{id}", "propose a change; ?dry_run=true asks, Prefer: return=minimal is short"},
	{"POST /requirements/{id}/test-report", "a report, as it was written"},
	{"POST /requirements/{id}/claim {}", "keep your field to yourself for 30m"},
	{`POST /requests {"utterance":"what should I do next?"}`, "ask in words"},
}

var more = []call{
	{"GET /openapi.json", "the contract; or GET /docs"},
	{"GET /problems/{code}", "what a refusal means"},
	{"GET /workflow", "moves, gates, fields"},
	{"GET /audit?requirement=ID&order=desc", "decisions and refusals"},
}

const (
	what = "orchestrator keeps the status of every requirement. You propose changes; it decides, and records every decision."
	auth = "Authorization: Bearer TOKEN"
	ends = "2xx: applied, on record. 4xx: not applied; fix says what to do. 5xx, or none: unknown; send it again with the same " +
		"Idempotency-Key."
)

// changes are a change of each role to copy. Whoever shows no token sees that of the pm, who begins.
var changes = map[lifecycle.Role]string{
	lifecycle.PM: `{"status":"planned","justification":{"reason":"agreed",` +
		`"evidence":[{"kind":"file","path":"REQUIREMENTS.md"}]}}`,
	lifecycle.Architect: `{"design_spec":{"summary":"what is built, and how"}}`,
	lifecycle.Coder:     `{"implementation":{"summary":"what was built","files":[{"path":"main.go"}]}}`,
	lifecycle.Tester:    `{"test":{"plan":"what is tested, and how"}}`,
}

// Change returns a change to copy for a role; "" for one that changes nothing.
func Change(role string) string {
	if role == "" {
		role = string(lifecycle.PM)
	}
	return changes[lifecycle.Role(role)]
}

// who says whose token was shown.
func (c Caller) who() string {
	switch {
	case c.Refused != "":
		return "The token that you sent is not accepted: " + c.Refused
	case c.Name != "":
		return fmt.Sprintf("Your token is that of %s, role %s.", c.Name, c.Role)
	}
	return "You sent no token. Whoever runs the service makes one: orchestrator token add ROLE NAME --out FILE"
}

// Text returns the page for people and for curl.
//
// Implements: ORC-130
func Text(c Caller) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nSend %s. %s\n\n", what, auth, c.who())
	list(&b, calls)
	if change := Change(c.Role); change != "" {
		fmt.Fprintf(&b, "\nA change to copy (the id and the ETag are those of the requirement):\n\n"+
			"  curl -X PATCH URL/requirements/REQ-001 -H '%s' -H 'If-Match: \"1\"' \\\n"+
			"    -H 'Content-Type: application/json' -H 'Prefer: return=minimal' \\\n    -d '%s'\n", auth, change)
	}
	fmt.Fprintf(&b, "\n%s\n\n", ends)
	list(&b, more)
	return []byte(b.String())
}

func list(b *strings.Builder, calls []call) {
	for _, c := range calls {
		fmt.Fprintf(b, "  %s\n      %s\n", c.Call, c.Does)
	}
}

// page is the form for programs.
type page struct {
	Name    string  `json:"name"`
	What    string  `json:"what"`
	Auth    string  `json:"authenticate"`
	Caller  *actor  `json:"caller,omitempty"`
	Token   string  `json:"token"`
	Calls   []call  `json:"calls"`
	Example *sample `json:"example,omitempty"`
	Answers string  `json:"answers"`
	More    []call  `json:"more"`
}

type actor struct {
	Name        string `json:"name"`
	Role        string `json:"role"`
	Requirement string `json:"requirement,omitempty"` // that its token is bound to
}

// sample is a request to copy.
type sample struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    jsontext.Value    `json:"body"`
}

// JSON returns the page for programs.
func JSON(c Caller) ([]byte, error) {
	p := page{Name: "orchestrator", What: what, Auth: auth, Token: c.who(), Calls: calls, Answers: ends, More: more}
	if c.Name != "" {
		p.Caller = &actor{c.Name, c.Role, c.Requirement}
	}
	if change := Change(c.Role); change != "" {
		p.Example = &sample{"PATCH", "/requirements/REQ-001", map[string]string{
			"Authorization": "Bearer TOKEN", "Content-Type": "application/json", "If-Match": `"1"`,
			"Prefer": "return=minimal",
		}, jsontext.Value(change)}
	}
	body, err := json.Marshal(p, json.Deterministic(true))
	return append(body, '\n'), err
}
