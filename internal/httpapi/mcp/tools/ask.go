package tools

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/system/lazyregexp"
)

// run is what came of an utterance: its answers, and what it asks in turn.
type run struct {
	ID        string     `json:"id"`
	Status    string     `json:"status"`
	Answers   []said     `json:"answers"`
	Why       []string   `json:"why,omitempty"` // obligations have no answer
	Questions []question `json:"questions,omitempty"`
}

type said struct {
	Text      string         `json:"text"`
	Result    jsontext.Value `json:"result,omitempty"`
	Uncertain bool           `json:"uncertain,omitzero"`
}

// question is one that waits for an answer.
type question struct {
	Obligation string         `json:"obligation"` // the id of the question, which tells it from all others of the run
	Slot       string         `json:"slot"`
	Question   string         `json:"question"`
	Schema     jsontext.Value `json:"schema,omitempty"`
}

// reply answers a question of a run.
type reply struct {
	Obligation string         `json:"obligation,omitempty"`
	Slot       string         `json:"slot,omitempty"`
	Value      jsontext.Value `json:"value"`
}

// ask has an utterance run, or answers a question of a run. A client that can ask its user is given the questions to
// ask; any other has them in the result.
func (s *Caller) ask(ctx context.Context, req *mcp.CallToolRequest, raw jsontext.Value) (*mcp.CallToolResult, error) {
	var a struct {
		Utterance, Run, Obligation, Slot string
		Value                            jsontext.Value
	}
	if err := rest.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	switch {
	case req.Params.RequestState != "":
		return s.elicited(ctx, req, req.Params.RequestState)
	case a.Run != "" && a.Value != nil && a.Utterance == "":
		return s.ran(ctx, req, "/obligations/"+url.PathEscape(a.Run)+"/answers", reply{a.Obligation, a.Slot, a.Value})
	case a.Utterance != "" && a.Run == "" && a.Value == nil:
		return s.ran(ctx, req, "/requests", map[string]string{"utterance": a.Utterance})
	}
	return nil, fault.New(fault.Malformed, CodeArguments, "ask has neither an utterance nor an answer to a question").
		WithFix(`send utterance alone; or run and value, where the answer to an utterance had questions`)
}

// ran sends what runs or goes on, and tells what came of it.
func (s *Caller) ran(ctx context.Context, req *mcp.CallToolRequest, path string, body any) (*mcp.CallToolResult,
	error) {
	encoded, err := jsonv2.Marshal(body, jsonv2.Deterministic(true))
	if err != nil {
		return nil, err
	}
	got, refused, err := s.send(ctx, req, rest.Call{Method: http.MethodPost, Path: path, Body: encoded,
		Header: http.Header{"Content-Type": {"application/json"}}})
	if refused != nil || err != nil {
		return refused, err
	}
	var trace struct {
		run
		Obligations []struct {
			Why string `json:"why"`
		} `json:"obligations"`
	}
	if err := got.Fill(&trace); err != nil {
		return nil, err
	}
	r := trace.run
	for _, o := range trace.Obligations {
		if o.Why != "" {
			r.Why = append(r.Why, o.Why)
		}
	}
	if r.Answers == nil {
		r.Answers = []said{}
	}
	if r.Status == "clarify" {
		if r.Questions, _, err = s.waiting(ctx, req, r.ID); err != nil {
			return nil, err
		}
	}
	if asked := s.elicit(req, r); asked != nil {
		return asked, nil
	}
	return toldOf(r, r.text())
}

// waiting returns the questions of a run that can be answered, or what the API refuses.
func (s *Caller) waiting(ctx context.Context, req *mcp.CallToolRequest, id string) ([]question, *mcp.CallToolResult,
	error) {
	var summary struct {
		Obligations []struct {
			Questions []struct {
				ID     string `json:"id"`
				Status string `json:"status"`
				question
			} `json:"questions"`
		} `json:"obligations"`
	}
	refused, err := s.read(ctx, req, "/obligations/"+url.PathEscape(id), nil, &summary)
	if refused != nil || err != nil {
		return nil, refused, err
	}
	var all []question
	for _, o := range summary.Obligations {
		for _, q := range o.Questions {
			if q.Status == "waiting" {
				all = append(all, question{q.ID, q.Slot, q.Question, q.Schema})
			}
		}
	}
	return all, nil, nil
}

