package boundary

import (
	"slices"
	"strings"
)

// classOf returns what a call does to files, as far as the policy and the call say. A tool that both lists name writes.
func classOf(p *Policy, c *Call) Class {
	if c.IsShell && !c.listed(p.BlockedTools) {
		return classOfParts(p, c.Parts)
	}
	if class := p.classOfListed(c); class != "" {
		return class
	}
	if class := classOfName(c.Tool); class != Reads || !c.Puts {
		return class
	}
	return Ambiguous
}

// MayChange reports whether a call may change files, as far as the policy and the call say. Only of such a call Judge
// looks at what is guarded.
func (p *Policy) MayChange(c Call) bool { return classOf(p, &c).mayChange() }

func (c Class) mayChange() bool { return c != Reads && c != Delegates }

// classOfListed returns what the policy says of a tool; "" where no list names it.
func (p *Policy) classOfListed(c *Call) Class {
	switch {
	case c.listed(p.BlockedTools):
		return Writes
	case c.listed(p.DelegateTools):
		return Delegates
	case c.listed(p.AllowedTools):
		return Reads
	}
	return ""
}

// listed reports whether a list of the policy has the tool, by its one name for all clients or by the client's own.
func (c *Call) listed(names []string) bool {
	return matchAnyName(names, c.Tool) || c.OwnTool != "" && matchAnyName(names, c.OwnTool)
}

// Unlisted returns the class of a tool that no list of the policy names, which its name alone tells; false for any
// other call.
func (p *Policy) Unlisted(c Call) (Class, bool) {
	if c.IsShell || c.Tool == "" || p.classOfListed(&c) != "" {
		return "", false
	}
	return classOfName(c.Tool), true
}

// Does returns what a call of the class does, as what follows "the call".
func (c Class) Does() string {
	if c == Ambiguous {
		return "is " + string(c)
	}
	return string(c)
}

// gravity orders the classes from the one that every part must have to the one that settles a whole command.
var gravity = []Class{Reads, Produces, Ambiguous, Writes}

// classOfParts returns the gravest of what a shell command does.
func classOfParts(p *Policy, parts []Part) Class {
	gravest := 0
	for i := range parts {
		gravest = max(gravest, slices.Index(gravity, parts[i].classUnder(p)))
	}
	return gravity[gravest]
}

// classUnder returns the class of a part; a policy can vouch for a program that is not known, or that produces.
func (p *Part) classUnder(policy *Policy) Class {
	class, _ := p.produced(policy)
	if (class == Produces || class == Ambiguous && p.Foreign) && slices.ContainsFunc(policy.ReadingCommands,
		func(c string) bool { return beginsWith(p.Words, strings.Fields(c)) }) {
		return Reads
	}
	return class
}

// Verbs of tools that are not in any list, such as those of MCP servers: as the words of their names.
var (
	writingVerbs = []string{
		"write", "rewrite", "edit", "create", "make", "update", "upsert", "delete", "remove", "move", "rename",
		"copy", "append", "insert", "replace", "patch", "apply", "save", "store",
		"put", "post", "mkdir", "touch", "truncate", "upload", "set", "add", "commit", "push", "merge", "format",
		"fix", "refactor", "generate", "import", "install", "publish", "deploy",
		"scale", "reset", "revert", "restore", "sync", "clear", "drop", "send", "rm", "mv", "cp",
	}
	doubtfulVerbs = []string{"to", "into", "dump", "export", "toggle", "swap", "substitute", "convert",
		"transform", "resolve", "enable", "disable", "modify", "mutate", "submit", "unlock", "trigger", "and",
		"or", "then", "exec", "execute", "run", "eval", "query", "sql", "script", "shell", "command", "call",
		"invoke", "start", "stop", "kill", "restart", "fetch", "download", "manage", "do"}
	readingVerbs = []string{"read", "get", "list", "search", "find", "show", "view", "describe", "status", "stat",
		"info", "tree", "diff", "count", "lookup"}
)

// classOfName classifies a tool by its name alone. Only a name that begins like reading, and has no word of writing or
// of doubt, reads.
func classOfName(tool string) Class {
	name := tool
	if rest, isMCP := strings.CutPrefix(tool, "mcp__"); isMCP {
		if _, own, found := strings.Cut(rest, "__"); found {
			name = own
		}
	}
	words := wordsOf(name)
	have := func(words, verbs []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(verbs, w) })
	}
	switch {
	case have(words, writingVerbs):
		return Writes
	case matchAnyName(ownTools, tool) && !have(words, doubtfulVerbs):
		return Reads
	case len(words) > 0 && (slices.Contains(readingVerbs, words[0]) || resolvesName(words)) &&
		!have(words[1:], doubtfulVerbs):
		return Reads
	}
	return Ambiguous
}

// ownTools are those of the orchestrator's MCP server, as clients name them that name the server. They read or
// propose, as its commands do.
var ownTools = []string{"mcp__orchestrator__*", "orchestrator_*", "orchestrator-*"}

// resolvesName reports whether a tool finds what a name stands for, such as resolve_library_id. What else is resolved,
// a conflict or a thread, changes.
func resolvesName(words []string) bool {
	return words[0] == "resolve" &&
		slices.Contains([]string{"id", "ids", "name", "names", "path", "symbol", "url"}, words[len(words)-1])
}

// wordsOf returns the words of a name like write_file, writeFile or write-file, in small letters.
func wordsOf(name string) []string {
	var words []string
	begin := 0
	for i := 0; i <= len(name); i++ {
		switch {
		case i == len(name) || name[i] == '_' || name[i] == '-' || name[i] == '.' || name[i] == ' ':
			if i > begin {
				words = append(words, strings.ToLower(name[begin:i]))
			}
			begin = i + 1
		case i > begin && isUpper(name[i]) && !isUpper(name[i-1]):
			words = append(words, strings.ToLower(name[begin:i]))
			begin = i
		}
	}
	return words
}

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }
