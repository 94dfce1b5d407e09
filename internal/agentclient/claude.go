package agentclient

import "time"

// claude is Claude Code.
var claude = Client{
	Name: "claude",
	form: form{
		event: "hook_event_name", whens: claudeEvents, tool: "tool_name", input: "tool_input",
		session: []string{"session_id"}, toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		lent: true, tools: claudeTools, actor: agentID,
	},
	answers: answers{block: onStderr, warn: claudeWarning, ask: claudeQuestion},
	Wiring: Wiring{
		File: ".claude/settings.json", Events: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"},
		Nested: true, Matcher: "*", Typed: true, Command: "command", Timeout: "timeout", Unit: time.Second,
		Shut:  &Option{Name: "onFailure", Value: "block", Since: "2.1.295"},
		Since: "2.1.69", Lacks: "does not say which calls are an agent's: every call counts as the main session's",
		Toggles: []Toggle{
			{File: ".claude/settings.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".claude/settings.local.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".claude/settings.json", Path: []string{"disableAllHooks"}, Off: true, Home: true},
		},
		Project: "CLAUDE_PROJECT_DIR", User: ".claude/settings.json", Reach: Here,
		Mutes: []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"},
		Strays: []Stray{
			{File: ".claude/settings.local.json"}, {File: ".claude/settings.json", Home: true},
			{File: ".claude/hooks.json", Unread: true},
		},
	},
	Guarded: Guarded{
		Project:  []string{".claude/settings.json", ".claude/settings.local.json"},
		Personal: []string{".claude/settings.json", ".claude/settings.local.json"},
		Mentions: []string{".claude/settings"},
	},
	Calls: Calls{
		Head: claudeHead, Agent: claudeAgent,
		Edit: `"tool_name":"Edit","tool_input":{"file_path":FILE,"old_string":"a","new_string":"b"}`,
		Read: `"tool_name":"Read","tool_input":{"file_path":FILE}`,
	},
}

// claudeEvents are the events of Claude Code and of those that took its names over.
var claudeEvents = rows[When]{{"PreToolUse", Before}, {"PostToolUse", After}, {"PostToolUseFailure", Failed}}

// claudeHead and claudeAgent are how Claude Code and those that took its form over begin a call, and name an agent.
const (
	claudeHead = `"session_id":"doctor","transcript_path":"","cwd":CWD,"hook_event_name":"PreToolUse",` +
		`"tool_use_id":"doctor"`
	claudeAgent = `"agent_id":"doctor","agent_type":"general-purpose"`
)

// claudeTools has what must be translated, as the tables of the other clients do; a name that is not in them stays as
// it is. Agent is what Claude Code calls Task today, and Monitor runs a command and watches it. Its other names are the
// canonical ones.
var claudeTools = rows[tool]{{"Agent", named(task)}, {"Monitor", tool{name: bash, maybe: true}}}

// claudeWarning reaches the person and the model, and decides nothing.
func claudeWarning(message string) Answer {
	return say(pair{"systemMessage", message}, pair{"hookSpecificOutput",
		[]pair{{"hookEventName", "PreToolUse"}, {"additionalContext", message}}})
}

func claudeQuestion(message string) Answer {
	return say(pair{"hookSpecificOutput", []pair{{"hookEventName", "PreToolUse"}, {"permissionDecision", "ask"},
		{"permissionDecisionReason", message}}})
}
