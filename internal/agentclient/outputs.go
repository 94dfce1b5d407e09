package agentclient

import (
	"slices"
	"strings"
	"unicode"
)

// Words of the names of members that say where a tool is to put something: those of the first list by themselves,
// those of the second if the value may be a path.
var (
	puttingWords = []string{"dest", "destination", "outdir", "outfile", "outpath", "saveto", "savepath"}
	outputWords  = []string{"download", "dump", "export", "out", "output", "save", "target", "to"}
)

// putsSomething reports whether the input of a tool, at any depth, names a file that it is to write.
func putsSomething(input object) bool {
	for name, value := range input {
		d, member := decoder(value), name
		for {
			token, err := d.ReadToken()
			if err != nil {
				break
			}
			text := token.String()
			if kind, n := d.StackIndex(d.StackDepth()); token.Kind() == '"' && kind == '{' && n%2 == 1 {
				member = text
			} else if token.Kind() == '"' && text != "" && putsIn(member, text) {
				return true
			}
		}
	}
	return false
}

func putsIn(member, value string) bool {
	words := wordsOf(member)
	has := func(some []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(some, w) })
	}
	asFile := mayBePath(value) || has([]string{"file", "filename", "folder", "path", "dir", "directory"})
	return has(puttingWords) || has(outputWords) && asFile && !strings.Contains(value, "://")
}

// wordsOf returns the words of a name like outputPath, output_path or output-path, in small letters.
func wordsOf(name string) (all []string) {
	word := ""
	for i, r := range name {
		if word != "" && (!unicode.IsLetter(r) || unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1]))) {
			all, word = append(all, word), ""
		}
		if unicode.IsLetter(r) {
			word += string(unicode.ToLower(r))
		}
	}
	if word != "" {
		all = append(all, word)
	}
	return all
}