func (r run) text() string {
	var b strings.Builder
	for _, a := range r.Answers {
		fmt.Fprintf(&b, "%s\n", a.Text)
	}
	for _, why := range r.Why {
		fmt.Fprintf(&b, "%s\n", cut(why))
	}
	for _, q := range r.Questions {
		fmt.Fprintf(&b, "Question %s: %s (answer with run %q, obligation %q and value)\n", q.Obligation, q.Question,
			r.ID, q.Obligation)
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "The run %s is %s.", r.ID, r.Status)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// elicit returns the result that has the client ask its user all that a run asks. It is nil where the client cannot,
// where a form has no place for an answer, or where the user was asked already and the protocol asks once.
func (s *Caller) elicit(req *mcp.CallToolRequest, r run) *mcp.CallToolResult {
	capabilities := req.ClientCapabilities()
	if len(r.Questions) == 0 || capabilities == nil || capabilities.Elicitation == nil ||
		req.Params.RequestState != "" && !speaksOf(req, rest.FirstStateless) {
		return nil
	}
	requests := mcp.InputRequestMap{}
	for _, q := range r.Questions {
		field, fits := formField(q)
		if !fits {
			return nil
		}
		requests[q.Obligation] = &mcp.ElicitParams{Mode: "form", Message: q.Question, RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"value": field}, "required": []string{"value"},
		}}
	}
	return &mcp.CallToolResult{InputRequests: requests, RequestState: r.ID}
}

// speaksOf reports whether a client speaks a version of the protocol, or a later one.
func speaksOf(req *mcp.CallToolRequest, version string) bool {
	began := req.Session.InitializeParams()
	return began == nil || began.ProtocolVersion >= version
}

// formField returns the schema of an answer as a field of a form: a text, a number, a choice. Whatever else the schema
// of the question says, the API holds the answer against it.
func formField(q question) (field map[string]any, fits bool) {
	if q.Schema == nil {
		return map[string]any{"type": "string", "title": q.Slot}, true
	}
	var schema map[string]any
	if err := rest.Unmarshal(q.Schema, &schema); err != nil {
		return nil, false
	}
	field = map[string]any{"title": q.Slot}
	for _, name := range []string{"type", "title", "description", "enum", "minimum", "maximum", "minLength",
		"maxLength"} {
		if v, there := schema[name]; there {
			field[name] = v
		}
	}
	if choices, is := field["enum"].([]any); is {
		field["type"] = "string"
		if slices.ContainsFunc(choices, func(c any) bool { _, is := c.(string); return !is }) {
			return nil, false
		}
	}
	kind, _ := field["type"].(string)
	return field, slices.Contains([]string{"string", "number", "integer", "boolean"}, kind)
}

var isRun = lazyregexp.New(`^[0-9a-f]{16}$`)

// elicited answers the questions of a run with what the user said. The state names the run alone: who may answer is for
// the API to say, whoever made the state.
func (s *Caller) elicited(ctx context.Context, req *mcp.CallToolRequest, id string) (*mcp.CallToolResult, error) {
	if !isRun().MatchString(id) {
		return nil, fault.New(fault.Malformed, CodeArguments, "requestState is not what the service sent").
			WithFix("send it back as it came, or ask again in words")
	}
	path := "/obligations/" + id
	open, refused, err := s.waiting(ctx, req, id)
	if refused != nil || err != nil {
		return refused, err
	}
	var last *mcp.CallToolResult
	for i, q := range open {
		given, is := req.Params.InputResponses[q.Obligation].(*mcp.ElicitResult)
		if !is || given.Action != "accept" {
			return toldOf(run{ID: id, Status: "clarify", Answers: []said{}, Questions: open[i:]},
				"The user has not answered: "+q.Question)
		}
		value, err := jsonv2.Marshal(given.Content["value"])
		if err != nil {
			return nil, err
		}
		if last, err = s.ran(ctx, req, path+"/answers", reply{q.Obligation, q.Slot, value}); err != nil ||
			last.IsError {
			return last, err
		}
	}
	if last == nil {
		return nil, fault.New(fault.Conflict, "question_answered", "the run %s waits for no answer any more", id).
			WithFix("ask again in words; GET /obligations/%s has what came of it", id)
	}
	return last, nil
}
