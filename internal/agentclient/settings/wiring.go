package settings

import (
	"strconv"
	"strings"
	"time"
)

// wiring is how one client's settings file registers a hook.
type wiring struct {
	client  string
	file    string   // in the project
	events  []string // the first is the one before a tool
	nested  bool     // an event's entries are groups with a matcher and a list of hooks
	matcher string   // "" is left out
	version int      // what the file must have as its version; 0 is nothing
	command string   // the member that holds the command
	named   bool     // an entry has a name, for the client's own list of hooks
	typed   bool     // an entry says that its type is "command"
	timeout string   // the member that holds the time
	unit    time.Duration
	shut    *option // what makes the client block when the hook breaks
	since   string  // the first version that the guard can rely on, "" where that is not known
	lacks   string  // what an older one cannot do
	notes   []string
	toggles []toggle
	project string  // the environment variable with the project's folder that the hook is given, "" for none
	strays  []stray // other files that the hook may have been put into
}

// stray is a file other than the one that Install writes to.
type stray struct {
	file   string // in the project, or in the user's folder
	home   bool
	unread bool // the client passes it over
}

// option is a member that only some versions know.
type option struct {
	name  string
	value any
	since string // "" is every version
}

// toggle is a switch that keeps hooks from running.
type toggle struct {
	file string   // in the project, or in the user's folder
	path []string // of members
	off  bool     // the value that disables
	home bool
}

// limit is how long a client waits for the hook; the hook itself answers within a second.
const limit = 5 * time.Second

// entryName is what clients that name their hooks call ours.
const entryName = "orchestrator-boundary"

var wirings = []wiring{
	{
		client: "claude", file: ".claude/settings.json", events: []string{"PreToolUse", "PostToolUse",
			"PostToolUseFailure"},
		nested: true, matcher: "*", typed: true, command: "command", timeout: "timeout", unit: time.Second,
		project: "CLAUDE_PROJECT_DIR", strays: []stray{
			{file: ".claude/settings.local.json"}, {file: ".claude/settings.json", home: true}, {file: ".claude/hooks.json", unread: true},
		},
		shut:  &option{"onFailure", "block", "2.1.295"},
		since: "2.1.69", lacks: "does not say which calls are an agent's: every call counts as the main session's",
		toggles: []toggle{
			{file: ".claude/settings.json", path: []string{"disableAllHooks"}, off: true},
			{file: ".claude/settings.local.json", path: []string{"disableAllHooks"}, off: true},
			{file: ".claude/settings.json", path: []string{"disableAllHooks"}, off: true, home: true},
		},
	},
	{
		client: "codex", file: ".codex/hooks.json", events: []string{"PreToolUse", "PostToolUse"},
		nested: true, matcher: "*", typed: true, command: "command", timeout: "timeout", unit: time.Second,
		strays: []stray{{file: ".codex/hooks.json", home: true}, {file: ".codex/settings.json", unread: true}},
		notes:  []string{"Codex skips a new or changed hook until it is trusted: open /hooks in Codex and trust it"},
	},
	{
		client: "qwen", file: ".qwen/settings.json", events: []string{"PreToolUse", "PostToolUse",
			"PostToolUseFailure"},
		nested: true, matcher: "*", typed: true, command: "command", named: true, timeout: "timeout",
		unit:    time.Millisecond,
		project: "QWEN_PROJECT_DIR", strays: []stray{{file: ".qwen/settings.json", home: true},
			{file: ".qwen/hooks.json", unread: true}},
		notes: []string{"Qwen Code lets a call through when a hook breaks"},
		toggles: []toggle{
			{file: ".qwen/settings.json", path: []string{"disableAllHooks"}, off: true},
			{file: ".qwen/settings.json", path: []string{"hooksConfig", "enabled"}},
			{file: ".qwen/settings.json", path: []string{"hooks", "enabled"}},
			{file: ".qwen/settings.json", path: []string{"disableAllHooks"}, off: true, home: true},
		},
	},
	{
		client: "gemini", file: ".gemini/settings.json", events: []string{"BeforeTool", "AfterTool"},
		nested: true, matcher: "*", typed: true, command: "command", named: true, timeout: "timeout",
		unit:    time.Millisecond,
		project: "GEMINI_PROJECT_DIR", strays: []stray{{file: ".gemini/settings.json", home: true},
			{file: ".gemini/hooks.json", unread: true}},
		notes: []string{"Gemini CLI does not say which calls are an agent's: the policy for unknown actors applies"},
		toggles: []toggle{
			{file: ".gemini/settings.json", path: []string{"hooksConfig", "enabled"}},
			{file: ".gemini/settings.json", path: []string{"hooks", "enabled"}},
			{file: ".gemini/settings.json", path: []string{"tools", "enableHooks"}},
			{file: ".gemini/settings.json", path: []string{"hooksConfig", "enabled"}, home: true},
		},
	},
	{
		client: "cursor", file: ".cursor/hooks.json", events: []string{"preToolUse", "postToolUse",
			"postToolUseFailure"},
		version: 1, command: "command", timeout: "timeout", unit: time.Second, shut: &option{name: "failClosed",
			value: true},
		strays: []stray{{file: ".cursor/hooks.json", home: true}, {file: ".cursor/settings.json", unread: true}},
		notes:  []string{"Cursor does not say which calls are an agent's: the policy for unknown actors applies"},
	},
	{
		client: "copilot", file: ".github/hooks/orchestrator.json", events: []string{"preToolUse", "postToolUse",
			"postToolUseFailure"},
		version: 1, typed: true, command: "bash", timeout: "timeoutSec", unit: time.Second,
		notes: []string{"Copilot does not say which calls are an agent's: the policy for unknown actors applies"},
		toggles: []toggle{
			{file: ".github/hooks/orchestrator.json", path: []string{"disableAllHooks"}, off: true},
			{file: ".github/copilot/settings.json", path: []string{"disableAllHooks"}, off: true},
			{file: ".github/copilot/settings.local.json", path: []string{"disableAllHooks"}, off: true},
		},
	},
}

