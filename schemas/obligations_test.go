package schemas

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/planning"
)

func TestPayloadsOfObligations(t *testing.T) {
	const p = "/obligations/0/payload"
	for _, c := range []struct {
		typ, payload string
		want         []string
	}{
		{"REPORT", `{"kind":"query.math","expr":"2+2"}`, nil},
		{"REPORT", `{"kind":"query.math"}`, nil}, // asked for with a CLARIFY, as what else a tool of the box lacks
		{"REPORT", `{"kind":"query.math","expr":4}`, []string{p + "/expr type"}},
		{"REPORT", `{"kind":"query.math","expr":"  "}`, []string{p + "/expr pattern"}},
		{"REPORT", `{"kind":"query.math","expr":"1","round":2}`, []string{p + " additionalProperties"}},
		{"REPORT", `{"kind":"query.count_letters","text":"strawberry","letter":"r"}`, nil},
		{"REPORT", `{"kind":"query.count_letters","text":"","letter":"e\u0301"}`, nil},
		{"REPORT", `{"kind":"query.count_letters","text":"strawberry"}`, nil},
		{"REPORT", `{"kind":"query.count_letters","text":"strawberry","letter":""}`, []string{p + "/letter minLength"}},
		{"REPORT", `{"kind":"query.count_letters","text":"Rr","letter":"r","case_sensitive":true}`, nil},
		{"REPORT", `{"kind":"query.count_letters","text":"Rr","letter":"r","case_sensitive":"yes"}`, []string{p + "/case_sensitive type"}},
		{"REPORT", `{"kind":"query.people","filters":{"relation":"friend","age":7,"here":true}}`, nil},
		{"REPORT", `{"kind":"query.people"}`, nil}, // asked for with a CLARIFY
		{"REPORT", `{"kind":"query.people","filters":7}`, []string{p + "/filters type"}},
		{"REPORT", `{"kind":"query.people","filters":{}}`, []string{p + "/filters minProperties"}},
		{"REPORT", `{"kind":"query.people","filters":{"city":["Oslo"]}}`, []string{p + "/filters/city type"}},
		{"REPORT", `{"kind":"query.people","city":"Oslo"}`, []string{p + " additionalProperties"}},
		{"REPORT", `{"kind":"rules.deduce","facts":["parent(ann, bob)"],"rules":["a(X) :- parent(X, Y)."],"query":"a(X)"}`, nil},
		{"REPORT", `{"kind":"rules.deduce","rules":[],"query":"a(X)"}`, nil},
		{"REPORT", `{"kind":"rules.deduce","facts":7}`, []string{p + "/facts type"}},
		{"REPORT", `{"kind":"rules.deduce","rules":[7],"query":"a(X)"}`, []string{p + "/rules/0 type"}},
		{"REPORT", `{"kind":"rules.deduce","question":"a(X)"}`, []string{p + " additionalProperties"}},
		{"REPORT", `{"kind":"normalize.email","email":"ada@example.org"}`, nil},
		{"REPORT", `{"kind":"normalize.email","email":["ada@example.org"]}`, []string{p + "/email type"}},
		{"REPORT", `{"kind":"normalize.email","url":"ada@example.org"}`, []string{p + " additionalProperties"}},
		{"REPORT", `{"kind":"normalize.url","url":"http://example.org"}`, nil},
		{"REPORT", `{"kind":"normalize.url","url":null}`, []string{p + "/url type"}},
		{"REPORT", `{"kind":"normalize.phone","phone":"901820","country_code":"49"}`, nil}, // a kind of the project's own
		{"REPORT", `{"kind":"time.now"}`, nil},
		{"REPORT", `{"kind":"time.now","zone":"Europe/Berlin"}`, nil},
		{"REPORT", `{"kind":"time.now","zone":2}`, []string{p + "/zone type"}},
		{"REPORT", `{"kind":"project.status"}`, nil},
		{"REPORT", `{"kind":"project.status","id":"REQ-001"}`, []string{p + " additionalProperties"}},
		{"REPORT", `{"kind":"requirement.status","id":"REQ-001"}`, nil},
		{"REPORT", `{"kind":"requirement.status"}`, nil},
		{"REPORT", `{"kind":"requirement.status","id":7}`, []string{p + "/id type"}},
		{"REPORT", `{"kind":"requirement.next"}`, nil},
		{"REPORT", `{"kind":"requirement.next","id":"REQ-001","role":"tester"}`, nil},
		{"REPORT", `{"kind":"requirement.next","role":"boss"}`, []string{p + "/role enum"}},
		{"REPORT", `{"kind":"query.requirements","filters":{"status":"blocked","assigned_to":"ada","kind":"story","role":"pm","suspect":false,"retired":true,"q":"login"},"why":true,"after":"REQ-1","limit":5}`, nil},
		{"REPORT", `{"kind":"query.requirements","filters":{"status":"lost"}}`, []string{p + "/filters/status enum"}},
		{"REPORT", `{"kind":"query.requirements","limit":0}`, []string{p + "/limit minimum"}},
		{"REPORT", `{"kind":"query.requirements","status":"done"}`, []string{p + " additionalProperties"}},
		{"REPORT", `{"kind":"query.requirements","filters":{"owner":"x"}}`, []string{p + "/filters additionalProperties"}},
		{"ACHIEVE", `{"kind":"ir.assert","facts":[{"subject":"user","predicate":"city","object":"Oslo"},{"subject":"Bob","predicate":"age","object":7}]}`, nil},
		{"ACHIEVE", `{"kind":"ir.assert","facts":[]}`, []string{p + "/facts minItems"}},
		{"ACHIEVE", `{"kind":"ir.assert","value":1}`, []string{p + " additionalProperties"}},
		{"ACHIEVE", `{"kind":"ir.assert","facts":[{"subject":"user","predicate":"city","object":["Oslo"]}]}`, []string{p + "/facts/0/object type"}},
		{"REPORT", `{"kind":"status.name"}`, nil},
		{"REPORT", `{"kind":"status.name","name":"Jeff"}`, nil},
		{"REPORT", `{"kind":"status.name","bogus":7}`, []string{p + " additionalProperties"}},
		{"REPORT", `{"kind":"status.city","of":7}`, nil}, // of a project
		{"REPORT", `{"kind":"people","filters":[{"city":"Seattle"}]}`, nil},
		{"REPORT", `{}`, []string{p + " required"}},
		{"REPORT", `{"kind":"Query.Math","expr":"1"}`, []string{p + "/kind pattern"}},
		{"REPORT", `{"kind":"query..math"}`, []string{p + "/kind pattern"}},
		{"REPORT", `{"kind":null}`, []string{p + "/kind type"}},
		{"REPORT", `{"kind":"` + strings.Repeat("k", 81) + `"}`, []string{p + "/kind maxLength"}},
		{"REPORT", `"query.math"`, []string{p + " type"}},
		{"ACHIEVE", `{"kind":"requirement.status","id":"REQ-001","status":"planned"}`, nil},
		{"ACHIEVE", `{"kind":"requirement.status","id":"REQ-001","status":"planned","revision":3,"pm_notes":[{"text":"n"}],
			"justification":{"reason":"r","evidence":[{"kind":"file","path":"a.go"}]}}`, nil},
		{"ACHIEVE", `{"kind":"requirement.status","id":"REQ-001"}`, nil},
		{"ACHIEVE", `{"kind":"requirement.status","id":"REQ-001","status":"perfect"}`, []string{p + "/status enum"}},
		{"ACHIEVE", `{"kind":"requirement.status","id":"REQ-001","status":"planned","justification":{"reason":"r","evidence":[]}}`,
			[]string{p + "/justification/evidence minItems"}},
		{"ACHIEVE", `{"kind":"requirement.status","id":"REQ-001","status":"planned","as":"pm"}`, []string{p + " additionalProperties"}},
		{"ACHIEVE", `{"kind":"requirement.design_spec","id":"REQ-001"}`, nil},
		{"ACHIEVE", `{"kind":"requirement.implementation","id":"REQ-001","branch":"main"}`, []string{p + " additionalProperties"}},
		{"ACHIEVE", `{"kind":"requirement.implementation","id":"REQ-001","implementation":{"files":[]}}`, []string{p + "/implementation required"}},
		{"ACHIEVE", `{"kind":"requirement.test"}`, nil},
		{"ACHIEVE", `{"kind":"requirement.signoff","id":""}`, []string{p + "/id minLength", p + "/id pattern"}},
		{"ACHIEVE", `{"kind":"status.name","value":"Jeff"}`, nil},
		{"ACHIEVE", `{"kind":"status.name","value":null}`, []string{p + "/value type"}},
		{"ACHIEVE", `{"kind":"status.name","value":"Jeff","source":"Jeff"}`, []string{p + " additionalProperties"}},
		{"ACHIEVE", `{"kind":"site.deployed","value":null,"where":"north"}`, nil},
		{"ACHIEVE", `{"kind":"site.deployed"}`, nil}, // what is to be done may need no value: the contracts say
		{"ACHIEVE", `{"kind":"status.name"}`, nil},
		{"ACHIEVE", `{"value":1}`, []string{p + " required"}},
		{"MAINTAIN", `{"condition":"state.open < 3"}`, nil},
		{"MAINTAIN", `{"condition":"state.open < 3","kind":"project.load"}`, nil},
		{"MAINTAIN", `{}`, []string{p + " required"}},
		{"AVOID", `{"condition":true}`, []string{p + "/condition type"}},
		{"AVOID", `{"condition":"true","unless":"x"}`, []string{p + " additionalProperties"}},
		{"VERIFY", `{}`, nil},
		{"VERIFY", `{"kind":"audit"}`, nil},
		{"VERIFY", `{"kind":"answers"}`, nil},
		{"VERIFY", `{"kind":"audit","id":"REQ-001"}`, []string{p + " additionalProperties"}},
		{"VERIFY", `{"of":"audit"}`, []string{p + " additionalProperties"}},
		{"VERIFY", `{"kind":"weather","at":"Oslo"}`, nil}, // of a project
		{"VERIFY", `{"kind":"Weather"}`, []string{p + "/kind pattern"}},
		{"VERIFY", `{"kind":"requirement.evidence","id":"REQ-001"}`, nil},
		{"VERIFY", `{"kind":"requirement.evidence"}`, nil},
		{"VERIFY", `{"kind":"requirement.evidence","id":"REQ-001","bogus":1}`, []string{p + " additionalProperties"}},
		{"CLARIFY", `{"slot":"name"}`, nil},
		{"CLARIFY", `{"slot":"name","question":"what is name?","for":"REPORT(status.name)"}`, nil},
		{"CLARIFY", `{"slot":"name","kind":"status.name","about":"REPORT(status.name)"}`, []string{p + " additionalProperties"}},
		{"CLARIFY", `{"slot":"year","schema":{"type":"integer"}}`, nil},
		{"CLARIFY", `{"slot":"year","schema":"integer"}`, []string{p + "/schema type"}},
		{"CLARIFY", `{"question":"Which?"}`, []string{p + " required"}},
		{"JUSTIFY", `{"about":"REPORT(query.math)","kind":"failure","attempts":[{"tool":"math.eval","run":"o1/1","why":"division by zero"},{"tool":"math.guess","why":""}]}`, nil},
		{"JUSTIFY", `{"about":"failure of REPORT(query.math)","attempts":[]}`, nil},
		{"JUSTIFY", `{"about":"verification of REPORT(query.math)","evidence":{"by":"again","why":"it is 5","run":"o1/1"}}`, nil},
		{"JUSTIFY", `{"kind":"failure"}`, nil},
		{"JUSTIFY", `{"about":"x","attempts":["math.eval"]}`, []string{p + "/attempts/0 type"}},
		{"JUSTIFY", `{"about":"x","attempts":[{"tool":"math.eval"}]}`, []string{p + "/attempts/0 required"}},
		{"JUSTIFY", `{"about":"x","evidence":{"by":"hearsay","why":"it is 5","run":"o1/1"}}`, []string{p + "/evidence/by enum"}},
		{"JUSTIFY", `{"about":"x","kind":"failure","blame":"ada"}`, []string{p + " additionalProperties"}},
		{"JUSTIFY", `{"about":"x","kind":"site.outage","minutes":7}`, nil}, // of a project
		{"SCHEDULE", `{"at":"2026-12-01T08:00:00Z","obligations":[{"type":"REPORT","name":"sum","payload":{"kind":"query.math","expr":"1"}}]}`, nil},
		{"SCHEDULE", `{"every":"1h30m","until":"2026-12-01T08:00:00Z","kind":"team.report","budgets":{"max_tool_runs":2},"obligations":[{"type":"VERIFY","payload":{}}]}`, nil},
		{"SCHEDULE", `{"at":{"from":"o1.at"},"obligations":[{"type":"VERIFY","payload":{}}]}`, nil},
		{"SCHEDULE", `{"at":7,"obligations":[{"type":"VERIFY","payload":{}}]}`, []string{p + "/at type"}},
		{"SCHEDULE", `{"every":7,"obligations":[{"type":"VERIFY","payload":{}}]}`, []string{p + "/every type"}},
		{"SCHEDULE", `{"at":"2026-12-01T08:00:00Z"}`, []string{p + " required"}},
		{"SCHEDULE", `{"at":"2026-12-01T08:00:00Z","obligations":[]}`, []string{p + "/obligations minItems"}},
		{"SCHEDULE", `{"at":"2026-12-01T08:00:00Z","obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":2}}]}`, []string{p + "/obligations/0/payload/expr type"}},
		{"SCHEDULE", `{"at":"2026-12-01T08:00:00Z","obligations":[{"type":"SCHEDULE","payload":{}}]}`, []string{p + "/obligations/0/type enum"}},
		{"DISCOVER_OP", `{"capability":"REPORT(query.astronauts)"}`, nil},
		{"DISCOVER_OP", `{"capability":"VERIFY"}`, nil},
		{"DISCOVER_OP", `{"capability":"query.astronauts"}`, []string{p + "/capability pattern"}},
		{"INVALID", `{"kind":"query.math"}`, []string{"/obligations/0/type enum"}},
		{"report", `{}`, []string{"/obligations/0/type enum"}},
	} {
		t.Run(c.typ+" "+c.payload, func(t *testing.T) {
			body := `{"obligations":[{"type":"` + c.typ + `","payload":` + c.payload + `}]}`
			require.ElementsMatch(t, c.want, violations(t, Obligations, body))
		})
	}
}

