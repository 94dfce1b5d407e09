package toolchain

import "strings"

// persons lists the commands of orchestrator that a person runs, in the order of their names: they change the boundary,
// tokens, settings, the service or its database, copy that, act for several roles at once, or start agents and other
// programs. Some have a form that reads, which has a row in own.
var persons = []string{"answer", "apply", "audit witness", "backup", "boundary attest", "boundary bypass",
	"boundary doctor", "boundary drill", "boundary import", "boundary install", "boundary label", "boundary mode",
	"boundary recovery",
	"boundary reviewed", "boundary rollback", "boundary uninstall", "compact", "conduct", "config set", "config unset",
	"down", "drive", "hook", "init", "mcp install", "mcp status", "mcp uninstall", "merge-status", "migrate",
	"open", "restore",
	"schedules end", "serve", "token add", "token revoke", "up", "upgrade", "webhook add", "webhook remove",
	"webhook replay", "webhook test"}

// NoReading returns why a command of orchestrator, by the words after the program, neither reads nor proposes: a person
// runs it, there is no such command, or with these words it is none that the table has.
func NoReading(words []string) string {
	name, rest := ownName(words)
	switch {
	case has(persons, name):
		return "orchestrator " + name + " is a person's to run: it changes the boundary, tokens, settings " +
			"or the service, or acts for several roles"
	case len(rest) > 0 && isWord(rest[0]) && groups(name):
		missing := strings.TrimSpace(name + " " + strings.TrimSuffix(rest[0], Unfinished))
		return "there is no command orchestrator " + missing + ": orchestrator --help lists the commands"
	}
	return "with these words, " + strings.TrimSpace("orchestrator "+name) + " is not known to read or to propose: " +
		strings.TrimSpace("orchestrator help "+name) + " shows its options"
}

// ownName returns the longest name of a command that words begin with, and the words after it.
func ownName(words []string) (name string, rest []string) {
	rest = words
	for i := 1; i <= min(len(words), maxName); i++ {
		key := strings.Join(words[:i], " ")
		if _, found := find(own, "orchestrator "+key); found || has(persons, key) {
			name, rest = key, words[i:]
		}
	}
	return name, rest
}

// groups reports whether a command has others below it, or is the program itself.
func groups(name string) bool {
	for _, row := range own {
		if name == "" || strings.HasPrefix(row.Name, "orchestrator "+name+" ") {
			return true
		}
	}
	return name == "config"
}

func isWord(text string) bool { return text != "" && text[0] != '-' }
