package doctor

import (
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// probeName is a file that nobody has, so that no policy speaks of it but in general.
const probeName = "orchestrator_doctor_probe.go"

// form is how a client writes calls. CWD and FILE stand for JSON strings: the project's folder and a file in it.
type form struct {
	head, edit, read string
	main, agent      string // what tells them apart; no agent is a client that does not tell
}

// claudeHead is that of Claude Code and of those that took its form over.
const claudeHead = `"session_id":"doctor","transcript_path":"","cwd":CWD,"hook_event_name":"PreToolUse","tool_use_id":"doctor"`

const claudeAgent = `"agent_id":"doctor","agent_type":"general-purpose"`

var forms = map[string]form{
	"claude": {
		head: claudeHead, agent: claudeAgent,
		edit: `"tool_name":"Edit","tool_input":{"file_path":FILE,"old_string":"a","new_string":"b"}`,
		read: `"tool_name":"Read","tool_input":{"file_path":FILE}`,
	},
	"codex": {
		head: claudeHead, agent: claudeAgent,
		edit: `"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: ` + probeName +
			`\n+a\n*** End Patch\n"}`,
		read: `"tool_name":"read_file","tool_input":{"path":FILE}`,
	},
	"qwen": {
		head: claudeHead, agent: claudeAgent,
		edit: `"tool_name":"write_file","tool_input":{"file_path":FILE,"content":"a"}`,
		read: `"tool_name":"read_file","tool_input":{"absolute_path":FILE}`,
	},
	"gemini": {
		head: `"session_id":"doctor","transcript_path":"","cwd":CWD,"hook_event_name":"BeforeTool"`,
		edit: `"tool_name":"write_file","tool_input":{"file_path":FILE,"content":"a"}`,
		read: `"tool_name":"read_file","tool_input":{"absolute_path":FILE}`,
	},
	"cursor": {
		head: `"conversation_id":"doctor","generation_id":"doctor","cwd":CWD,"hook_event_name":"preToolUse","cursor_version":"0","tool_use_id":"doctor"`,
		edit: `"tool_name":"Write","tool_input":{"file_path":FILE,"content":"a"}`,
		read: `"tool_name":"Read","tool_input":{"file_path":FILE}`,
	},
	"copilot": {
		head: `"sessionId":"doctor","timestamp":0,"cwd":CWD`,
		edit: `"toolName":"create","toolArgs":{"path":FILE,"file_text":"a"}`,
		read: `"toolName":"view","toolArgs":{"path":FILE}`,
	},
	"opencode": {
		head: `"hook_event_name":"tool.execute.before","session_id":"doctor","call_id":"doctor","cwd":CWD`,
		edit: `"tool":"write","args":{"filePath":FILE,"content":"a"}`,
		read: `"tool":"read","args":{"filePath":FILE}`,
		main: `"actor":{"kind":"main"}`, agent: `"actor":{"kind":"agent","id":"doctor","type":"general"}`,
	},
}

// garbage is no call at all.
const garbage = `{"hook_event_name": "PreToolUse", "tool_name":`

// call joins parts to a call in the project at root.
func call(root string, parts ...string) []byte {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	text := "{" + strings.Join(said, ",") + "}"
	return []byte(strings.NewReplacer("CWD", quoted(root), "FILE", quoted(filepath.Join(root, probeName))).
		Replace(text))
}

func quoted(s string) string {
	text, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "�"))
	return string(text)
}
