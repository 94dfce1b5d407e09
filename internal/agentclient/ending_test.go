package agentclient_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
)

// turns are calls at the end of a turn as real clients made them: Claude Code 2.1.330, Codex 0.169.0, Qwen Code 0.24.4,
// Gemini CLI 0.61.0 and Copilot CLI 1.0.102, with other ids and folders.
var turns = map[string]string{
	"claude": `{"session_id":"s1","transcript_path":"/home/s1.jsonl","cwd":"/p","prompt_id":"p1",` +
		`"permission_mode":"bypassPermissions","effort":{"level":"medium"},"hook_event_name":"Stop",` +
		`"stop_hook_active":%s,"last_assistant_message":"All is done.","background_tasks":[],"session_crons":[]}`,
	"codex": `{"session_id":"s1","turn_id":"t1","transcript_path":"/home/s1.jsonl","cwd":"/p",` +
		`"hook_event_name":"Stop","model":"m","permission_mode":"bypassPermissions","stop_hook_active":%s,` +
		`"last_assistant_message":"All is done."}`,
	"qwen": `{"session_id":"s1","transcript_path":"/home/s1.jsonl","cwd":"/p","hook_event_name":"Stop",` +
		`"timestamp":"2026-11-23T17:04:10.200Z","permission_mode":"yolo","prompt_id":"s1########0",` +
		`"stop_hook_active":%s,"last_assistant_message":"All is done.","background_tasks":[],"crons":[]}`,
	"gemini": `{"session_id":"s1","transcript_path":"/home/s1.jsonl","cwd":"/p","hook_event_name":"AfterAgent",` +
		`"timestamp":"2026-11-23T17:04:25.302Z","prompt":"say done","prompt_response":"All is done.",` +
		`"stop_hook_active":%s}`,
	"copilot": `{"sessionId":"s1","timestamp":1795453478095,"cwd":"/p","transcriptPath":"/home/events.jsonl",` +
		`"stopReason":"end_turn","stop_hook_active":%s}`,
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