func TestRequestsOfObligations(t *testing.T) {
	const one = `"obligations":[{"type":"VERIFY","payload":{}}]`
	for _, c := range []struct {
		body string
		want []string
	}{
		{`{` + one + `}`, nil},
		{`{` + one + `,"budgets":{"max_tool_runs":5,"max_depth":2,"time_ms":1000,"max_cost":0.5},"idempotency_key":"k-1"}`, nil},
		{`{}`, []string{" required"}},
		{`{"obligations":[]}`, []string{"/obligations minItems"}},
		{`{"obligations":{}}`, []string{"/obligations type"}},
		{`{"obligations":[{"type":"VERIFY"}]}`, []string{"/obligations/0 required"}},
		{`{"obligations":[{"payload":{}}]}`, []string{"/obligations/0 required"}},
		{`{"obligations":[{"type":"VERIFY","payload":{},"status":"resolved"}]}`, []string{"/obligations/0 additionalProperties"}},
		{`{"obligations":[{"type":"VERIFY","payload":{}},{"type":"REPORT","payload":{}}]}`, []string{"/obligations/1/payload required"}},
		{`{` + one + `,"budgets":{"max_tool_runs":0}}`, []string{"/budgets/max_tool_runs minimum"}},
		{`{` + one + `,"budgets":{"max_cost":0}}`, []string{"/budgets/max_cost exclusiveMinimum"}},
		{`{` + one + `,"budgets":{"time_ms":1.5}}`, []string{"/budgets/time_ms type"}},
		{`{` + one + `,"budgets":{"tokens":5}}`, []string{"/budgets additionalProperties"}},
		{`{` + one + `,"idempotency_key":"a b"}`, []string{"/idempotency_key pattern"}},
	} {
		t.Run(c.body, func(t *testing.T) {
			require.ElementsMatch(t, c.want, violations(t, Obligations, c.body))
		})
	}
}

