package agentclient

import "time"

// codex is Codex CLI.
var codex = Client{
	Name: "codex",
	form: form{
		event: "hook_event_name", whens: claudeEvents, tool: "tool_name", input: "tool_input",
		session: []string{"session_id"}, toolUse: "tool_use_id", cwd: []string{"cwd"}, failure: "error",
		looseInput: true, tools: codexTools, actor: agentID,
	},
	answers: answers{block: onStderr, warn: claudeWarning},
	Wiring: Wiring{
		File: ".codex/hooks.json", Events: []string{"PreToolUse", "PostToolUse"},
		Nested: true, Matcher: "*", Typed: true, Command: "command", Timeout: "timeout", Unit: time.Second,
		Notes: []string{"Codex skips a new or changed hook until it is trusted: open /hooks in Codex and trust it"},
		Toggles: []Toggle{
			{File: ".codex/config.toml", Path: []string{"features", "hooks"}},
			{File: ".codex/config.toml", Path: []string{"features", "codex_hooks"}},
			{File: ".codex/config.toml", Path: []string{"features", "hooks"}, Home: true},
			{File: ".codex/config.toml", Path: []string{"features", "codex_hooks"}, Home: true},
		},
		User: ".codex/hooks.json", Reach: Above, AnyShell: true, Trusts: ".codex/config.toml",
		Strays: []Stray{{File: ".codex/hooks.json", Home: true}, {File: ".codex/settings.json", Unread: true}},
	},
	Guarded: Guarded{
		Project:  []string{".codex/config.toml", ".codex/hooks.json"},
		Personal: []string{".codex/config.toml", ".codex/hooks.json"},
		Mentions: []string{".codex/config", ".codex/hooks"},
	},
	Calls: Calls{
		Head: claudeHead, Agent: claudeAgent,
		Edit: `"tool_name":"apply_patch",` +
			`"tool_input":{"command":"*** Begin Patch\n*** Add File: NAME\n+a\n*** End Patch\n"}`,
		Read: `"tool_name":"read_file","tool_input":{"path":FILE}`,
	},
}

var codexTools = rows[tool]{
	{"apply_patch", named(patch)}, {"shell", named(bash)}, {"shell_command", named(bash)}, {"local_shell", named(bash)},
	{"exec_command", named(bash)}, {"unified_exec", named(bash)}, {"container.exec", named(bash)},
	{"write_stdin", tool{name: bash, command: "chars", maybe: true}},
	{"read_file", named(read)}, {"view_image", named(read)}, {"grep_files", named(grep)}, {"list_dir", named(list)},
	{"spawn_agent", named(task)}, {"web_search", named(webSearch)}, {"update_plan", named(todoWrite)},
}
