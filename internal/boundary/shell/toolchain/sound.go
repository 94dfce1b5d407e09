package toolchain

import (
	"slices"
	"strings"
)

// Unfinished ends a word of which only the beginning is known.
const Unfinished = "\x00"

// Sound reports whether the words of a command, those of its row left out, hold nothing that turns the command into
// more than its row means.
func (r Row) Sound(words []string) bool {
	switch program, command, _ := strings.Cut(r.Name, " "); program {
	case "dotnet":
		return !anyHas(words, ";,%"+Unfinished) // MSBuild takes what follows as further properties
	case "go":
		return soundGo(command, words)
	case "git":
		return command != "reset" || soundReset(words)
	}
	if r.Name == "python -m unittest" {
		return soundUnittest(words)
	}
	return !valueHas(words, "--cov-report", ":"+Unfinished)
}

func anyHas(words []string, marks string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, marks) })
}

// valueHas reports whether the value of an option has one of some characters.
func valueHas(words []string, option, marks string) bool {
	return slices.ContainsFunc(valuesOf(words, option), func(v string) bool { return strings.ContainsAny(v, marks) })
}

// valuesOf returns the values of an option, whether they are attached or the next word.
func valuesOf(words []string, option string) (values []string) {
	for i, word := range words {
		name, value, attached := strings.Cut(word, "=")
		if !attached && i+1 < len(words) {
			value = words[i+1]
		}
		if name == option {
			values = append(values, value)
		}
	}
	return values
}

// soundGo looks at the words of the go command. A version may be of any module; what is installed can be called by its
// name, and must be the project's own under a name that is no other program's.
func soundGo(command string, words []string) bool {
	for _, name := range []string{"-ldflags", "--ldflags"} {
		if slices.ContainsFunc(valuesOf(words, name), func(v string) bool { return !plainLinker(v) }) {
			return false
		}
	}
	if command == "mod download" {
		return true
	}
	return !slices.ContainsFunc(words, func(word string) bool {
		if strings.HasPrefix(word, "-") {
			return false
		}
		foreign := strings.Contains(word, "@") || strings.HasPrefix(word, "cmd/") || word == "cmd"
		return foreign || command == "install" && !installable(word)
	})
}

// installable reports whether go install may install a package: by its place in the project, and under a name that is
// none of the programs that rows and the boundary know.
func installable(word string) bool {
	name := word[strings.LastIndexByte(word, '/')+1:]
	return strings.HasPrefix(word, ".") && !Knows(name) && !strings.HasPrefix(name, "orchestrator")
}

// plainLinker reports whether the linker of Go is told nothing but to strip, and values of variables.
func plainLinker(flags string) bool {
	all, ok := quotedFields(flags)
	for i := 0; i < len(all); i++ {
		switch flag := all[i]; {
		case flag == "-s", flag == "-w", strings.HasPrefix(flag, "-X="):
		case flag == "-X":
			i++
		default:
			return false
		}
	}
	return ok && !strings.Contains(flags, Unfinished)
}

// quotedFields splits a text as the go command does: at spaces, but for fields that begin with a quote. It reports
// whether all of them end.
func quotedFields(text string) (all []string, ok bool) {
	for {
		if text = strings.TrimLeft(text, " \t\n\r"); text == "" {
			return all, true
		}
		field, rest := "", ""
		if text[0] == '\'' || text[0] == '"' {
			if field, rest, ok = strings.Cut(text[1:], text[:1]); !ok {
				return nil, false
			}
		} else if end := strings.IndexAny(text, " \t\n\r"); end >= 0 {
			field, rest = text[:end], text[end:]
		} else {
			field = text
		}
		all, text = append(all, field), rest
	}
}

// soundUnittest looks at what python -m unittest runs: discovery, files, or names of tests. It calls whatever a name
// leads to, through modules as well: pdb.main, and tests.test_cart.unittest.loader.sys.breakpointhook.
func soundUnittest(words []string) bool {
	if len(words) > 0 && words[0] == "discover" {
		return true
	}
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "-k":
			i++
		case !strings.HasPrefix(word, "-") && !isTestName(word):
			return false
		}
	}
	return true
}

// isTestName reports whether a name is that of a file, or leads to a module of tests, a class or a method in it.
func isTestName(word string) bool {
	if strings.Contains(word, Unfinished) || strings.HasSuffix(word, ".py") {
		return strings.HasSuffix(word, ".py")
	}
	elements := strings.Split(word, ".")
	last := func() string { return elements[len(elements)-1] }
	isTest := func() bool { return strings.HasPrefix(last(), "test_") || last() == "tests" && len(elements) == 1 }
	isClass := func() bool { return strings.Contains(last(), "Test") && last()[0] >= 'A' && last()[0] <= 'Z' }
	if n := len(elements); n > 2 && isTest() {
		if elements = elements[:n-1]; !isClass() {
			return true
		}
	}
	if len(elements) > 1 && isClass() {
		elements = elements[:len(elements)-1]
	}
	return isTest()
}
