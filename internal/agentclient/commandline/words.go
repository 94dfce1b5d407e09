package commandline

import "strings"

// Runs reports whether a command line runs the hook: one that For makes, or one that starts a program of the hook with
// its arguments, as earlier versions registered it.
func Runs(line string) bool {
	words := split(line)
	for len(words) > 0 && strings.Contains(words[0], "=") &&
		!strings.ContainsAny(words[0][:strings.Index(words[0], "=")], `/\`) {
		words = words[1:] // NAME=value before the program
	}
	if len(words) == 0 {
		return false
	}
	program := words[0][strings.LastIndexAny(words[0], `/\`)+1:]
	program = strings.TrimSuffix(program, ".exe")
	switch {
	case program == "sh" && len(words) == 3 && words[1] == "-c":
		return Runs(words[2])
	case program == ":":
		return len(words) > 1 && words[1] == Small
	}
	return program == Small || program == Whole && len(words) > 1 && words[1] == "hook"
}

// split takes a simple command line apart, with quotes as a POSIX shell has them.
func split(line string) []string {
	var words []string
	var word []rune
	inWord, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			word, escaped = append(word, r), false
		case r == '\\' && quote != '\'':
			inWord, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word = append(word, r)
		case r == '\'' || r == '"':
			inWord, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words, word, inWord = append(words, string(word)), nil, false
			}
		default:
			word, inWord = append(word, r), true
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words
}
