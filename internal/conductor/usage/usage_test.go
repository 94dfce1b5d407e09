package usage_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/usage"
)

func dollars(v float64) *float64 { return &v }

// The files are what the clients printed in a run with a scripted model, without what is not read. Those of driven are
// kept by make check-drive UPDATE=1: the session of a tester.
//
// Verifies: ORC-274
func TestWhatClientsReport(t *testing.T) {
	for file, want := range map[string]*usage.Usage{
		"claude.jsonl":   {Client: "claude", Input: 1700, Output: 170, CostUSD: dollars(0.010199999999999999)},
		"gemini.jsonl":   {Client: "gemini", Input: 1600, Output: 160},
		"qwen.jsonl":     {Client: "qwen", Input: 1700, Output: 170},
		"opencode.jsonl": {Client: "opencode", Input: 1200, Output: 120},
		"copilot.jsonl":  nil, // it reports requests, and no tokens

		"driven/claude.jsonl":      {Client: "claude", Input: 600, Output: 60, CostUSD: dollars(0.0036)},
		"driven/codex-plain.jsonl": {Client: "codex", Input: 600, Output: 60},
		"driven/gemini.jsonl":      {Client: "gemini", Input: 600, Output: 60},
		"driven/qwen.jsonl":        {Client: "qwen", Input: 600, Output: 60},
		"driven/opencode.jsonl":    {Client: "opencode", Input: 600, Output: 60},
	} {
		t.Run(file, func(t *testing.T) {
			output, err := os.ReadFile("testdata/" + file)
			require.NoError(t, err)
			require.Equal(t, want, usage.Read(output, ""), "recognised")
			client, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".jsonl"), "-")
			require.Equal(t, want, usage.Read(output, client), "named")
			require.Nil(t, usage.Read(output, "another"))
			require.Equal(t, want, usage.Read([]byte("a warning\n"+string(output)+"{ cut off"), ""), "among other lines")
		})
	}
}

func TestOtherFormsOfAReport(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		want   *usage.Usage
	}{
		"claude: one object":         {`{"type":"result","usage":{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":7,"output_tokens":5},"total_cost_usd":0.5}`, &usage.Usage{Client: "claude", Input: 110, Output: 5, CostUSD: dollars(0.5)}},
		"claude: an array":           {`[{"type":"system"},{"type":"result","usage":{"input_tokens":3,"output_tokens":5}}]`, &usage.Usage{Client: "claude", Input: 3, Output: 5}},
		"gemini: by model":           {"{\n\"response\":\"x\",\n\"stats\":{\"models\":{\"a\":{\"tokens\":{\"prompt\":10,\"candidates\":2,\"thoughts\":3,\"tool\":1}},\"b\":{\"tokens\":{\"prompt\":1,\"candidates\":1}}}}}", &usage.Usage{Client: "gemini", Input: 12, Output: 6}},
		"opencode: what it costs":    {`{"type":"step_finish","part":{"tokens":{"input":1,"output":2,"reasoning":3,"cache":{"read":4,"write":5}},"cost":0.25}}` + "\n" + `{"type":"step_finish","part":{"tokens":{"input":1,"output":1},"cost":0.25}}`, &usage.Usage{Client: "opencode", Input: 11, Output: 6, CostUSD: dollars(0.5)}},
		"opencode: in part":          {`{"type":"step_finish","part":{"tokens":{"input":1,"output":2},"cost":0.25}}` + "\n" + `{"type":"step_finish","part":{"tokens":{"input":1,"output":1}}}`, &usage.Usage{Client: "opencode", Input: 2, Output: 3}},
		"codex: the last sum counts": {`{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}`, &usage.Usage{Client: "codex", Input: 5, Output: 2}},
		"text":                       {"I have used 500 tokens, for $3.", nil},
		"nothing":                    {"", nil},
		"no report":                  {`{"type":"result"}`, nil},
		"a part of one":              {`{"type":"result","usage":{"input_tokens":3}}`, nil},
		"zero":                       {`{"type":"result","usage":{"input_tokens":0,"output_tokens":0}}`, nil},
		"negative":                   {`{"type":"result","usage":{"input_tokens":-3,"output_tokens":9}}`, nil},
		"too large":                  {`{"type":"result","usage":{"input_tokens":9007199254740993,"output_tokens":9}}`, nil},
		"no number":                  {`{"type":"result","usage":{"input_tokens":"3","output_tokens":5}}`, nil},
		"a negative cost":            {`{"type":"result","usage":{"input_tokens":3,"output_tokens":5},"total_cost_usd":-1}`, nil},
		"gemini: another form":       {`{"stats":{"models":{"a":{"tokens":{"prompt":10}}}}}`, nil},
		"opencode: another form":     {`{"type":"step_finish","part":{"tokens":{"input":1}}}`, nil},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, usage.Read([]byte(c.output), "")) })
	}
}

// Verifies: ORC-289
func TestWhatClientsSay(t *testing.T) {
	for output, want := range map[string]string{
		`{"type":"result","result":"I cannot.","usage":{}}`:                             "I cannot.",
		"a warning\n" + `[{"type":"assistant"},{"type":"result","result":"I cannot."}]`: "I cannot.",
		"{\n\"response\": \"I cannot.\",\n\"stats\": {}}":                               "I cannot.",
		`{"item":{"type":"agent_message","text":"First."}}` + "\n" +
			`{"item":{"type":"agent_message","text":"I cannot."}}` + "\n" + `{"type":"turn.completed"}`: "I cannot.",
		`{"part":{"type":"text","text":"I cannot."}}` + "\n" + `{"type":"step_finish","part":{}}`: "I cannot.",
		`{"type":"result","result":{"a":1}}`:                                                      "",
		`{"item":"odd"}`:                                                                          "",
		"I cannot.":                                                                               "",
		"":                                                                                        "",
	} {
		require.Equal(t, want, usage.Said([]byte(output)), output)
	}
}

// Verifies: ORC-274
func TestSums(t *testing.T) {
	var s usage.Sum
	require.Empty(t, s.String())
	require.Empty(t, s.Exceeds(0, 0))
	s.Add(nil)
	require.Equal(t, "1 run of agents; 1 reported nothing", s.String())
	s.Add(&usage.Usage{Input: 90, Output: 10, CostUSD: dollars(0.5)})
	s.Join(usage.Sum{Runs: 1, Input: 1, Output: 1})
	require.Equal(t, usage.Sum{Runs: 3, Unreported: 1, Input: 91, Output: 11, CostUSD: 0.5}, s)
	require.Equal(t, "3 runs of agents reported 91 tokens in, 11 out, 0.5000 US dollars; 1 reported nothing", s.String())
	require.Empty(t, s.Exceeds(103, 0.51))
	require.Contains(t, s.Exceeds(102, 0), "max_tokens is used up")
	require.Contains(t, s.Exceeds(0, 0.5), "max_cost_usd is used up")
	require.Len(t, usage.Clients(), 5)
}