// entry is what is to stand in the list of an event, and what is to be said about it.
func (w *wiring) entry(event string, o Options) fields {
	hook := fields{}
	if w.typed {
		hook = append(hook, field{"type", "command"})
	}
	if w.named {
		hook = append(hook, field{"name", entryName})
	}
	hook = append(hook, field{w.command, o.Command}, field{w.timeout, int(limit / w.unit)})
	if w.shut != nil && event == w.events[0] && AtLeast(o.ClientVersion, w.shut.since) {
		hook = append(hook, field{w.shut.name, w.shut.value})
	}
	if !w.nested {
		return hook
	}
	group := fields{}
	if w.matcher != "" {
		group = append(group, field{"matcher", w.matcher})
	}
	return append(group, field{"hooks", []any{hook}})
}

// remarks are what the person at the client has to know, for this version of it.
func (w *wiring) remarks(o Options) []string {
	var said []string
	if w.shut != nil && !AtLeast(o.ClientVersion, w.shut.since) {
		version := "version " + o.ClientVersion
		if o.ClientVersion == "" {
			version = "an unknown version"
		}
		said = append(said, version+" of "+w.client+": "+w.shut.name+" is left out, which it has since "+w.shut.since+
			"; without it a hook that breaks lets the call through")
	}
	if w.since != "" && o.ClientVersion != "" && !AtLeast(o.ClientVersion, w.since) {
		said = append(said, "version "+o.ClientVersion+" of "+w.client+" is older than "+w.since+" and "+w.lacks)
	}
	return append(said, w.notes...)
}

// AtLeast compares versions such as 2.1.295, or "2.1.295 (Claude Code)". An unknown version is older than any, and
// every version is at least "".
func AtLeast(version, least string) bool {
	if least == "" {
		return true
	}
	have, want := numbers(version), numbers(least)
	for i, n := range want {
		if i >= len(have) || have[i] < n {
			return false
		}
		if have[i] > n {
			return true
		}
	}
	return true
}

func numbers(version string) []int {
	version, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(version), "v"), " ")
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		digits, _, _ := strings.Cut(part, "-")
		n, err := strconv.Atoi(digits)
		if err != nil {
			return all
		}
		all = append(all, n)
	}
	return all
}

// ours tells whether a command line runs the guard's hook.
func ours(command string) bool {
	words := shellWords(command)
	for len(words) > 0 && strings.Contains(words[0], "=") &&
		!strings.ContainsAny(words[0][:strings.Index(words[0], "=")], `/\`) {
		words = words[1:] // NAME=value before the program
	}
	if len(words) == 0 {
		return false
	}
	program := words[0][strings.LastIndexAny(words[0], `/\`)+1:]
	program = strings.TrimSuffix(program, ".exe")
	return program == "orchestrator-hook" || program == "orchestrator" && len(words) > 1 && words[1] == "hook"
}

// shellWords takes a simple command line apart, with quotes as a POSIX shell has them.
func shellWords(line string) []string {
	var words []string
	var word []rune
	inWord, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			word, escaped = append(word, r), false
		case r == '\\' && quote != '\'':
			inWord, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word = append(word, r)
		case r == '\'' || r == '"':
			inWord, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words, word, inWord = append(words, string(word)), nil, false
			}
		default:
			word, inWord = append(word, r), true
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words
}
