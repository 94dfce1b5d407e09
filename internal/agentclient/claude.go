package agentclient

import (
	"time"

	"orchestrator/internal/rules/boundary"
)

// claude is Claude Code.
var claude = Client{
	Name: "claude", Instructions: "CLAUDE.md",
	form: form{
		event: "hook_event_name", whens: claudeEvents, tool: "tool_name", input: "tool_input",
		session: []string{"session_id"}, toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		lent: true, tools: claudeTools, actor: agentID,
	},
	answers: answers{block: onStderr, deny: claudeDeny, warn: claudeWarning, ask: claudeQuestion},
	ending: ending{task: "TaskCompleted", about: []string{"task_subject", "task_description"},
		again: stopHookActive, hold: holdByBlock},
	Wiring: Wiring{
		File: ".claude/settings.json", Events: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"},
		Ends:   []string{"Stop", "TaskCompleted"},
		Nested: true, Matcher: "*", Typed: true, Command: "command", Timeout: "timeout", Unit: time.Second,
		FailClosed: &Option{Name: "onFailure", Value: "block", Since: "2.1.295"},
		JSONFlag:   &Option{Name: "--answers", Value: "json", Since: "2.1.295"},
		Since:      "2.1.69", Lacks: "does not say which calls are an agent's: every call counts as the main session's",
		Toggles: []Toggle{
			{File: ".claude/settings.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".claude/settings.local.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".claude/settings.json", Path: []string{"disableAllHooks"}, Off: true, Home: true},
		},
		Project: "CLAUDE_PROJECT_DIR", User: ".claude/settings.json", Reach: Here,
		DisablingVariables: []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"},
		OtherFiles: []OtherFile{
			{File: ".claude/settings.local.json"}, {File: ".claude/settings.json", Home: true},
			{File: ".claude/hooks.json", Unread: true},
		},
	},
	Servers: Servers{
		File: ".mcp.json", User: ".claude.json", Table: "mcpServers", Type: "stdio",
		Trust: "Claude Code asks in its next session whether to use the server: approve it there",
	},
	Guarded: Guarded{
		Personal: []string{".claude/settings.local.json"},
		Mentions: []string{".claude/settings", ".mcp.json", ".claude.json"},
	},
	Skills: []string{".claude/skills/NAME/SKILL.md", ".claude/commands/NAME.md"},
	Delegates: Delegates{
		Tool: "Agent", Type: "subagent_type", Prompt: "prompt",
		Also:    []boundary.Member{{Name: "description", Text: "Change the file"}},
		BuiltIn: []boundary.AgentType{{Name: "general-purpose", BuiltIn: true}},
		Folders: []AgentFolder{
			{Path: ".claude/agents", Ending: ".md", Deep: true},
			{Path: ".claude/agents", Home: true, Ending: ".md", Deep: true},
		},
	},
	Notes: []string{".claude/plans/*.md", ".claude/projects/*/memory/**/*.md"},
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
	claudeAgent = `"agent_id":"doctor-agent","agent_type":"general-purpose"`
)

// claudeTools are the tools of Claude Code 2.1.330. The canonical names are those that it had when this was written;
// what it calls otherwise, or got since then, is translated to what policies have always listed.
var claudeTools = rows[tool]{
	{"Agent", named(task)}, {"SendMessage", named(task)}, {"Workflow", named(task)}, {"TeamCreate", named(task)},
	{"TeamDelete", named(task)}, {"SubagentHandback", named(taskOutput)}, {"ListAgents", named(taskList)},
	{"ListPeers", named(taskList)}, {"KillBash", named(taskStop)}, {"TaskOutput", named(taskOutput)},
	{"AskUserQuestion", named(askUser)}, {"SendUserMessage", named(askUser)}, {"Brief", named(askUser)},
	{"PushNotification", named(askUser)}, {"ReportFindings", named(askUser)}, {"StructuredOutput", named(askUser)},
	{"EndConversation", named(askUser)}, {"ReadNotifications", named(taskOutput)},
	{"TodoWrite", named(todoWrite)}, {"CronCreate", named(todoWrite)}, {"CronDelete", named(todoWrite)},
	{"CronList", named(todoRead)},
	{"ScheduleWakeup", named(todoWrite)}, {"SetGoal", named(todoWrite)}, {"ProposeGoal", named(todoWrite)},
	{"TaskCreate", named("TaskCreate")}, {"TaskUpdate", named("TaskUpdate")},
	{"TaskGet", named("TaskGet")}, {"TaskList", named(taskList)}, {"TaskStop", named(taskStop)},
	{"WaitForMcpServers", named(toolSearch)}, {"ToolSearch", named(toolSearch)},
	{"DeferredToolPlaceholder", named(toolSearch)},
	{"ListMcpResources", named(listMCP)}, {"ListMcpResourcesTool", named(listMCP)},
	{"ReadMcpResource", named(readMCP)}, {"ReadMcpResourceTool", named(readMCP)},
	{"ReadMcpResourceDir", named(readMCP)}, {"ReadMcpResourceDirTool", named(readMCP)},
	{"Read", named(read)}, {"LSP", named(read)}, {"SendUserFile", named(read)}, {"Grep", named(grep)},
	{"Glob", named(glob)}, {"WebFetch", named(webFetch)}, {"WebSearch", named(webSearch)},
	{"Skill", named(skill)}, {"EnterPlanMode", named(enterPlan)}, {"ExitPlanMode", named(exitPlan)},
	{"Edit", named(edit)}, {"Write", named(write)}, {"MultiEdit", named(multiEdit)}, {"NotebookEdit", named(notebook)},
	{"Bash", named(bash)}, {"PowerShell", named(powerShell)}, {"Monitor", tool{name: bash, maybe: true}},
	{"Artifact", tool{}}, {"ClaudeDesign", tool{}}, {"EnterWorktree", tool{}}, {"ExitWorktree", tool{}},
	{"OfferChromeSetup", tool{}}, {"Projects", tool{}}, {"propose_skills", tool{}}, {"RemoteTrigger", tool{}},
	{"SendFeedback", tool{}}, {"ShareOnboardingGuide", tool{}}, {"ShowOnboardingRolePicker", tool{}},
}

// claudeWarning reaches the person and the model, and decides nothing.
func claudeWarning(message string) Answer {
	return say(pair{"systemMessage", message}, pair{"hookSpecificOutput",
		[]pair{{"hookEventName", "PreToolUse"}, {"additionalContext", message}}})
}

// claudeDeny blocks as onStderr does, and is shown as a decision: of exit code 2 it says that the hook has an error.
// Without onFailure a hook that crashes lets the call through, and then exit code 2 is what a shell can say as well.
func claudeDeny(message string) Answer {
	return say(pair{"hookSpecificOutput", []pair{{"hookEventName", "PreToolUse"}, {"permissionDecision", "deny"},
		{"permissionDecisionReason", message}}})
}

func claudeQuestion(message string) Answer {
	return say(pair{"hookSpecificOutput", []pair{{"hookEventName", "PreToolUse"}, {"permissionDecision", "ask"},
		{"permissionDecisionReason", message}}})
}
