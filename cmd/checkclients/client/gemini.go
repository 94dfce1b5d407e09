package client

import (
	"path/filepath"

	"orchestrator/cmd/checkclients/model"
)

// gemini is Gemini CLI.
var gemini = Client{
	Name: "gemini", Package: "@google/gemini-cli", Versions: []string{"0.61.0"},
	Program: []string{"@google", "gemini-cli", "bundle", "gemini.js"},
	Args: func(p Place) []string {
		return []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-flash",
			"--output-format", "stream-json", "-p", p.Prompt}
	},
	Agent: []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "--output-format", "json"},
	Env: func(p Place) []string {
		return []string{"GEMINI_API_KEY=no-key", "GOOGLE_GEMINI_BASE_URL=" + p.Model, "GEMINI_CLI_TRUST_WORKSPACE=true"}
	},
	Files: func(p Place) Files {
		return Files{filepath.Join(p.Home, ".gemini", "settings.json"): encoded(input{
			"general":  input{"enableAutoUpdate": false, "disableAutoUpdate": true},
			"privacy":  input{"usageStatisticsEnabled": false},
			"security": input{"auth": input{"selectedType": "gemini-api-key"}},
		})}
	},
	Listing:   [][]string{{"mcp", "list"}},
	Delegates: []string{"invoke_agent", "generalist"},
	Notes:     []string{".gemini/tmp/shop/plans/a-plan.md", ".gemini/tmp/shop/memory/MEMORY.md"},
	Gaps: []Gap{
		runsLate("", "Gemini CLI"),
		hereAlone("Gemini CLI"),
		{Check: "enforce: the agent's edit lands", Why: "Gemini CLI does not say that an agent calls"},
	},
	Calls: Calls{
		Read: func(t model.Tools, file string) model.Call {
			return call(t, input{"file_path": file, "absolute_path": file}, "read_file")
		},
		Edit: func(t model.Tools, file, from, to string) model.Call {
			return call(t, input{"file_path": file, "old_string": from, "new_string": to,
				"instruction": "one step"}, "replace")
		},
		Write: func(t model.Tools, file, text string) model.Call {
			return call(t, input{"file_path": file, "content": text}, "write_file")
		},
		Shell: func(t model.Tools, command string) model.Call {
			return call(t, input{"command": command, "description": "one step"}, "run_shell_command")
		},
		Delegate: func(t model.Tools, prompt string) model.Call {
			return call(t, input{"agent_name": "generalist", "prompt": prompt}, "invoke_agent")
		},
		End: func(t model.Tools) model.Call {
			return call(t, input{"result": input{"response": "done"}}, "complete_task")
		},
		Books: []Book{
			{"update_topic", input{"title": "a topic", "summary": "a summary", "strategic_intent": "a step"}},
			{"write_todos", input{"todos": []any{input{"description": "a step", "status": "pending"}}}},
		},
	},
}
