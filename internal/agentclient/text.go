package agentclient

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/system/shellquote"
)

// patchMarks are the lines of a patch that name a file. A line of content has a sign before it, so that it is no mark;
// one that is indented is taken for a mark all the same: better a file too many.
var patchMarks = []string{"*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:"}

// patchPaths returns the files that a patch in the form of apply_patch names, each once; never nil.
func patchPaths(text string) []string {
	paths := []string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, mark := range patchMarks {
			name, found := strings.CutPrefix(line, mark)
			if name = strings.TrimSpace(name); found && name != "" && !slices.Contains(paths, name) {
				paths = append(paths, name)
			}
		}
	}
	return paths
}

// quoted joins words to a command line that a POSIX shell takes apart into the same words.
func quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = shellquote.Quote(word)
	}
	return strings.Join(words, " ")
}

// withoutScheme makes a path of a file URI. A URI of another scheme names no file.
func withoutScheme(name string) string {
	scheme, rest, found := strings.Cut(name, "://")
	if !found || strings.ContainsAny(scheme, "/. ") {
		return name
	}
	if !strings.EqualFold(scheme, "file") {
		return ""
	}
	if slash := strings.IndexByte(rest, '/'); slash > 0 {
		rest = rest[slash:] // without the host
	}
	return unescaped(rest)
}

// unescaped puts bytes in the place of %XX. What is no such thing stays.
func unescaped(text string) string {
	var plain []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if code, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				plain = append(plain, byte(code))
				i += 2
				continue
			}
		}
		plain = append(plain, text[i])
	}
	return string(plain)
}

// join returns the folder that a path names, seen from another one. A folder that cannot be joined is the path alone.
func join(from, to string) string {
	drive := len(to) > 1 && to[1] == ':'
	switch {
	case to == "":
		return from
	case from == "" || path.IsAbs(to) || drive || strings.HasPrefix(to, "~") || strings.HasPrefix(to, `\`):
		return to
	}
	return path.Join(from, to)
}