// The schema lists the types that the rules have, everywhere.
func TestTheSchemaOfObligationsHasTheTypes(t *testing.T) {
	types, without, either := []any{}, []any{}, []string{}
	for _, typ := range planning.Types() {
		types, either = append(types, string(typ)), append(either, string(typ))
		if typ != planning.Schedule {
			without = append(without, string(typ))
		}
	}
	require.Equal(t, types, at(t, Obligations, "#/$defs/obligation/properties/type/enum"))
	require.Equal(t, without, at(t, Obligations, "#/$defs/act/properties/type/enum"))
	pattern := "^(" + strings.Join(either, "|") + `)(\([a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\))?$`
	require.Equal(t, pattern, at(t, Obligations, "#/$defs/discover_op/properties/capability/pattern"))
	require.Equal(t, pattern, at(t, Tool, "#/properties/satisfies/items/pattern"))
}

func at(t *testing.T, file, pointer string) any {
	t.Helper()
	_, target := resolve(file, pointer)
	return target
}

// Every member that a caller or an author can write says what it is.
func TestEveryMemberIsDescribed(t *testing.T) {
	for _, name := range []string{Tool, Obligations} {
		described(t, name, document(name))
	}
}

func described(t *testing.T, at string, node any) {
	switch n := node.(type) {
	case []any:
		for _, item := range n {
			described(t, at, item)
		}
	case map[string]any:
		for key, value := range n {
			if key == "if" || key == "then" || key == "else" {
				continue
			}
			if members, is := value.(map[string]any); is && key == "properties" {
				for name, member := range members {
					require.Contains(t, member, "description", "%s %s", at, name)
				}
			}
			described(t, at+"/"+key, value)
		}
	}
}

