package toolchain

import (
	"slices"
	"strings"
)

// settings of git that run nothing and name no file, by their beginning.
var settings = []string{"color.", "user.name", "user.email", "core.quotepath", "core.autocrlf", "advice.",
	"diff.renames", "diff.algorithm", "log.", "commit.gpgsign=", "init.defaultbranch", "safe.directory"}

// pagers that a setting of git may name.
var pagers = []string{"", "cat", "less", "false"}

// SafeSetting reports whether a setting of git -c, as name=value, makes git run nothing and write no file.
func SafeSetting(setting string) bool {
	name, value, _ := strings.Cut(setting, "=")
	name = strings.ToLower(name)
	if name == "core.pager" || strings.HasPrefix(name, "pager.") {
		return slices.Contains(pagers, value)
	}
	return slices.ContainsFunc(settings, func(safe string) bool { return strings.HasPrefix(name+"=", safe) })
}

// IsTransport reports whether a word of git may name a program that fetches, as ext::command does.
func IsTransport(word string) bool {
	_, address, isOption := strings.Cut(word, "=")
	if !isOption || !strings.HasPrefix(word, "-") {
		address = word
	}
	helper, _, found := strings.Cut(address, "::")
	return found && helper != "" && !strings.ContainsFunc(helper, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("+-._", r)
	})
}

// soundReset reports whether git reset goes back to HEAD alone, for all files or for those that are named after it.
// From any other commit it would take files out of the index: git would not track them any more, so that they could be
// written as outputs are.
func soundReset(words []string) bool {
	for _, word := range words {
		if !strings.HasPrefix(word, "-") || word == "--" {
			return word == "HEAD" || word == "--"
		}
	}
	return true
}
