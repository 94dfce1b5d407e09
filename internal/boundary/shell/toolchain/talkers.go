package toolchain

import (
	"slices"
	"strings"
)

// talkers are programs that run what is typed into them, or open an editor that does. Any other program that is not
// known is ambiguous by itself.
var talkers = []string{"atop", "bat", "batcat", "bpython", "ed", "elinks", "emacs", "emacsclient", "ex", "fzf", "gdb",
	"htop", "info", "ipython", "irb", "joe", "lazygit", "less", "lynx", "man", "mc", "micro", "more", "most", "mutt",
	"mysql", "nano", "ncdu", "nnn", "nvim", "pg", "psql", "ranger", "rlwrap", "rview", "sqlite3", "tig", "tmux", "top",
	"vi", "view", "vim", "vimdiff", "w3m", "watchman", "zless", "zmore"}

// paging are programs that show what they print in a pager, unless the environment names cat as one.
var paging = []string{"aws", "gh", "git", "glab", "journalctl", "systemctl"}

// Typed reports whether a session that can type into a program while it runs can have it run what it types. words are
// those of the program without options, and text has all words of the whole command. The client's environment has to
// name cat as the pager.
func Typed(words, text []string) bool {
	program, verb := words[0], ""
	if len(words) > 1 {
		verb = words[1]
	}
	switch {
	case has(talkers, program), has(paging, program) && paged(text), slices.Contains(text, "--pdb"):
		return true
	case program == "git":
		return verb == "help" || (verb == "commit" || verb == "tag" && slices.Contains(text, "-a")) && !worded(text)
	case program == "orchestrator":
		return slices.Contains([]string{"design", "implement", "test"}, verb) && !described(text)
	}
	return false
}

// paged reports whether a command turns a pager on, or takes away the variables that name cat as one.
func paged(text []string) bool {
	for i, word := range text {
		switch {
		case word == "unset", word == "exec", word == "+x", strings.HasPrefix(word, "-c") && namesPager(word[2:]),
			namesPager(word),
			word == "env" && i+1 < len(text) && strings.HasPrefix(text[i+1], "-"),
			(word == "git" || strings.HasSuffix(word, "/git")) && paginates(text[i+1:]):
			return true
		}
	}
	return false
}

// namesPager finds a variable or a setting that holds a pager.
func namesPager(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return strings.HasSuffix(name, "PAGER") || strings.EqualFold(name, "core.pager") ||
		strings.HasPrefix(strings.ToLower(name), "pager.")
}

// paginates looks through the options between git and its subcommand.
func paginates(options []string) bool {
	for i := 0; i < len(options) && strings.HasPrefix(options[i], "-"); i++ {
		switch options[i] {
		case "-p", "--paginate":
			return true
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace":
			i++
		}
	}
	return false
}

// worded reports whether a commit or a tag has its message on the command line, so that git opens no editor.
func worded(text []string) bool {
	return slices.ContainsFunc(text, func(w string) bool {
		short := len(w) > 1 && w[0] == '-' && w[1] != '-'
		return short && strings.ContainsAny(w, "mFC") || begins(w, "--message", "--file", "--no-edit", "--reuse-message",
			"--fixup", "--dry-run")
	})
}

// described reports whether a part of a requirement is given with options, so that no editor opens for it.
func described(text []string) bool {
	return slices.ContainsFunc(text, func(w string) bool {
		return begins(w, "--commit", "--decision", "--evidence", "--file", "--from", "--help", "--interface", "--notes",
			"--plan", "--risk", "--summary")
	})
}

func begins(word string, with ...string) bool {
	return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(word, w) })
}
