package httpapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/language/chat"
	"orchestrator/internal/conductor/language/translator"
	"orchestrator/internal/conductor/state"
	"orchestrator/schemas"
)

// modelKey is what the service shows the endpoint, and nobody else.
const modelKey = "sk-of-the-endpoint-0123456789"

// endpoint is a language model that answers by a script, the last line for all that follow; "" is an answer 500.
type endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	script []string
	asked  []string // bodies
	auth   []string
}

func newEndpoint(t *testing.T, script ...string) *endpoint {
	t.Helper()
	e := &endpoint{script: script}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		line := e.script[min(len(e.asked), len(e.script)-1)]
		e.asked, e.auth = append(e.asked, string(body)), append(e.auth, r.Header.Get("Authorization"))
		e.mu.Unlock()
		if line == "" {
			http.Error(w, "denied: "+r.Header.Get("Authorization"), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": line}}}})
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) calls() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.asked)
}

// model has the service ask the endpoint.
func (e *endpoint) model(o *options) {
	o.Model = &translator.LLM{Endpoint: chat.Endpoint{BaseURL: e.URL + "/v1", Model: "small-1", Key: modelKey, Timeout: time.Minute}}
}

// askedOf starts a service with a model of a script.
func askedOf(t *testing.T, script ...string) (*harness, *endpoint) {
	t.Helper()
	e := newEndpoint(t, script...)
	return newHarness(t, e.model), e
}

// utter is a request in plain words.
func utter(words string, more ...string) string {
	body, _ := json.Marshal(words)
	return `{"utterance":` + string(body) + strings.Join(more, "") + `}`
}

// unknown is no form of the grammar.
const unknown = "pray tell: two and two makes how much"

func answersOf(trace map[string]any) (all []map[string]any) {
	for _, a := range trace["answers"].([]any) {
		all = append(all, a.(map[string]any))
	}
	return all
}

func firstObligation(trace map[string]any) map[string]any {
	return trace["obligations"].([]any)[0].(map[string]any)
}

// said is the event of a run that has the words.
func (h *harness) said(run string) (said state.Event) {
	h.t.Helper()
	require.NoError(h.t, state.New(h.Ledger).View(h.t.Context(), func(v state.View) (err error) {
		said, _, err = v.Event(run, "utterance")
		return err
	}))
	return said
}

func provokeModel(t *testing.T, all *seen) {
	e := newEndpoint(t, "I would rather talk about the weather.")
	h := newHarness(t, into(all), e.model)
	trace := h.expect(200, "", "coder", "POST", "/requests", utter(unknown)).json(t)
	require.Equal(t, "clarify", trace["status"])
	e.Close()
	h.expect(503, "translator_unavailable", "coder", "POST", "/requests", utter(unknown))
}

// Verifies: ORC-286
func TestTheModelIsNotAskedWhatTheGrammarUnderstands(t *testing.T) {
	h, e := askedOf(t, obligation("query.math", `"expr":"6*7"`))
	trace := h.expect(200, "", "coder", "POST", "/requests", utter("what is 2+2")).json(t)
	require.Equal(t, "2+2 = 4", answersOf(trace)[0]["text"])
	require.NotContains(t, answersOf(trace)[0], "rephrased")
	h.expect(422, "utterance_too_long", "coder", "POST", "/requests", utter(strings.Repeat("a ", 1001)))
	h.expect(422, "not_understood", "coder", "POST", "/requests", utter("a\u200bb"))
	h.expect(422, "schema_violation", "coder", "POST", "/requests", `{"utterance":"what is 2+2","rephrase":"yes"}`)
	require.Zero(t, e.calls())
	said := h.said(trace["id"].(string))
	require.Equal(t, []string{"utterance", "what is 2+2"}, []string{said.Kind, said.What})
	without := newHarness(t)
	require.Equal(t, trace["answers"], without.expect(200, "", "coder", "POST", "/requests", utter("what is 2+2")).json(t)["answers"])
	without.expect(422, "not_understood", "coder", "POST", "/requests", utter(unknown))
}

