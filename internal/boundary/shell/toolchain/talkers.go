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
var paging = []string{"aws", "dmesg", "gh", "git", "glab", "journalctl", "systemctl"}

// Typed reports whether a session that can type into a program while it runs can have it run what it types. words are
// those of the program without options, own is the program with all its words, and text has the words of the whole
// command: what changes the environment in one part of it holds for others. The client's environment has to name cat as
// the pager.
func Typed(words, own, text []string) bool {
	program, verb := words[0], ""
	if len(words) > 1 {
		verb = words[1]
	}
	switch {
	case has(talkers, program), slices.Contains(own, "--pdb"), has(paging, program) && unpaged(text):
		return true
	case program == "git":
		return gitTyped(verb, own)
	case program == "gh":
		return ghTyped(own)
	case program == "orchestrator":
		return slices.Contains([]string{"design", "implement", "test"}, verb) && !described(own)
	}
	return false
}

// unpaged reports whether a command takes away the variables that name cat as the pager, or sets them otherwise.
func unpaged(text []string) bool {
	for i, word := range text {
		switch base := word[strings.LastIndexByte(word, '/')+1:]; {
		case base == "unset", base == "exec", base == "sudo", base == "doas", base == "su",
			word == "+x", namesPager(word),
			base == "env" && i+1 < len(text) && strings.HasPrefix(text[i+1], "-"):
			return true
		}
	}
	return false
}

// namesPager finds a variable or a setting that holds a pager, and not none.
func namesPager(word string) bool {
	name, value, set := strings.Cut(word, "=")
	if set && slices.Contains([]string{"", "cat", "false"}, value) {
		return false
	}
	return strings.HasSuffix(name, "PAGER") || strings.EqualFold(name, "core.pager") ||
		strings.HasPrefix(strings.ToLower(name), "pager.")
}

var describing = []string{"--commit", "--decision", "--evidence", "--file", "--from", "--help", "--interface",
	"--notes", "--plan", "--risk", "--summary"}

// described reports whether a part of a requirement is given with options, so that no editor opens for it.
func described(own []string) bool {
	return slices.ContainsFunc(own, func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		return has(describing, name)
	})
}
