package agentclient

import "time"

// qwen is Qwen Code.
var qwen = Client{
	Name: "qwen",
	form: form{
		event: "hook_event_name", whens: claudeEvents, tool: "tool_name", input: "tool_input",
		session: []string{"session_id"}, toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		tools: qwenTools, actor: agentID,
	},
	answers: answers{block: onStderr, warn: claudeWarning, ask: claudeQuestion},
	Wiring: Wiring{
		File: ".qwen/settings.json", Events: []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"},
		Nested: true, Matcher: "*", Typed: true, Command: "command", Named: true,
		Timeout: "timeout", Unit: time.Millisecond, SecondsBelow: 1000,
		Notes: []string{"Qwen Code lets a call through when a hook breaks"},
		Toggles: []Toggle{
			{File: ".qwen/settings.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".qwen/settings.json", Path: []string{"hooksConfig", "enabled"}},
			{File: ".qwen/settings.json", Path: []string{"hooks", "enabled"}},
			{File: ".qwen/settings.json", Path: []string{"disableAllHooks"}, Off: true, Home: true},
		},
		Project: "QWEN_PROJECT_DIR", User: ".qwen/settings.json", Reach: Here,
		Mutes:  []string{"QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"},
		Strays: []Stray{{File: ".qwen/settings.json", Home: true}, {File: ".qwen/hooks.json", Unread: true}},
	},
	Guarded: Guarded{
		Project:  []string{".qwen/settings.json"},
		Personal: []string{".qwen/settings.json"},
		Mentions: []string{".qwen/settings"},
	},
	Calls: Calls{
		Head: claudeHead, Agent: claudeAgent,
		Edit: `"tool_name":"write_file","tool_input":{"file_path":FILE,"content":"a"}`,
		Read: `"tool_name":"read_file","tool_input":{"absolute_path":FILE}`,
	},
}

var qwenTools = rows[tool]{
	{"edit", named(edit)}, {"write_file", named(write)}, {"notebook_edit", named(notebook)},
	{"run_shell_command", named(bash)}, {"read_file", named(read)}, {"read_many_files", named(read)},
	{"grep_search", named(grep)}, {"search_file_content", named(grep)}, {"glob", named(glob)},
	{"list_directory", named(list)}, {"agent", named(task)}, {"task", named(task)}, {"web_fetch", named(webFetch)},
	{"web_search", named(webSearch)}, {"todo_write", named(todoWrite)},
}