func BenchmarkObligations(b *testing.B) {
	one := map[string]any{"type": "REPORT", "payload": map[string]any{"kind": "query.math", "expr": "2+2"}}
	request := map[string]any{"obligations": []any{one}}
	b.ReportAllocs()
	for b.Loop() {
		if found := Violations(Obligations, request); found != nil {
			b.Fatal(found)
		}
	}
}

// What a trace has of obligations, those asked and those that came of them, is what their own schema says.
func TestATraceHoldsObligations(t *testing.T) {
	trace := func(asked, emitted string) string {
		return `{"id":"0123456789abcdef","status":"clarify","caller":{"name":"ada","role":"coder"},"tools":"sha256:` + strings.Repeat("0", 64) + `","answers":[],
			"obligations":[{"id":"o1","obligation":` + asked + `,"status":"active","outcome":"clarify","candidates":[],"runs":[],
			"emitted":[{"id":"o1.1","obligation":` + emitted + `,"status":"escalated"}]}]}`
	}
	const asked, at = `{"type":"REPORT","payload":{"kind":"status.name"}}`, "/obligations/0/emitted/0/obligation"
	for emitted, want := range map[string][]string{
		`{"type":"CLARIFY","payload":{"slot":"name","question":"what is name?","for":"REPORT(status.name)"}}`:                                       nil,
		`{"type":"JUSTIFY","payload":{"kind":"failure","about":"failure of REPORT(k)","attempts":[{"tool":"a.b","run":"o1/1","why":"it cannot"}]}}`: nil,
		`{"type":"DISCOVER_OP","payload":{"capability":"REPORT(query.astronauts)"}}`:                                                                nil,
		`{"type":"CLARIFY","payload":{"slot":"name","about":"REPORT(status.name)"}}`:                                                                {at + "/payload additionalProperties"},
		`{"type":"JUSTIFY","payload":{"about":"x","attempts":["a.b"]}}`:                                                                             {at + "/payload/attempts/0 type"},
		`{"type":"DISCOVER_OP","payload":{}}`:                                                                                                       nil,
		`{"type":"WISH","payload":{}}`:                                                                                                              {at + "/type enum"},
	} {
		require.ElementsMatch(t, want, violations(t, Trace, trace(asked, emitted)), emitted)
	}
	require.Equal(t, []string{"/obligations/0/obligation/payload additionalProperties"},
		violations(t, Trace, trace(`{"type":"REPORT","payload":{"kind":"status.name","bogus":7}}`, `{"type":"CLARIFY","payload":{"slot":"name"}}`)))
}
