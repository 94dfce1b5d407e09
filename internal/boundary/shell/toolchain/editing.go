package toolchain

import (
	"slices"
	"strings"
)

// gitTyped looks at a command of git: at a pager that it is told to use, and at whether it opens an editor, or asks
// about each change, in which case it offers one.
func gitTyped(verb string, own []string) bool {
	at := slices.Index(own, verb)
	if verb == "" || at < 0 {
		return paginates(own[1:])
	}
	m := readMessage(own[at+1:])
	switch verb {
	case "add", "stage":
		return paginates(own[1:at]) || m.edited || m.chosen || slices.Contains(own, "-i")
	case "commit":
		return paginates(own[1:at]) || m.edited || m.chosen || !m.given
	case "tag":
		return paginates(own[1:at]) || m.edited || m.annotated && !m.given
	}
	return verb == "help" || paginates(own[1:at])
}

// paginates looks through the options between git and its subcommand.
func paginates(options []string) bool {
	for i := 0; i < len(options) && strings.HasPrefix(options[i], "-"); i++ {
		switch option := options[i]; {
		case option == "-p", option == "--paginate", option == "-c" && i+1 < len(options) && namesPager(options[i+1]),
			strings.HasPrefix(option, "-c") && namesPager(option[2:]):
			return true
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace"}, option):
			i++
		}
	}
	return false
}

// message says what the options of git commit and git tag make of the message.
type message struct {
	given     bool // on the command line, or none is needed
	edited    bool // an editor opens all the same
	chosen    bool // what is committed is asked for, change by change
	annotated bool // of a tag, so that it needs one
}

// Long options of git commit and git tag by what they say of the message, and those with a value.
var (
	editing    = []string{"--edit", "--patch", "--interactive"}
	annotating = []string{"--annotate", "--local-user", "--sign"}
	giving     = []string{"--dry-run", "--file", "--fixup", "--message", "--no-edit", "--reuse-message"}
	valued     = []string{"--author", "--cleanup", "--date", "--file", "--fixup", "--local-user", "--message",
		"--reedit-message", "--reuse-message", "--squash", "--template", "--trailer"}
)

// readMessage reads the options up to --. Git takes the beginning of a long option for it.
func readMessage(words []string) (m message) {
	for i := 0; i < len(words) && words[i] != "--"; i++ {
		word := words[i]
		if len(word) < 2 || word[0] != '-' {
			continue
		}
		if word[1] != '-' {
			i += m.short(word[1:])
			continue
		}
		name, value, attached := strings.Cut(strings.TrimSuffix(word, Unfinished), "=")
		if has(valued, name) && !attached && i+1 < len(words) {
			i++
			value = words[i]
		}
		m.edited = m.edited || begins(editing, name) || strings.HasPrefix(value, "amend:") ||
			strings.HasPrefix(value, "reword:")
		m.annotated = m.annotated || begins(annotating, name)
		m.given = m.given || has(giving, name)
	}
	return m
}

// begins reports whether a name is the beginning of one in a list.
func begins(list []string, name string) bool {
	return slices.ContainsFunc(list, func(whole string) bool { return strings.HasPrefix(whole, name) })
}

// short reads short options that stand in one word, and returns how many of the next words are a value of theirs.
func (m *message) short(letters string) (values int) {
	for i, letter := range letters {
		switch letter {
		case 'm', 'F', 'C':
			m.given = true
		case 'e':
			m.edited = true
		case 'p':
			m.chosen = true
		case 'a', 's', 'u':
			m.annotated = true
		}
		switch {
		case letter == 'S', letter == 'u', strings.ContainsRune("mFCct", letter) && i < len(letters)-1:
			return 0
		case strings.ContainsRune("mFCct", letter):
			return 1
		}
	}
	return 0
}
