package agentclient

import (
	_ "embed"
	"slices"
	"time"

	"orchestrator/internal/rules/boundary"
)

//go:embed opencode.js
var opencodePlugin string

// opencode has no hooks in its settings, but runs the plugins that lie in a folder. The plugin that calls the hook
// finds out whose session it is.
var opencode = Client{
	Name: "opencode",
	form: form{
		event: "hook_event_name", whens: opencodeEvents, tool: "tool", input: "args",
		session: []string{"session_id"}, toolUse: "call_id", cwd: []string{"cwd"},
		tools: opencodeTools, actor: opencodeActor,
	},
	answers: answers{block: onStderr, warn: warnOnStderr},
	Wiring: Wiring{
		File:     ".opencode/plugin/orchestrator-boundary.js",
		Events:   []string{"tool.execute.before", "tool.execute.after"},
		Unit:     time.Millisecond,
		SilentIn: "sessions without a screen",
		Notes: []string{"opencode waits at its start until it has the npm package @opencode-ai/plugin in each of its " +
			"settings folders, as soon as there is any plugin: the first start needs the network, or takes over " +
			"a minute"},
		User: ".config/opencode/plugin/orchestrator-boundary.js", Reach: Above,
		DisablingVariables: []string{"OPENCODE_PURE", "OPENCODE_DISABLE_PROJECT_CONFIG"},
		Plugin:             opencodePlugin,
	},
	Servers: Servers{
		File: "opencode.json", User: ".config/opencode/opencode.json", Table: "mcp", Type: "local", OneList: true,
		Besides: &Option{Name: "enabled", Value: true},
	},
	Guarded: Guarded{
		Project: []string{".opencode/plugin/**", ".opencode/plugins/**", ".opencode/opencode.json",
			".opencode/opencode.jsonc", "opencode.json", "opencode.jsonc"},
		Personal: []string{".opencode/plugin/**", ".opencode/plugins/**", ".opencode/opencode.json",
			".opencode/opencode.jsonc", ".config/opencode/plugin/**", ".config/opencode/plugins/**",
			".config/opencode/config.json", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"},
		Mentions: []string{".opencode/plugin", ".config/opencode/plugin"},
	},
	Delegates: Delegates{
		Tool: "task", Type: "subagent_type", Prompt: "prompt",
		Also:    []boundary.Member{{Name: "description", Text: "Change the file"}},
		BuiltIn: []boundary.AgentType{{Name: "general", BuiltIn: true}},
		ByFile:  true,
		Folders: []AgentFolder{
			{Path: ".opencode/agent", Ending: ".md"}, {Path: ".config/opencode/agent", Home: true, Ending: ".md"},
			{Path: ".opencode/agents", Ending: ".md"}, {Path: ".config/opencode/agents", Home: true, Ending: ".md"},
		},
	},
	Notes: []string{".local/share/opencode/plans/*.md"},
	Calls: Calls{
		Head: `"hook_event_name":"tool.execute.before","session_id":"doctor","call_id":"doctor","cwd":CWD`,
		Edit: `"tool":"write","args":{"filePath":FILE,"content":"a"}`,
		Read: `"tool":"read","args":{"filePath":FILE}`,
		Main: `"actor":{"kind":"main"}`, Agent: `"actor":{"kind":"agent","id":"doctor","type":"general"}`,
	},
}

var opencodeEvents = rows[When]{{"tool.execute.before", Before}, {"tool.execute.after", After}}

// opencodeTools are the tools of opencode 1.18.33, and of versions before it.
var opencodeTools = rows[tool]{
	{"edit", named(edit)}, {"multiedit", named(multiEdit)}, {"write", named(write)}, {"patch", named(patch)},
	{"apply_patch", named(patch)}, {"bash", named(bash)}, {"shell", named(bash)}, {"read", named(read)},
	{"lsp", named(read)}, {"grep", named(grep)}, {"glob", named(glob)}, {"list", named(list)},
	{"task", named(task)}, {"subagent", named(task)}, {"task_status", named(taskOutput)},
	{"webfetch", named(webFetch)}, {"websearch", named(webSearch)}, {"codesearch", named(webSearch)},
	{"todowrite", named(todoWrite)}, {"todoread", named(todoRead)}, {"skill", named(skill)},
	{"question", named(askUser)}, {"plan_enter", named(enterPlan)}, {"plan_exit", named(exitPlan)},
	{"tool_search", named(toolSearch)}, {"invalid", named(todoRead)}, {"execute", tool{}}, {"batch", tool{}},
}

// opencodeActor reads what the plugin found out about the session: one with a parent is an agent's.
func opencodeActor(call object) (boundary.Actor, error) {
	actor, err := call.inner("actor")
	if err != nil {
		return boundary.Actor{}, err
	}
	var found boundary.Actor
	for name, into := range map[string]*string{"kind": (*string)(&found.Kind), "id": &found.ID, "type": &found.Type} {
		if *into, err = actor.text(name); err != nil {
			return boundary.Actor{}, err
		}
	}
	if !slices.Contains([]boundary.ActorKind{boundary.Main, boundary.Agent}, found.Kind) ||
		found.Kind == boundary.Agent && !namesAgent(found.ID) {
		return boundary.Actor{Kind: boundary.Unknown}, nil
	}
	return found, nil
}
