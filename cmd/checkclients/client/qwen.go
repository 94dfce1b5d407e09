package client

import (
	"path/filepath"

	"orchestrator/cmd/checkclients/model"
)

// qwen is Qwen Code.
var qwen = Client{
	Name: "qwen", Package: "@qwen-code/qwen-code", Versions: []string{"0.24.4"},
	Program: []string{"@qwen-code", "qwen-code", "cli-entry.js"},
	Args: func(p Place) []string {
		return []string{"--yolo", "--auth-type", "openai", "--output-format", "stream-json", p.Prompt}
	},
	Agent: []string{"--yolo", "--auth-type", "openai", "--output-format", "json"},
	Env: func(p Place) []string {
		return []string{"OPENAI_API_KEY=no-key", "OPENAI_BASE_URL=" + p.Model + "/v1", "OPENAI_MODEL=bed-model"}
	},
	Files: func(p Place) Files {
		return Files{filepath.Join(p.Home, ".qwen", "settings.json"): encoded(input{
			"general":   input{"disableAutoUpdate": true, "enableAutoUpdate": false},
			"telemetry": input{"enabled": false}, "privacy": input{"usageStatisticsEnabled": false},
		})}
	},
	Listing:   [][]string{{"mcp", "list"}},
	Delegates: []string{`agent`, "general-purpose"}, Asks: true,
	Notes: []string{".qwen/plans/a-plan.md", ".qwen/projects/shop/memory/MEMORY.md"},
	Gaps: []Gap{
		runsLate("", "Qwen Code"),
		hereAlone("Qwen Code"),
		{Check: "validate: the warning arrives", Why: "headless Qwen Code shows no warning of a hook"},
		{Check: "bypass: it is said", Why: "headless Qwen Code shows no warning of a hook"},
	},
	Calls: Calls{
		Read: func(t model.Tools, file string) model.Call {
			return call(t, input{"file_path": file, "absolute_path": file}, "read_file")
		},
		Edit: func(t model.Tools, file, from, to string) model.Call {
			return call(t, input{"file_path": file, "old_string": from, "new_string": to}, "edit")
		},
		Write: func(t model.Tools, file, text string) model.Call {
			return call(t, input{"file_path": file, "content": text}, "write_file")
		},
		Shell: func(t model.Tools, command string) model.Call {
			return call(t, input{"command": command, "is_background": false,
				"description": "one step"}, "run_shell_command")
		},
		Delegate: func(t model.Tools, prompt string) model.Call {
			return call(t, input{"description": "one step", "prompt": prompt,
				"subagent_type": "general-purpose"}, "agent", "task")
		},
		FindServed: func(t model.Tools, name string) model.Call {
			return call(t, input{"query": "select:" + served(name), "max_results": 5}, "tool_search")
		},
		Served: func(t model.Tools, name string, in any) model.Call {
			return call(t, input{"name": served(name), "arguments": in}, "tool_call")
		},
		Books: []Book{
			{"todo_write", input{"todos": []any{input{"id": "1", "content": "a step", "status": "pending"}}}},
			{"tool_search", input{"query": "select:update_goal", "max_results": 1}},
			{"save_memory", input{"fact": "a fact", "scope": "global"}},
			{"update_goal", input{"status": "complete", "reason": "a reason"}},
		},
	},
}