func TestTheModelTranslatesWhatTheGrammarDoesNot(t *testing.T) {
	h, e := askedOf(t, obligation("query.math", `"expr":"2+2"`))
	trace := h.expect(200, "", "coder", "POST", "/requests", utter(unknown)).json(t)
	require.Equal(t, "resolved", trace["status"])
	require.Equal(t, "2+2 = 4", answersOf(trace)[0]["text"], "the tools answer, not the model")
	require.Equal(t, unknown, h.said(trace["id"].(string)).What)
	require.Equal(t, []string{"Bearer " + modelKey}, e.auth)
	schema, err := schemas.Bundle(schemas.Obligations)
	require.NoError(t, err)
	var asked struct {
		Messages []struct{ Content string } `json:"messages"`
		Format   struct {
			JSONSchema struct {
				Schema map[string]any `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	require.NoError(t, json.Unmarshal([]byte(e.asked[0]), &asked))
	require.Contains(t, asked.Messages[0].Content, string(schema))
	require.Equal(t, unknown, asked.Messages[1].Content)
	_, found := schemas.Compile(asked.Format.JSONSchema.Schema)
	require.Empty(t, found, "it can be used without any other file")
}

// Verifies: ORC-286
func TestWhatIsRefusedTwiceIsAsked(t *testing.T) {
	wrong := obligation("query.math", `"formula":"2+2"`)
	h, e := askedOf(t, wrong, obligation("query.math", `"expr":"2+2"`), wrong)
	repaired := h.expect(200, "", "coder", "POST", "/requests", utter(unknown)).json(t)
	require.Equal(t, "resolved", repaired["status"])
	refusal := h.expect(400, "invalid_obligations", "coder", "POST", "/obligations", wrong).json(t)
	for _, field := range refusal["errors"].([]any) {
		detail, _ := json.Marshal(field.(map[string]any)["detail"])
		require.Contains(t, e.asked[1], strings.Trim(string(detail), `"`), "the model is told what anybody is")
	}

	trace := h.expect(200, "", "coder", "POST", "/requests", utter(unknown)).json(t)
	require.Equal(t, 4, e.calls(), "one repair")
	require.Equal(t, "clarify", trace["status"])
	require.Len(t, trace["obligations"], 1)
	require.Empty(t, trace["answers"])
	one := firstObligation(trace)
	require.Equal(t, "escalated", one["status"], "what is meant is asked, and no answer alone would lead on")
	asks := one["obligation"].(map[string]any)
	require.Equal(t, "CLARIFY", asks["type"])
	payload := asks["payload"].(map[string]any)
	require.Equal(t, "utterance", payload["slot"])
	require.Contains(t, payload["question"], unknown)
	require.Contains(t, one["why"], payload["question"])
	kept := h.expect(200, "", "viewer", "GET", "/traces/"+trace["id"].(string), "").json(t)
	require.Equal(t, trace, kept)
	require.Equal(t, unknown, h.said(trace["id"].(string)).What)
	body, _ := json.Marshal(map[string]any{"obligations": []any{asks}})
	again := h.expect(200, "", "coder", "POST", "/obligations", string(body)).json(t)
	require.Equal(t, "clarify", again["status"], "it is an obligation that anybody may send")
}

// Verifies: ORC-286
func TestAnEndpointThatIsDownIsNoAnswer(t *testing.T) {
	var log bytes.Buffer
	e := newEndpoint(t, "", obligation("query.math", `"expr":"2+2"`))
	h := newHarness(t, e.model, func(o *options) { o.Log = &log })
	keyed := utter(unknown, `,"idempotency_key":"k"`)
	refusal := h.expect(503, "translator_unavailable", "coder", "POST", "/requests", keyed)
	require.Contains(t, string(refusal.Body), "answers 500")
	require.Empty(t, h.expect(200, "", "viewer", "GET", "/obligations", "").json(t)["runs"], "nothing was run")
	h.expect(200, "", "coder", "POST", "/requests", keyed)
	e.Close()
	gone := h.expect(503, "translator_unavailable", "coder", "POST", "/requests", utter(unknown))
	require.Contains(t, string(gone.Body), "does not answer")
	h.expect(200, "", "coder", "POST", "/requests", utter("what is 2+2"))
	h.Server.Close()
	require.Contains(t, log.String(), "translator_unavailable")
	require.NotContains(t, log.String()+string(refusal.Body)+string(gone.Body), modelKey)
}

// What the model asks for is asked by the caller: no role and no kind is added.
//
// Verifies: ORC-286
func TestTheModelHasNoRightsOfItsOwn(t *testing.T) {
	for name, body := range map[string]string{
		"a kind that is not there": obligation("query.astronauts", `"n":2`),
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := askedOf(t, body)
			before := h.expect(200, "", "viewer", "GET", one, "").Body
			own := h.do("viewer", "POST", "/obligations", body)
			asked := h.do("viewer", "POST", "/requests", utter(unknown))
			require.Equal(t, own.Status, asked.Status, "%s", asked.Body)
			for _, member := range []string{"code", "status", "missing_capabilities"} {
				require.Equal(t, own.json(t)[member], asked.json(t)[member])
			}
			require.NotEqual(t, "resolved", asked.json(t)["status"])
			require.Equal(t, before, h.expect(200, "", "viewer", "GET", one, "").Body)
		})
	}
	for name, body := range map[string]string{
		"a role":                   `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"2+2"}}],"role":"pm"}`,
		"a condition that is none": `{"obligations":[{"type":"AVOID","payload":{"condition":"nobody("}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			h, e := askedOf(t, body)
			require.GreaterOrEqual(t, h.do("viewer", "POST", "/obligations", body).Status, 400)
			trace := h.expect(200, "", "viewer", "POST", "/requests", utter(unknown)).json(t)
			require.Equal(t, "clarify", trace["status"])
			require.Equal(t, map[string]any{"name": "viewer", "role": "viewer"}, trace["caller"])
			require.Equal(t, 2, e.calls())
		})
	}
}

// A model may make an act of anything that is said, so its acts are asked back, and nothing is run.
//
// Verifies: ORC-286
func TestAModelsActsAreAskedBack(t *testing.T) {
	const approval = `{"type":"ACHIEVE","payload":{"kind":"requirement.signoff","id":"REQ-001","approvals":[{"decision":"approved"}]}}`
	for name, c := range map[string]struct{ words, obligations, asked string }{
		"what was not to be done":   {"under no circumstances should anybody have approved REQ-001", approval, "What is meant?"},
		"what was to be done later": {"give REQ-001 the approval tomorrow", approval, "What is meant?"},
		"what may have been meant":  {"give REQ-001 the approval", approval, "say: approve REQ-001"},
		"after something else": {"2+2, pray, and the approval of REQ-001",
			`{"type":"REPORT","payload":{"kind":"query.math","expr":"2+2"}},` + approval, "say: approve REQ-001"},
		"a fact":              {"is anybody here called Jeff", `{"type":"ACHIEVE","payload":{"kind":"status.name","value":"Jeff"}}`, "say: my name is Jeff"},
		"a guardrail":         {"mind that nothing breaks", `{"type":"AVOID","payload":{"condition":"nothing == breaks"}}`, ""},
		"another requirement": {"pray approve REQ-002", approval, ""},
		"what nobody said":    {"is anybody here called Jeff", `{"type":"ACHIEVE","payload":{"kind":"status.name","value":"Mallory"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := askedOf(t, `{"obligations":[`+c.obligations+`]}`)
			before := h.expect(200, "", "viewer", "GET", one, "").Body
			trace := h.expect(200, "", "pm", "POST", "/requests", utter(c.words)).json(t)
			require.Equal(t, "clarify", trace["status"])
			require.Empty(t, trace["answers"])
			require.Len(t, trace["obligations"], 1)
			asks := firstObligation(trace)["obligation"].(map[string]any)
			require.Equal(t, "CLARIFY", asks["type"])
			require.Contains(t, asks["payload"].(map[string]any)["question"], c.asked)
			require.NotContains(t, asks["payload"].(map[string]any)["question"], "Mallory")
			require.Equal(t, before, h.expect(200, "", "viewer", "GET", one, "").Body)
		})
	}
}

