package roster

import (
	"slices"
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/frontmatter"
)

// agent is what a file says of an agent.
type agent struct {
	name     string
	tools    []string        // that it has; none is all
	without  []string        // tools that it has not
	switches map[string]bool // tools that are turned on or off, and "*" for all
	readOnly bool
}

// parse reads the file of an agent: Markdown with front matter, or TOML. Of either only top-level members on one line
// and lists are read. Where the file names none, the agent has the name given. An agent without a name of a strict form
// is none, and neither is one that a session cannot start.
func parse(source []byte, ending, name string) (a agent, ok bool) {
	a.name = name
	members := frontMatter(string(source))
	if ending == ".toml" {
		members = tomlMembers(string(source))
	}
	if len(members) == 0 {
		return agent{}, false
	}
	for _, m := range members {
		switch m.name {
		case "name":
			a.name = m.text
		case "tools":
			a.tools = m.list()
			a.turn(m.switches)
		case "permission":
			a.turn(m.switches)
		case "disallowedTools", "disallowed_tools":
			a.without = m.list()
		case "mode":
			if m.text == "primary" {
				return agent{}, false
			}
		case "disable", "disabled":
			if m.text == "true" {
				return agent{}, false
			}
		case "sandbox_mode", "permissionMode":
			a.readOnly = m.text == "read-only" || m.text == "plan"
		}
	}
	return a, isName(a.name)
}

// isName reports whether a text is a name that may be shown.
func isName(name string) bool {
	const longest = 64
	for i, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return name != "" && len(name) <= longest
}

// writes reports whether the agent has a tool that writes.
func (a agent) writes(c *agentclient.Client) bool {
	if a.readOnly {
		return false
	}
	writers := c.Delegation(nil).Writes // the first is the one that edits
	if len(writers) == 0 || slices.Contains(a.without, writers[0]) || a.switchedOff(writers[0]) {
		return false
	}
	return len(a.tools) == 0 || slices.ContainsFunc(a.tools, func(t string) bool {
		name, _, _ := strings.Cut(t, "(") // as in Bash(git:*)
		name = strings.TrimSpace(name)
		return slices.Contains([]string{"*", "edit", "execute", "shell"}, name) || c.Writes(name)
	})
}

// turn adds what turns tools on or off. What is off stays off, whichever member says so.
func (a *agent) turn(switches map[string]bool) {
	if a.switches == nil {
		a.switches = map[string]bool{}
	}
	for tool, on := range switches {
		before, found := a.switches[tool]
		a.switches[tool] = on && (before || !found)
	}
}

func (a agent) switchedOff(tool string) bool {
	on, found := a.switches[tool]
	if !found {
		on, found = a.switches["*"]
	}
	return found && !on
}

// member is a member at the top of a file.
type member struct {
	name, text string
	items      []string
	switches   map[string]bool
}

// list returns the items of a member, in whatever form they are written.
func (m member) list() []string {
	if len(m.items) > 0 || m.text == "" {
		return m.items
	}
	var all []string
	for item := range strings.SplitSeq(strings.Trim(m.text, "[]"), ",") {
		if item = unquoted(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// frontMatter reads what stands between two lines of --- at the beginning.
func frontMatter(source string) (all []member) {
	head, _, ended := frontmatter.Cut(source)
	if !ended {
		return nil
	}
	for line := range strings.Lines(head) {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "- ") {
			if len(all) > 0 {
				all[len(all)-1].below(strings.TrimSpace(line))
			}
		} else if name, text, found := strings.Cut(line, ":"); found && !strings.HasPrefix(line, "#") {
			all = append(all, member{name: strings.TrimSpace(name), text: unquoted(text)})
		}
	}
	return all
}

// below adds a line that stands under a member: an item, or a switch.
func (m *member) below(line string) {
	if item, is := strings.CutPrefix(line, "- "); is {
		m.items = append(m.items, unquoted(item))
		return
	}
	if name, value, found := strings.Cut(line, ":"); found {
		if value = unquoted(value); value == "true" || value == "false" || value == "deny" {
			if m.switches == nil {
				m.switches = map[string]bool{}
			}
			m.switches[unquoted(name)] = value == "true"
		}
	}
}

// tomlMembers reads the lines NAME = VALUE before the first table. What stands in texts of several lines is passed
// over.
func tomlMembers(source string) (all []member) {
	within := ""
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if within != "" {
			if strings.Contains(line, within) {
				within = ""
			}
			continue
		}
		if strings.HasPrefix(line, "[") {
			return all
		}
		name, text, found := strings.Cut(line, "=")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		for _, quote := range []string{`"""`, "'''"} {
			if strings.Count(text, quote) == 1 {
				within = quote
			}
		}
		all = append(all, member{name: strings.TrimSpace(name), text: unquoted(text)})
	}
	return all
}

// unquoted takes the blanks and one pair of quotes from around a text.
func unquoted(text string) string {
	text = strings.TrimSpace(text)
	for _, quote := range []string{`"`, "'"} {
		if len(text) > 1 && strings.HasPrefix(text, quote) && strings.HasSuffix(text, quote) {
			return text[1 : len(text)-1]
		}
	}
	return text
}
