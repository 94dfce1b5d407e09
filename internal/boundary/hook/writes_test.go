package hook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// Calls that look like reading, like delegating or like an agent's, and write all the same.
//
// Verifies: ORC-191
// Verifies: ORC-192
func TestCallsThatOnlyLookHarmless(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	head := `{"session_id":"s1","cwd":"/p","hook_event_name":"PreToolUse",`
	edit := `"tool_name":"Edit","tool_input":{"file_path":"a.go","old_string":"a","new_string":"b"},`
	policy := boundary.DefaultPolicy()
	policy.Mode = boundary.Enforce
	for _, one := range []struct{ client, call, rule string }{
		{"claude", head + edit + `"agent_id":" "}`, boundary.RuleWrites},
		{"claude", head + edit + `"agent_id":"s1"}`, boundary.RuleWrites},
		{"claude", head + edit + `"agent_id":"a1","agent_type":"general-purpose"}`, boundary.RuleAgent},
		{"claude", head + `"tool_name":"LSP","tool_input":{"operation":"rename"}}`, boundary.RuleWrites},
		{"claude", head + `"tool_name":"LSP","tool_input":{"operation":"hover"}}`, boundary.RuleReads},
		{"claude", head + `"tool_name":"Skill","tool_input":{"skill":"../../scratch/x"}}`, boundary.RuleAmbiguous},
		{"claude", head + `"tool_name":"Skill","tool_input":{"skill":"pdf"}}`, boundary.RuleReads},
		{"claude", head + `"tool_name":"mcp__x__read_file_to_disk","tool_input":{}}`, boundary.RuleAmbiguous},
		{"claude", head + `"tool_name":"mcp__x__get_page","tool_input":{"out":"a.go"}}`, boundary.RuleAmbiguous},
		{"claude", head + `"tool_name":"mcp__x__get_page","tool_input":{"path":"a.go"}}`, boundary.RuleReads},
		{"codex", head + `"tool_name":"spawn_agents_on_csv","tool_input":{"output_csv_path":"a.go"}}`,
			boundary.RuleWrites},
		{"codex", head + `"tool_name":"spawn_agent","tool_input":{"message":"x"}}`, boundary.RuleDelegates},
		{"copilot", `{"sessionId":"s1","cwd":"/p","toolName":"edit","toolArgs":{"path":"a.go"},"agentId":"x"}`,
			boundary.RuleWrites},
	} {
		client, _ := agentclient.Named(one.client)
		event, err := client.Parse([]byte(one.call))
		require.NoError(t, err, one.call)
		event.Cwd = p.dir.Root
		call := callOf(event, newResolver(p.dir.Root, p.dir.Root, p.dir.Root, ""), time.Unix(0, 0))
		require.Equal(t, one.rule, boundary.Judge(&policy, call).Rule, one.call)
	}
}