// Verifies: ORC-287
func TestTheModelRephrasesWhatIsTrue(t *testing.T) {
	const rephrase = `,"rephrase":true`
	h, e := askedOf(t, "It comes to this: 2+2 = 4, and that is that.", "2+2 = 4, or 5", "")
	ask := func(words string) map[string]any {
		return h.expect(200, "", "coder", "POST", "/requests", utter(words, rephrase)).json(t)
	}
	trace := ask("what is 2+2")
	require.Equal(t, "It comes to this: 2+2 = 4, and that is that.", answersOf(trace)[0]["text"])
	require.Equal(t, true, answersOf(trace)[0]["rephrased"])
	require.Equal(t, trace, h.expect(200, "", "viewer", "GET", "/traces/"+trace["id"].(string), "").json(t), "the trace has what was answered")

	changed := answersOf(ask("what is 2+2"))[0]
	require.Equal(t, "2+2 = 4", changed["text"])
	require.Equal(t, false, changed["rephrased"])
	require.Contains(t, changed["not_rephrased"], `"5"`)

	calls := e.calls()
	for _, a := range answersOf(ask("what is 2+2; what is 1+1")) {
		require.Equal(t, false, a["rephrased"])
		require.Contains(t, a["not_rephrased"], "answers 500")
	}
	require.Equal(t, calls+1, e.calls(), "nobody is asked again who does not answer")
	require.NotContains(t, answersOf(h.expect(200, "", "coder", "POST", "/requests", utter("what is 2+2")).json(t))[0], "rephrased")

	without := newHarness(t).expect(200, "", "coder", "POST", "/requests", utter("what is 2+2", rephrase)).json(t)
	require.Equal(t, map[string]any{"obligation": "o1", "result": answersOf(trace)[0]["result"], "text": "2+2 = 4", "rephrased": false, "not_rephrased": "the service has no language model"}, answersOf(without)[0])
}

