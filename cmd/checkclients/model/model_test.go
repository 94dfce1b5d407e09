package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/checkclients/model"
)

// script calls look twice, leaves out what is not offered, and ends.
var script = model.Script{Mark: "[main]", Last: "done", Steps: []model.Step{
	{Name: "first", Make: func(t model.Tools, _ string) model.Call { return look(t, "a") }},
	{Name: "absent", Make: func(t model.Tools, _ string) model.Call {
		tool, _ := t.Find("absent")
		return model.Call{Tool: tool}
	}},
	{Name: "second", Make: func(t model.Tools, last string) model.Call { return look(t, "after "+last) }},
}}

func look(t model.Tools, path string) model.Call {
	tool, _ := t.Find("look")
	return model.Call{Tool: tool, Input: map[string]string{"path": path}, Text: path}
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

// dialects are the protocols, each with a conversation of three requests: what the user says, and the results of the
// first and of both calls. ID stands for the id of a call.
var dialects = map[string]struct {
	path, begin, one, two string
	id                    func(answer map[string]any) any
	calls, last           string
}{
	"anthropic": {
		path: "/v1/messages",
		begin: `{"messages":[{"role":"user","content":"[main] go"}],` +
			`"tools":[{"name":"look","input_schema":{"properties":{"path":{}}}}]}`,
		one: `{"role":"user","content":[{"type":"tool_result","tool_use_id":"ID","content":"seen"},` +
			`{"type":"text","text":"and a note"}]}`,
		two: `{"role":"user","content":[{"type":"tool_result","tool_use_id":"ID",` +
			`"content":[{"type":"text","text":"seen"}]}]}`,
		id:    func(a map[string]any) any { return at(a["content"], 0, "id") },
		calls: `"path":"a"`, last: `"text":"done"`,
	},
	"chat": {
		path: "/v1/chat/completions",
		begin: `{"messages":[{"role":"user","content":"[main] go"}],` +
			`"tools":[{"function":{"name":"look","parameters":{"properties":{"path":{}}}}}]}`,
		one: `{"role":"tool","tool_call_id":"ID","content":"seen"},{"role":"user","content":"and a note"}`,
		two: `{"role":"tool","tool_call_id":"ID","content":"seen"}`,
		id: func(a map[string]any) any {
			return at(at(at(a["choices"], 0, "message"), -1, "tool_calls"), 0, "id")
		},
		calls: `\"path\":\"a\"`, last: `"content":"done"`,
	},
	"responses": {
		path: "/v1/responses",
		begin: `{"input":[{"type":"message","role":"user","content":[{"text":"[main] go"}]}],` +
			`"tools":[{"type":"function","name":"look","parameters":{"properties":{"path":{}}}}]}`,
		one: `{"type":"function_call_output","call_id":"ID","output":"seen"},` +
			`{"type":"message","role":"developer","content":"and a note"}`,
		two:   `{"type":"function_call_output","call_id":"ID","output":"seen"}`,
		id:    func(a map[string]any) any { return at(a["output"], 0, "call_id") },
		calls: `\"path\":\"a\"`, last: `"text":"done"`,
	},
	"gemini": {
		path: "/v1beta/models/m:generateContent",
		begin: `{"contents":[{"role":"user","parts":[{"text":"[main] go"}]}],` +
			`"tools":[{"functionDeclarations":[{"name":"look","parametersJsonSchema":{"properties":{"path":{}}}}]}]}`,
		one: `{"role":"user","parts":[{"functionResponse":{"id":"ID","response":"seen"}},{"text":"and a note"}]}`,
		two: `{"role":"user","parts":[{"functionResponse":{"id":"ID","response":"seen"}}]}`,
		id: func(a map[string]any) any {
			content := at(a["candidates"], 0, "content")
			return at(at(at(content, -1, "parts"), 0, "functionCall"), -1, "id")
		},
		calls: `"path":"a"`, last: `"text":"done"`,
	},
}

// at returns a member of an element of a list, or of an object if the place is negative.
func at(value any, place int, member string) any {
	if list, is := value.([]any); is {
		value = list[place]
	}
	return value.(map[string]any)[member]
}

// Verifies: ORC-230
func TestAConversationInEveryProtocol(t *testing.T) {
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			server, err := model.Start(t.TempDir(), script)
			require.NoError(t, err)
			defer server.Close()
			ask := func(body string) (said, id string) {
				said = post(t, server.URL+d.path, body)
				var answer map[string]any
				require.NoError(t, json.Unmarshal([]byte(said), &answer))
				if strings.Contains(said, `look`) {
					id = d.id(answer).(string)
				}
				return said, id
			}
			said, first := ask(d.begin)
			require.Contains(t, said, d.calls)
			again, same := ask(d.begin)
			require.Contains(t, again, d.calls)
			require.Equal(t, first, same, "a request that is repeated gets the same answer")

			grown := strings.Replace(d.begin, `}],"tools"`, `},`+strings.Replace(d.one, "ID", first, 1)+`],"tools"`, 1)
			said, second := ask(grown)
			require.Contains(t, said, "after ", "the second step knows what came of the first")
			require.NotEqual(t, first, second)
			grown = strings.Replace(grown, `],"tools"`, `,`+strings.Replace(d.two, "ID", second, 1)+`],"tools"`, 1)
			said, _ = ask(grown)
			require.Contains(t, said, d.last)

			outcomes, ended := server.Outcomes("[main]")
			require.True(t, ended)
			require.Len(t, outcomes, 3)
			require.True(t, outcomes[0].Ended)
			require.Contains(t, outcomes[0].Result, "seen")
			require.Contains(t, outcomes[0].Around, "and a note")
			require.False(t, outcomes[1].Offered)
			require.True(t, outcomes[2].Ended)
			require.Len(t, server.Ends("[main]"), 1)
			require.Contains(t, server.Ends("[main]")[0], "[main] go")
			_, _ = ask(grown)
			require.Len(t, server.Ends("[main]"), 2, "a session that goes on ends again")
			require.Empty(t, server.Ends("[other]"))
			require.Equal(t, model.Tools{{Name: "look", Fields: []string{"path"}}}, server.Offered("[main]"))
			require.Empty(t, server.Odd())
		})
	}
}

// A stream says the same as one answer.
func TestStreams(t *testing.T) {
	for name, d := range dialects {
		server, err := model.Start("", script)
		require.NoError(t, err)
		path, body := d.path, strings.Replace(d.begin, "{", `{"stream":true,`, 1)
		if name == "gemini" {
			path = strings.Replace(path, ":generate", ":streamGenerate", 1)
		}
		said := post(t, server.URL+path, body)
		server.Close()
		require.Contains(t, said, "data: {", name)
		require.Contains(t, said, "look", name)
		for line := range strings.Lines(said) {
			if event, is := strings.CutPrefix(strings.TrimSpace(line), "data: "); is && event != "[DONE]" {
				require.True(t, json.Valid([]byte(event)), "%s: %s", name, event)
			}
		}
	}
}

// What is no conversation of the script gets a short text: clients ask for titles and summaries.
func TestAside(t *testing.T) {
	server, err := model.Start("", script)
	require.NoError(t, err)
	defer server.Close()
	for _, body := range []string{`{"messages":[{"role":"user","content":"a title"}]}`, `{"messages":[]}`} {
		require.Contains(t, post(t, server.URL+"/v1/messages", body), "A check")
	}
	outcomes, ended := server.Outcomes("[main]")
	require.Empty(t, outcomes)
	require.False(t, ended)
}
