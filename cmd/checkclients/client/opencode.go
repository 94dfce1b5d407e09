package client

import (
	"path/filepath"

	"orchestrator/cmd/checkclients/model"
)

// opencode is opencode. With a plugin it asks npm for a package before it starts, and without a network it waits more
// than a minute for it; so the model's server stands in for npm, and has nothing.
var opencode = Client{
	Name: "opencode", Package: "opencode-ai", Versions: []string{"1.18.33"},
	Program: []string{"opencode-" + platform, "bin", "opencode"},
	Args: func(p Place) []string {
		return []string{"run", "--auto", "--format", "json", "--model", "bed/bed-model", p.Prompt}
	},
	Agent: []string{"run", "--auto", "--format", "json", "--model", "bed/bed-model"},
	Env: func(p Place) []string {
		return []string{"NPM_CONFIG_REGISTRY=" + p.Model, "BUN_CONFIG_REGISTRY=" + p.Model,
			"OPENCODE_DISABLE_AUTOUPDATE=true", "OPENCODE_DISABLE_MODELS_FETCH=true",
			"OPENCODE_DISABLE_LSP_DOWNLOAD=true"}
	},
	Files: func(p Place) Files {
		return Files{filepath.Join(p.Home, ".config", "opencode", "opencode.json"): encoded(input{
			"autoupdate": false, "share": "disabled", "small_model": "bed/bed-model",
			"provider": input{"bed": input{"npm": "@ai-sdk/openai-compatible", "name": "bed",
				"options": input{"baseURL": p.Model + "/v1", "apiKey": "no-key"},
				"models": input{"bed-model": input{"name": "bed-model", "tool_call": true,
					"limit": input{"context": 200000, "output": 8000}}}}},
		})}
	},
	Listing:   [][]string{{"mcp", "list"}},
	Delegates: []string{"task", "general"},
	Notes:     []string{".local/share/opencode/plans/a-plan.md"},
	Unended:   "when its plugin hears of the end, the session is over",
	Gaps: []Gap{
		{Check: "validate: the warning arrives", Why: "opencode run has no screen to show a warning on"},
		{Check: "bypass: it is said", Why: "opencode run has no screen to show a warning on"},
	},
	Calls: Calls{
		Read: func(t model.Tools, file string) model.Call { return call(t, input{"filePath": file}, "read") },
		Edit: func(t model.Tools, file, from, to string) model.Call {
			return call(t, input{"filePath": file, "oldString": from, "newString": to}, "edit")
		},
		Write: func(t model.Tools, file, text string) model.Call {
			return call(t, input{"filePath": file, "content": text}, "write")
		},
		Shell: func(t model.Tools, command string) model.Call {
			return call(t, input{"command": command, "description": "one step"}, "bash")
		},
		Delegate: func(t model.Tools, prompt string) model.Call {
			return call(t, input{"description": "one step", "prompt": prompt, "subagent_type": "general"}, "task")
		},
		Books: []Book{
			{"todowrite", input{"todos": []any{input{"content": "a step", "status": "pending", "priority": "low"}}}},
		},
	},
}
