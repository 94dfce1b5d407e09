package client

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"

	"orchestrator/cmd/checkclients/model"
)

// codex is Codex CLI with a model that calls its tools out of a program of its own, as most models that it knows do.
// Its hooks need the trust of a person, in its own screen; a switch for automation stands in here.
var codex = Client{
	Name: "codex", Variant: "code", Package: "@openai/codex", Versions: []string{"0.169.0"},
	Program: []string{"@openai", "codex", "bin", "codex.js"}, Args: codexArgs, Agent: codexAgentArgs,
	Env: codexEnv, Listing: [][]string{{"mcp", "list"}, {"mcp", "get", "orchestrator"}},
	Trusts: true, Gaps: codexGaps, Delegates: []string{"spawn_agent"}, Unhooked: []string{"exec", "wait"},
	Files: func(p Place) Files { return codexFiles(p, "gpt-5.6-sol") },
	Calls: Calls{
		Read: func(t model.Tools, file string) model.Call {
			return codexProgram(t, "exec_command", input{"cmd": "cat " + file})
		},
		Edit: func(t model.Tools, file, from, to string) model.Call {
			return codexProgram(t, "apply_patch", codexPatch(file, from, to))
		},
		Shell: func(t model.Tools, command string) model.Call {
			return codexProgram(t, "exec_command", input{"cmd": command})
		},
		Terminal: func(t model.Tools, command string) model.Call {
			return codexProgram(t, "exec_command", codexTerminal(command))
		},
		Type: func(t model.Tools, last, text string) model.Call {
			in := codexTyped(last, text)
			if in == nil {
				return model.Call{}
			}
			return codexProgram(t, "write_stdin", in)
		},
		Delegate: codexDelegate, Wait: codexWait,
		Served: func(t model.Tools, name string, in any) model.Call { return codexProgram(t, served(name), in) },
		Books:  []Book{{"list_agents", input{}}},
	},
}

// codexPlain is Codex CLI with a model that calls its tools one by one.
var codexPlain = Client{
	Name: "codex", Variant: "plain", Package: "@openai/codex", Versions: []string{"0.169.0"},
	Program: []string{"@openai", "codex", "bin", "codex.js"}, Args: codexArgs, Agent: codexAgentArgs,
	Env: codexEnv, Listing: [][]string{{"mcp", "list"}, {"mcp", "get", "orchestrator"}},
	Trusts: true, Gaps: codexGaps, Delegates: []string{"spawn_agent"},
	Files: func(p Place) Files { return codexFiles(p, "gpt-5.5") },
	Calls: Calls{
		Read: func(t model.Tools, file string) model.Call {
			return call(t, input{"cmd": "cat " + file}, "exec_command")
		},
		Edit: func(t model.Tools, file, from, to string) model.Call {
			c := call(t, input{}, "apply_patch")
			c.Text = codexPatch(file, from, to)
			return c
		},
		Shell: func(t model.Tools, command string) model.Call { return call(t, input{"cmd": command}, "exec_command") },
		Terminal: func(t model.Tools, command string) model.Call {
			return call(t, codexTerminal(command), "exec_command")
		},
		Type: func(t model.Tools, last, text string) model.Call {
			in := codexTyped(last, text)
			if in == nil {
				return model.Call{}
			}
			return call(t, in, "write_stdin")
		},
		Find: func(t model.Tools) model.Call {
			return call(t, input{"query": "spawn_agent wait_agent agents", "limit": 8}, "tool_search")
		},
		Delegate: codexDelegate, Wait: codexWait,
		FindServed: func(t model.Tools, name string) model.Call {
			return call(t, input{"query": "orchestrator " + name, "limit": 10}, "tool_search")
		},
		Books: []Book{
			{"update_plan", input{"plan": []any{input{"step": "a step", "status": "pending"}}}},
			{"get_goal", input{}}, {"create_goal", input{"objective": "a goal"}},
			{"update_goal", input{"status": "complete"}},
		},
	},
}

// codexGaps are what both are known not to pass.
var codexGaps = []Gap{runsLate("", "Codex CLI")}

// codexAgentArgs have Codex CLI read its task from standard input, and print its events.
var codexAgentArgs = []string{"exec", "--json", "--skip-git-repo-check",
	"--dangerously-bypass-approvals-and-sandbox", "-"}

func codexArgs(p Place) []string {
	args := []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}
	if !p.Untrusted {
		args = append(args, "--dangerously-bypass-hook-trust")
	}
	return append(args, p.Prompt)
}

func codexTerminal(command string) input {
	return input{"cmd": command, "tty": true, "yield_time_ms": 1000}
}

var codexProcess = regexp.MustCompile(`(?:session ID |"session_id"\s*:\s*)(\d+)`)

// codexTyped is what is typed into the program that still runs, nil if none does.
func codexTyped(last, text string) input {
	process := codexProcess.FindStringSubmatch(last)
	if process == nil {
		return nil
	}
	return input{"session_id": json.Number(process[1]), "chars": text, "yield_time_ms": 1000}
}

func codexEnv(Place) []string { return []string{"BED_KEY=no-key"} }

func codexFiles(p Place, slug string) Files {
	return Files{filepath.Join(p.Home, ".codex", "config.toml"): fmt.Sprintf(`model = "%s"
model_provider = "bed"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.bed]
name = "bed"
base_url = "%s/v1"
wire_api = "responses"
env_key = "BED_KEY"
request_max_retries = 1
stream_max_retries = 1

[projects."%s"]
trust_level = "trusted"
`, slug, p.Model, p.Project)}
}

func codexPatch(file, from, to string) string {
	return "*** Begin Patch\n*** Update File: " + file + "\n@@\n-" + from + "\n+" + to + "\n*** End Patch\n"
}

// codexProgram is a program that calls one tool, and shows what came of it.
func codexProgram(t model.Tools, tool string, in any) model.Call {
	c := call(t, input{}, "exec")
	text, err := json.Marshal(in)
	if err != nil {
		panic(err) // of our own values
	}
	c.Text = fmt.Sprintf("try { text(await tools.%s(%s)) } catch (e) { text(String(e)) }", tool, text)
	return c
}

func codexDelegate(t model.Tools, prompt string) model.Call {
	return call(t, input{"message": prompt, "task_name": "one_step", "fork_turns": "none"}, "spawn_agent")
}

var codexAgent = regexp.MustCompile(`"(?:agent_id|id)"\s*:\s*"([^"]+)"`)

// codexWait waits for the agent that was named when it was started.
func codexWait(t model.Tools, last string) model.Call {
	in := input{"timeout_ms": 30000}
	if id := codexAgent.FindStringSubmatch(last); id != nil {
		in["targets"] = []string{id[1]}
	}
	return call(t, in, "wait_agent")
}
