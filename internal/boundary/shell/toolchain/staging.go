package toolchain

import (
	"slices"
	"strings"
)

// Ignored returns the folders from which git add stores also what git ignores, by its words: all that it is told to
// add, where it is forced to. A word may be a pattern of git's own, or name a file with such words, which could be
// any.
func Ignored(words []string) (folders []string) {
	forced := false
	for _, word := range words {
		long := strings.HasPrefix(word, "--")
		switch {
		case long && len(word) > 2 && strings.HasPrefix("--force", word):
			forced = true
		case word == "--all", strings.HasPrefix(word, "--pathspec"):
			folders = append(folders, ".")
		case long:
		case strings.HasPrefix(word, "-"):
			forced = forced || strings.Contains(word, "f")
			if strings.Contains(word, "A") {
				folders = append(folders, ".")
			}
		case strings.ContainsAny(word, ":*?[") || word == "":
			folders = append(folders, ".")
		case word != "add" && word != "stage":
			folders = append(folders, word)
		}
	}
	if !forced {
		return nil
	}
	return folders
}

// Destination returns how many of the last words of a program that copies name no source: one, unless the program packs
// or compares, or an option names where the copies go.
func Destination(program string, words []string) int {
	options := slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "--t") || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "t")
	})
	switch program {
	case "cp", "gcp":
		if !options {
			return min(1, len(words))
		}
	case "rsync", "scp":
		return min(1, len(words))
	}
	return 0
}

// LeavesOut reports whether a program that copies or packs is told to leave a folder out, wherever it lies: by
// --exclude, or by -x where that does the same.
func LeavesOut(program string, words []string, folder string) bool {
	short, listed := slices.Contains([]string{"7z", "diff", "zip"}, program), false
	for i, word := range words {
		value, attached := strings.CutPrefix(word, "--exclude=")
		if !attached && short {
			value, attached = strings.CutPrefix(word, "-x")
		}
		if _, after, found := strings.Cut(value, "!"); attached && found { // -xr!folder
			value = after
		}
		listed = short && word == "-x" || listed && !strings.HasPrefix(word, "-")
		if (attached || listed || i > 0 && words[i-1] == "--exclude") && isFolder(value, folder) &&
			!slices.Contains([]string{"cp", "gcp", "scp"}, program) {
			return true
		}
	}
	return false
}

// isFolder reports whether a pattern means a folder with all that is in it.
func isFolder(pattern, folder string) bool {
	elements := slices.DeleteFunc(strings.Split(pattern, "/"), func(e string) bool {
		return slices.Contains([]string{"", ".", "*", "**"}, e)
	})
	return len(elements) == 1 && elements[0] == folder
}
