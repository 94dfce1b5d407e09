package client

import "orchestrator/cmd/checkclients/model"

// claude is Claude Code.
var claude = Client{
	Name: "claude", Package: "@anthropic-ai/claude-code", Versions: []string{"2.1.330", "2.1.197"},
	Program: []string{"@anthropic-ai", "claude-code-" + platform, "claude"},
	Args: func(p Place) []string {
		return []string{"-p", p.Prompt, "--dangerously-skip-permissions",
			"--output-format", "stream-json", "--verbose"}
	},
	Agent: []string{"-p", "--dangerously-skip-permissions", "--output-format", "json"},
	Env: func(p Place) []string {
		return []string{"ANTHROPIC_BASE_URL=" + p.Model, "ANTHROPIC_API_KEY=no-key", "IS_SANDBOX=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1"}
	},
	Listing:   [][]string{{"mcp", "list"}},
	Delegates: []string{`Agent`, "general-purpose"}, Asks: true,
	Notes: []string{".claude/plans/a-plan.md", ".claude/projects/shop/memory/MEMORY.md"},
	Gaps: []Gap{
		runsLate("2.1.197", "Claude Code before 2.1.295"),
		hereAlone("Claude Code"),
	},
	Calls: Calls{
		Read: func(t model.Tools, file string) model.Call { return call(t, input{"file_path": file}, "Read") },
		Edit: func(t model.Tools, file, from, to string) model.Call {
			return call(t, input{"file_path": file, "old_string": from, "new_string": to}, "Edit")
		},
		Write: func(t model.Tools, file, text string) model.Call {
			return call(t, input{"file_path": file, "content": text}, "Write")
		},
		Shell: func(t model.Tools, command string) model.Call {
			return call(t, input{"command": command, "description": "one step"}, "Bash")
		},
		Delegate: func(t model.Tools, prompt string) model.Call {
			return call(t, input{"description": "one step", "prompt": prompt, "subagent_type": "general-purpose",
				"run_in_background": false}, "Agent", "Task")
		},
		FindServed: func(t model.Tools, name string) model.Call {
			return call(t, input{"query": "select:" + served(name), "max_results": 5}, "ToolSearch")
		},
		Books: []Book{
			{"TodoWrite", input{"todos": []any{input{"content": "a", "status": "pending", "activeForm": "a"}}}},
			{"TaskCreate", input{"subject": "a step", "description": "a step", "activeForm": "doing a step"}},
			{"TaskList", input{}},
			{"ToolSearch", input{"query": "select:CronList", "max_results": 1}},
			{"CronList", input{}},
			{"ReportFindings", input{"findings": []any{}}},
		},
	},
}