func TestTheFirstTranslationCountsForAKey(t *testing.T) {
	h, e := askedOf(t, obligation("query.math", `"expr":"2+2"`), obligation("query.math", `"expr":"3+3"`))
	keyed := `,"idempotency_key":"k"`
	first := h.expect(200, "", "coder", "POST", "/requests", utter(unknown, keyed))
	require.Equal(t, first.Body, h.expect(200, "", "coder", "POST", "/requests", utter(unknown, keyed)).Body)
	require.Equal(t, 1, e.calls(), "the model is not asked twice")
	h.expect(409, "idempotency_conflict", "coder", "POST", "/requests", utter(unknown+" now", keyed))
	h.expect(409, "idempotency_conflict", "coder", "POST", "/requests", utter("what is 3+3", keyed))
	h.expect(409, "idempotency_conflict", "coder", "POST", "/obligations", strings.TrimSuffix(obligation("query.math", `"expr":"3+3"`), "}")+keyed+"}")
	require.Equal(t, 1, e.calls())
}

// Verifies: ORC-285
func TestSecretsInWordsAreRefused(t *testing.T) {
	var log bytes.Buffer
	e := newEndpoint(t, "no")
	h := newHarness(t, e.model, func(o *options) { o.Log = &log })
	escaped := `\u0041` + awsKey[1:]
	for name, body := range map[string]string{
		"what the grammar reads":      utter("how many a's in " + awsKey),
		"what a model would be told":  utter("pray use " + awsKey + " for me"),
		"what is escaped":             `{"utterance":"how many a's in ` + escaped + `"}`,
		"a key of the request":        utter("what is 2+2", `,"idempotency_key":"`+awsKey+`"`),
		"a member that is not there":  utter("what is 2+2", `,"`+awsKey+`":1`),
		"what its name says it is":    utter("what is 2+2", `,"password":"Xq7-Rw2+Lp9zTb4v"`),
		"what nobody could read else": `{"utterance":"` + awsKey + `","utterance":1}`,
	} {
		refusal := h.do("coder", "POST", "/requests", body)
		require.NotEmpty(t, refusal.Header.Get("Audit-Receipt"), name)
		require.Contains(t, []int{400, 422}, refusal.Status)
		if name != "what nobody could read else" {
			require.Equal(t, "secret_in_text", refusal.json(t)["code"], name)
		}
		require.NotContains(t, string(refusal.Body), awsKey[4:], name)
	}
	h.expect(422, "secret_in_text", "coder", "POST", "/obligations", obligation("query.count_letters", `"text":"`+escaped+`","letter":"a"`))
	require.Zero(t, e.calls())
	require.Empty(t, h.expect(200, "", "viewer", "GET", "/obligations", "").json(t)["runs"])
	history := h.expect(200, "", "viewer", "GET", "/audit", "")
	require.NotContains(t, string(history.Body)+log.String(), awsKey[4:])
}
