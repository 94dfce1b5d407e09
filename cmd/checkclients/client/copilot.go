package client

import (
	"path/filepath"

	"orchestrator/cmd/checkclients/model"
)

// copilot is GitHub Copilot CLI.
var copilot = Client{
	Name: "copilot", Package: "@github/copilot", Versions: []string{"1.0.102"},
	Program: []string{"@github", "copilot", "npm-loader.js"},
	Args: func(p Place) []string {
		return []string{"-p", p.Prompt, "--allow-all-tools", "--allow-all-paths",
			"--trust-folder", "--output-format", "json"}
	},
	Env: func(p Place) []string {
		return []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + p.Model + "/v1",
			"COPILOT_PROVIDER_TYPE=openai",
			"COPILOT_PROVIDER_API_KEY=no-key", "COPILOT_MODEL=bed-model", "COPILOT_AUTO_UPDATE=false"}
	},
	Files: func(p Place) Files {
		return Files{filepath.Join(p.Home, ".copilot", "config.json"): encoded(input{
			"trusted_folders": []string{p.Project}, "auto_update": false,
		})}
	},
	Listing:   [][]string{{"mcp", "list"}, {"mcp", "get", "orchestrator"}},
	Delegates: []string{"task", "general-purpose"}, Asks: true,
	Notes: []string{".copilot/session-state/a-session/plan.md"},
	Gaps: []Gap{
		hereAlone("Copilot CLI"),
		runsLate("", "Copilot CLI"),
		{Check: "validate: the warning arrives", Why: "headless Copilot CLI shows no warning of a hook"},
		{Check: "bypass: it is said", Why: "headless Copilot CLI shows no warning of a hook"},
	},
	Calls: Calls{
		Read: func(t model.Tools, file string) model.Call { return call(t, input{"path": file}, "view") },
		Edit: func(t model.Tools, file, from, to string) model.Call {
			return call(t, input{"path": file, "old_str": from, "new_str": to}, "edit")
		},
		Write: func(t model.Tools, file, text string) model.Call {
			return call(t, input{"path": file, "file_text": text}, "create")
		},
		Shell: func(t model.Tools, command string) model.Call {
			return call(t, input{"command": command, "description": "one step", "mode": "sync",
				"shellId": "s", "initial_wait": 20}, "bash")
		},
		Delegate: func(t model.Tools, prompt string) model.Call {
			return call(t, input{"description": "one step", "prompt": prompt, "agent_type": "general-purpose",
				"name": "step", "mode": "sync"}, "task")
		},
		Books: []Book{
			{"report_intent", input{"intent": "a step"}},
			{"sql", input{"query": "SELECT 1", "description": "one step"}},
			{"list_agents", input{}},
		},
	},
}
