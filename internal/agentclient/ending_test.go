package agentclient_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
)

// turns are calls at the end of a turn, as the clients make them.
var turns = map[string]string{
	"claude": `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/p","permission_mode":"default",` +
		`"hook_event_name":"Stop","stop_hook_active":%s,"last_assistant_message":"Done.","background_tasks":[]}`,
	"codex": `{"session_id":"s1","turn_id":"t","transcript_path":null,"cwd":"/p","hook_event_name":"Stop","model":"m",` +
		`"permission_mode":"default","stop_hook_active":%s,"last_assistant_message":null}`,
	"qwen": `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/p","hook_event_name":"Stop","timestamp":"t",` +
		`"stop_hook_active":%s,"last_assistant_message":"Done."}`,
	"gemini": `{"session_id":"s1","transcript_path":"/t.json","cwd":"/p","hook_event_name":"AfterAgent","timestamp":"t",` +
		`"prompt":"do","prompt_response":"Done.","stop_hook_active":%s}`,
	"copilot": `{"timestamp":1,"cwd":"/p","sessionId":"s1","transcriptPath":"/t.jsonl","stopReason":"end_turn",` +
		`"stop_hook_active":%s}`,
}

// Each client's call is read, and the session is held up in the client's own form.
// Verifies: ORC-224
func TestTheEndOfATurn(t *testing.T) {
	held := map[string]string{
		"claude": `{"decision":"block","reason":"not yet"}`, "codex": `{"decision":"block","reason":"not yet"}`,
		"qwen": `{"decision":"block","reason":"not yet"}`, "gemini": `{"decision":"deny","reason":"not yet"}`,
		"copilot": `{"decision":"block","reason":"not yet"}`,
	}
	for name, call := range turns {
		c := protocol(t, name)
		require.NotEmpty(t, c.Wiring.Ends, name)
		for said, again := range map[string]bool{"false": false, "true": true, "null": false} {
			e, err := c.Ending(fmt.Appendf(nil, call, said))
			require.NoError(t, err, name)
			require.Equal(t, []any{"s1", "/p", "", again, false}, []any{e.Session, e.Cwd, e.Task, e.Again, e.OfTask()}, name)
			require.Equal(t, agentclient.Answer{Stdout: []byte(held[name] + "\n")}, e.Hold("not yet"), name)
			require.Equal(t, agentclient.Answer{}, e.Let(), name)
		}
	}
}

func TestTheEndOfATaskOfClaude(t *testing.T) {
	e, err := protocol(t, "claude").Ending([]byte(`{"session_id":"s1","cwd":"/p","hook_event_name":"TaskCompleted",` +
		`"task_id":"1","task_subject":"Design REQ-001","task_description":"as it says"}`))
	require.NoError(t, err)
	require.True(t, e.OfTask())
	require.Equal(t, "Design REQ-001\nas it says\n", e.Task)
	require.Equal(t, agentclient.Answer{Stderr: []byte("not yet\n"), Exit: 2}, e.Hold("not yet"), "the one way that it documents")
}

// Cursor goes on by a message of its own, wants JSON from every hook, and also runs what is registered for another.
func TestTheEndOfATurnOfCursor(t *testing.T) {
	const call = `{"conversation_id":"c1","generation_id":"g","hook_event_name":"stop","cursor_version":"3.1","status":%q,` +
		`"loop_count":%d}`
	for _, c := range []struct {
		registered, status string
		loops              int
		again              bool
	}{
		{"cursor", "completed", 0, false}, {"cursor", "completed", 1, true}, {"cursor", "aborted", 0, true},
		{"cursor", "error", 0, true}, {"claude", "completed", 0, false},
	} {
		e, err := protocol(t, c.registered).Ending(fmt.Appendf(nil, call, c.status, c.loops))
		require.NoError(t, err)
		require.Equal(t, []any{"c1", c.again}, []any{e.Session, e.Again})
		require.JSONEq(t, `{"followup_message":"not yet"}`, string(e.Hold("not yet").Stdout))
		require.Equal(t, agentclient.Answer{Stdout: []byte("{}\n")}, e.Let())
	}
	require.Equal(t, agentclient.Answer{Stdout: []byte("{}\n")}, protocol(t, "cursor").Let())
	require.Equal(t, agentclient.Answer{}, protocol(t, "claude").Let())
}

// What is no end of a turn, or cannot be read, is an error, and holds nobody up.
func TestWhatIsNoEndOfATurn(t *testing.T) {
	for name, calls := range map[string][]string{
		"claude": {``, `{`, `[]`, `{"hook_event_name":"PreToolUse"}`, `{"hook_event_name":"SubagentStop","agent_id":"a"}`,
			`{"hook_event_name":"Stop","session_id":7}`, `{"hook_event_name":"Stop","session_id":"s","cwd":{}}`},
		"gemini":   {`{"hook_event_name":"AfterTool"}`, `{}`},
		"opencode": {`{"hook_event_name":"session.idle","session_id":"s"}`},
	} {
		for _, call := range calls {
			_, err := protocol(t, name).Ending([]byte(call))
			require.Error(t, err, call)
		}
	}
}
