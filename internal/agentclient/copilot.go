package agentclient

import "time"

// copilot is GitHub Copilot CLI.
var copilot = Client{
	Name: "copilot",
	form: form{
		tool: "toolName", input: "toolArgs", session: []string{"sessionId"}, cwd: []string{"cwd"}, failure: "error",
		looseInput: true, tools: copilotTools, actor: untold, moment: copilotMoment,
		guest: guest{sends: copilotSends},
	},
	NoExitCode: true,
	answers:    answers{block: copilotDeny, warn: copilotWarning, ask: copilotQuestion},
	Wiring: Wiring{
		File: ".github/hooks/orchestrator.json", Events: []string{"preToolUse", "postToolUse", "postToolUseFailure"},
		Version: 1, Typed: true, Command: "bash", Timeout: "timeoutSec", Unit: time.Second,
		Notes: []string{"Copilot does not say which calls are an agent's: the policy for unknown actors applies"},
		User:  ".copilot/hooks/orchestrator.json", Reach: Top,
		Toggles: []Toggle{
			{File: ".github/hooks/orchestrator.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".github/copilot/settings.json", Path: []string{"disableAllHooks"}, Off: true},
			{File: ".github/copilot/settings.local.json", Path: []string{"disableAllHooks"}, Off: true},
		},
	},
	Guarded: Guarded{
		Project:  []string{".github/hooks/**"},
		Personal: []string{".copilot/config.json"},
	},
	Calls: Calls{
		Head: `"sessionId":"doctor","timestamp":0,"cwd":CWD`,
		Edit: `"toolName":"create","toolArgs":{"path":FILE,"file_text":"a"}`,
		Read: `"toolName":"view","toolArgs":{"path":FILE}`,
	},
}

var copilotTools = rows[tool]{
	{"edit", named(edit)}, {"create", named(write)}, {"str_replace_editor", named(edit)}, {"apply_patch", named(patch)},
	{"bash", named(bash)}, {"write_bash", tool{name: bash, command: "input"}},
	{"powershell", named(powerShell)}, {"write_powershell", tool{name: powerShell, command: "input"}},
	{"view", named(read)}, {"grep", named(grep)}, {"rg", named(grep)}, {"glob", named(glob)}, {"task", named(task)},
	{"web_fetch", named(webFetch)}, {"web_search", named(webSearch)}, {"update_todo", named(todoWrite)},
	{"ask_user", named("AskUserQuestion")},
}

// copilotSends reports whether Copilot made a call of another client's hook, in that one's form: it is told by what it
// sends and the other does not.
func copilotSends(call object) bool { return call.has("timestamp") && !call.has("transcript_path") }

// copilotMoment distinguishes the events by what they carry, as Copilot does not name them.
func copilotMoment(call object) (When, error) {
	switch {
	case call.has("error") && call.has("toolName"):
		return Failed, nil
	case call.has("toolResult"):
		result, err := call.inner("toolResult")
		if err != nil {
			return After, err
		}
		if kind := result.loose("resultType"); kind != "" && kind != "success" {
			return Failed, nil
		}
		return After, nil
	}
	if _, names := call["toolName"]; names {
		return Before, nil
	}
	if _, args := call["toolArgs"]; args {
		return Before, nil
	}
	for _, other := range []string{"source", "reason", "prompt", "stopReason", "errorContext", "trigger", "agentName",
		"notification_type"} {
		if call.has(other) {
			return Other, nil
		}
	}
	return Before, nil // which then says that toolName is missing
}

// copilotDeny returns JSON with exit 0: Copilot takes any other exit for a broken hook, and the reason is lost.
func copilotDeny(message string) Answer {
	return say(pair{"permissionDecision", "deny"}, pair{"permissionDecisionReason", message})
}

func copilotQuestion(message string) Answer {
	return say(pair{"permissionDecision", "ask"}, pair{"permissionDecisionReason", message})
}

// copilotWarning returns a line of progress: shown to the person, and no part of the answer.
func copilotWarning(message string) Answer {
	return say(pair{"type", "progress"}, pair{"message", message})
}
