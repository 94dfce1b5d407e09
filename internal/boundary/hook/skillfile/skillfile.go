// Package skillfile reads what the file of a skill has its client run by itself, before a model sees the text.
package skillfile

import (
	"regexp"
	"strings"

	"orchestrator/internal/agentclient/frontmatter"
	"orchestrator/internal/system/lazyregexp"
)

var (
	// Commands that stand in a line, and those in a block of their own, as clients find them.
	inline = lazyregexp.New("(?m)(?:^|\\s)!`([^`]+)`")
	block  = lazyregexp.New("```!\\s*\\n?([\\s\\S]*?)\\n?```")

	// argument is what a client puts the arguments in place of: all of them, or one by its number.
	argument = lazyregexp.New(`\$(?:ARGUMENTS(?:\[\d+\])?|\d+)`)
)

// Skill is what a file has its client do.
type Skill struct {
	Commands []string // for the shell, with the arguments in them
	Doubt    string   // what else it may have the client run; "" for nothing
}

// Read returns what the file of a skill has its client do when it is given arguments. They are put in as the client
// does it, as text, so that what follows a semicolon in them is a command.
func Read(text, args string) Skill {
	head, body := parts(text)
	var s Skill
	for _, pattern := range []*regexp.Regexp{inline(), block()} {
		for _, found := range pattern.FindAllStringSubmatch(body, -1) {
			s.Commands = append(s.Commands, argument().ReplaceAllLiteralString(found[1], args))
		}
	}
	switch {
	case member(head, "hooks"):
		s.Doubt = "the skill registers hooks of its own"
	case len(s.Commands) > 0 && member(head, "shell"):
		s.Doubt = "the skill names the shell that its commands run in"
	case len(s.Commands) > 0 && args != "" && member(head, "arguments"):
		s.Doubt = "the skill puts named arguments into its commands"
	}
	return s
}

// parts returns the front matter of a text, and what a client may take for the text after it. Clients differ on where
// front matter ends: some stop at any --- in it, so that what follows one counts as both.
func parts(text string) (head, body string) {
	head, body, ended := frontmatter.Cut(text)
	if !ended {
		return head, head
	}
	if _, after, found := strings.Cut(head, "---"); found {
		body = after + "\n" + body
	}
	return head, body
}

// member reports whether a member of the front matter has a name, at its top.
func member(head, name string) bool {
	for line := range strings.Lines(head) {
		key, _, found := strings.Cut(line, ":")
		if found && strings.Trim(strings.TrimRight(key, " \t"), `"'`) == name {
			return true
		}
	}
	return false
}
