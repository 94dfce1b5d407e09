package agentclient

import (
	"strings"
	"time"

	"orchestrator/internal/rules/boundary"
)

// qwen is Qwen Code.
var qwen = Client{
	Name: "qwen",
	form: form{
		event: "hook_event_name", whens: claudeEvents, tool: "tool_name", input: "tool_input",
		session: []string{"session_id"}, toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		tools: qwenTools, actor: qwenActor,
	},
	answers: answers{block: onStderr, warn: claudeWarning, ask: claudeQuestion},
	ending:  claudeEnding,
	Wiring: Wiring{
		File: ".qwen/settings.json", Events: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"},
		Ends:   []string{"Stop"},
		Nested: true, Matcher: "*", Typed: true, Command: "command", Named: true,
		Timeout: "timeout", Unit: time.Millisecond, SecondsBelow: 1000,
		SilentIn: "sessions without a screen",
		Notes:    []string{"Qwen Code lets a call through when a hook breaks"},
		Toggles: []Toggle{
			{File: ".qwen/settings.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".qwen/settings.json", Path: []string{"hooksConfig", "enabled"}},
			{File: ".qwen/settings.json", Path: []string{"hooks", "enabled"}},
			{File: ".qwen/settings.json", Path: []string{"disableAllHooks"}, Off: true, Home: true},
		},
		Project: "QWEN_PROJECT_DIR", User: ".qwen/settings.json", Reach: Here,
		DisablingVariables: []string{"QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"},
		OtherFiles:         []OtherFile{{File: ".qwen/settings.json", Home: true}, {File: ".qwen/hooks.json", Unread: true}},
	},
	Servers: Servers{
		File: ".qwen/settings.json", User: ".qwen/settings.json", Table: "mcpServers",
		Trust: "Qwen Code starts the server once it is approved: qwen mcp approve orchestrator",
	},
	Guarded: Guarded{
		Mentions: []string{".qwen/settings"},
	},
	Delegates: Delegates{
		Tool: "agent", Type: "subagent_type", Prompt: "prompt",
		Also:    []boundary.Member{{Name: "description", Text: "Change the file"}},
		BuiltIn: []boundary.AgentType{{Name: "general-purpose", BuiltIn: true}},
		Folders: []AgentFolder{
			{Path: ".qwen/agents", Ending: ".md"},
			{Path: ".qwen/agents", Home: true, Ending: ".md"},
		},
	},
	Notes: []string{".qwen/plans/*.md", ".qwen/projects/*/memory/**/*.md"},
	Calls: Calls{
		Head: claudeHead, Agent: claudeAgent,
		Edit: `"tool_name":"write_file","tool_input":{"file_path":FILE,"content":"a"}`,
		Read: `"tool_name":"read_file","tool_input":{"absolute_path":FILE}`,
	},
}

// callMarks are what the ids of calls begin with, as models and their servers make them; some have hyphens.
var callMarks = []string{"-call_", "-call-", "-toolu_", "-tooluse_", "-chatcmpl-tool-", "-functions.", "-agent-"}

// qwenActor reads who calls. An agent's id is its type and the id of the call that started it, with a hyphen between,
// and its type is not said otherwise.
func qwenActor(call object) (boundary.Actor, error) {
	actor, err := agentID(call)
	if err != nil || actor.Kind != boundary.Agent || actor.Type != "" {
		return actor, err
	}
	end := -1
	for _, mark := range callMarks {
		end = max(end, strings.LastIndex(actor.ID, mark))
	}
	if end < 0 {
		end = strings.LastIndexByte(actor.ID, '-')
	}
	actor.Type = actor.ID[:max(end, 0)]
	return actor, nil
}

// qwenTools are the tools of Qwen Code 0.24.4, and of versions before it.
var qwenTools = rows[tool]{
	{"edit", named(edit)}, {"replace", named(edit)}, {"write_file", named(write)}, {"notebook_edit", named(notebook)},
	{"run_shell_command", named(bash)}, {"monitor", tool{name: bash, maybe: true}},
	{"read_file", named(read)}, {"read_many_files", named(read)}, {"lsp", named(read)}, {"zoom_image", named(read)},
	{"display_image", named(read)}, {"grep_search", named(grep)}, {"search_file_content", named(grep)},
	{"glob", named(glob)}, {"list_directory", named(list)}, {"web_fetch", named(webFetch)},
	{"web_search", named(webSearch)},
	{"agent", named(task)}, {"task", named(task)}, {"send_message", named(task)}, {"workflow", named(task)},
	{"team_create", named(task)}, {"team_delete", named(task)}, {"create_sub_session", named(task)},
	{"team_plan_approval", named(task)}, {"request_shutdown", named(taskStop)}, {"list_agents", named(taskList)},
	{"task_stop", named(taskStop)}, {"task_create", named("TaskCreate")}, {"task_update", named("TaskUpdate")},
	{"task_list", named(taskList)},
	{"skill", named(skill)}, {"tool_search", named(toolSearch)}, {"read_mcp_resource", named(readMCP)},
	{"ask_user_question", named(askUser)}, {"structured_output", named(askUser)}, {"report_findings", named(askUser)},
	{"enter_plan_mode", named(enterPlan)}, {"exit_plan_mode", named(exitPlan)},
	{"todo_write", named(todoWrite)}, {"save_memory", named(todoWrite)}, {"update_goal", named(todoWrite)},
	{"propose_goal", named(todoWrite)}, {"get_goal", named(todoRead)}, {"cron_create", named(todoWrite)},
	{"cron_delete", named(todoWrite)}, {"cron_list", named(todoRead)}, {"loop_wakeup", named(todoWrite)},
	{"record_artifact", named(todoWrite)}, {"record_source", named(todoWrite)},
	{"omni_recall_media_memory", named(todoRead)},
	{"exec", tool{}}, {"tool_call", tool{}}, {"image_gen", tool{}}, {"artifact", tool{}},
	{"enter_worktree", tool{}}, {"exit_worktree", tool{}},
}
