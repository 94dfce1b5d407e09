package agentclient

import (
	"time"

	"orchestrator/internal/rules/boundary"
)

// codex is Codex CLI.
var codex = Client{
	Name: "codex",
	form: form{
		event: "hook_event_name", whens: claudeEvents, tool: "tool_name", input: "tool_input",
		session: []string{"session_id"}, toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		looseInput: true, typedInto: true, tools: codexTools, namespaces: codexNamespaces, actor: agentID,
	},
	answers: answers{block: onStderr, warn: claudeWarning},
	ending:  claudeEnding,
	Wiring: Wiring{
		File: ".codex/hooks.json", Events: []string{"PreToolUse", "PostToolUse"},
		Ends:   []string{"Stop"},
		Nested: true, Matcher: "*", Typed: true, Command: "command", Timeout: "timeout", Unit: time.Second,
		Notes: []string{"Codex skips a new or changed hook until it is trusted: open /hooks in Codex and trust it"},
		Toggles: []Toggle{
			{File: ".codex/config.toml", Path: []string{"features", "hooks"}},
			{File: ".codex/config.toml", Path: []string{"features", "codex_hooks"}},
			{File: ".codex/config.toml", Path: []string{"features", "hooks"}, Home: true},
			{File: ".codex/config.toml", Path: []string{"features", "codex_hooks"}, Home: true},
		},
		User: ".codex/hooks.json", Reach: Above, AnyShell: true, Trusts: ".codex/config.toml",
		OtherFiles: []OtherFile{{File: ".codex/hooks.json", Home: true}, {File: ".codex/settings.json", Unread: true}},
	},
	Servers: Servers{
		File: ".codex/config.toml", User: ".codex/config.toml", Table: "mcp_servers",
		Trust: "Codex reads the settings of a project only if the person trusts it",
	},
	Guarded: Guarded{
		Mentions: []string{".codex/config", ".codex/hooks"},
	},
	Delegates: Delegates{
		Tool: "spawn_agent", Type: "agent_type", Prompt: "message",
		Also:    []boundary.Member{{Name: "task_name", Text: "change_the_file"}},
		BuiltIn: []boundary.AgentType{{Name: "default", BuiltIn: true, Untyped: true}},
		Folders: []AgentFolder{
			{Path: ".codex/agents", Ending: ".toml"},
			{Path: ".codex/agents", Home: true, Ending: ".toml"},
		},
	},
	Calls: Calls{
		Head: claudeHead, Agent: claudeAgent,
		Edit: `"tool_name":"apply_patch",` +
			`"tool_input":{"command":"*** Begin Patch\n*** Add File: NAME\n+a\n*** End Patch\n"}`,
		Read: `"tool_name":"read_file","tool_input":{"path":FILE}`,
	},
}

// codexTools are the tools of Codex 0.169.0, and of versions before it.
var codexTools = rows[tool]{
	{"apply_patch", named(patch)}, {"Bash", named(bash)}, {"shell", named(bash)}, {"shell_command", named(bash)},
	{"local_shell", named(bash)},
	{"exec_command", named(bash)}, {"unified_exec", named(bash)}, {"container.exec", named(bash)},
	{"write_stdin", tool{name: bash, command: "chars", maybe: true}},
	{"read_file", named(read)}, {"view_image", named(read)}, {"grep_files", named(grep)}, {"list_dir", named(list)},
	{"spawn_agent", named(task)}, {"send_input", named(task)}, {"send_message", named(task)},
	{"followup_task", named(task)}, {"assign_task", named(task)}, {"resume_agent", named(task)},
	{"spawn_agents_on_csv", named(write)}, {"wait_agent", named(taskOutput)}, {"list_agents", named(taskList)},
	{"report_agent_job_result", named(taskOutput)}, {"close_agent", named(taskStop)},
	{"interrupt_agent", named(taskStop)},
	{"web_search", named(webSearch)}, {"tool_search", named(toolSearch)}, {"tool_suggest", named(toolSearch)},
	{"list_available_plugins_to_install", named(toolSearch)},
	{"list_mcp_resources", named(listMCP)}, {"list_mcp_resource_templates", named(listMCP)},
	{"read_mcp_resource", named(readMCP)},
	{"request_user_input", named(askUser)}, {"request_user_input_async", named(askUser)},
	{"send_user_message_async", named(askUser)}, {"request_permissions", named(askUser)},
	{"request_plugin_install", named(askUser)},
	{"update_plan", named(todoWrite)}, {"create_goal", named(todoWrite)}, {"update_goal", named(todoWrite)},
	{"get_goal", named(todoRead)}, {"new_context", named(todoWrite)}, {"get_context_remaining", named(todoRead)},
	{"wait_for_environment", named(taskOutput)}, {"test_sync_tool", named(taskOutput)},
	{"exec", tool{}}, {"wait", named(taskOutput)}, {"image_generation", tool{}}, {"cua_repl", tool{}},
	{"copy_file", tool{}},
}

// codexAgents are the tools of the namespaces that start agents and talk to them; the first version called them so.
var codexAgents = rows[tool]{{"wait", named(taskOutput)}, {"close", named(taskStop)}, {"spawn", named(task)}}

// codexNamespaces are the namespaces of Codex 0.169.0 with what only they call so. To a hook it gives the names of
// namespace and tool without anything between them: collaborationspawn_agent, clocksleep.
var codexNamespaces = rows[rows[tool]]{
	{"collaboration", codexAgents}, {"multi_agent_v1", codexAgents},
	{"multi_agent_v2", codexAgents}, {"multi_agent", codexAgents},
	{"clock", rows[tool]{{"sleep", named(taskOutput)}, {"curr_time", named(todoRead)}}},
	{"goal", nil}, {"web", rows[tool]{{"run", named(webSearch)}, {"search", named(webSearch)}}},
	{"skills", rows[tool]{{"list", named(skill)}, {"read", named(skill)}}},
	{"memories", rows[tool]{{"list", named(todoRead)}, {"read", named(todoRead)}, {"search", named(todoRead)},
		{"add_ad_hoc_note", tool{}}}},
	{"history", rows[tool]{{"list_windows", named(todoRead)}, {"list_items", named(todoRead)},
		{"read_item", named(todoRead)}}},
	{"image_gen", rows[tool]{{"imagegen", tool{}}}},
}
