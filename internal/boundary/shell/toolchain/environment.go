package toolchain

import (
	"slices"
	"strings"
)

// TokenVariable is how variables begin that hold a token of the service, or name the file of one.
const TokenVariable = "ORCHESTRATOR_TOKEN"

// ShowsVariables reports whether Variables is to be asked of a program, or of a builtin of shells.
func ShowsVariables(program string) bool {
	switch program {
	case "awk", "declare", "export", "gawk", "gojq", "jq", "local", "mawk", "nawk", "printenv", "ps", "readonly",
		"set", "typeset":
		return true
	}
	return false
}

// Variables returns the variables of the environment that a program shows, each with a dollar sign before it; of all,
// or of those that cannot be told, the sign alone.
func Variables(program string, words []string) (all []string) {
	const every = "$"
	switch program {
	case "ps":
		if withEnvironment(words) {
			return []string{every}
		}
		return nil
	case "set":
		if len(words) == 0 {
			return []string{every}
		}
		return nil
	case "awk", "gawk", "mawk", "nawk", "jq", "gojq":
		if slices.ContainsFunc(words, readsEnvironment) {
			return []string{every}
		}
		return nil
	}
	for _, word := range words {
		switch name, value, _ := strings.Cut(word, "="); {
		case strings.HasPrefix(word, "-"):
		case strings.HasSuffix(word, Unfinished):
			return []string{every}
		case value == "":
			all = append(all, every+name)
		default:
			return nil // it assigns, and shows nothing
		}
	}
	if len(all) == 0 {
		return []string{every}
	}
	return all
}

// withEnvironment reports whether options of ps show the environment of processes: e as BSD has it, with no dash, or -E
// as macOS has it.
func withEnvironment(words []string) bool {
	before := ""
	for _, word := range words {
		letters, isOption := strings.CutPrefix(word, "-")
		isValue := strings.HasPrefix(before, "-") && strings.ContainsAny(before[len(before)-1:], "CGOUgopqstu")
		switch {
		case isOption && strings.Contains(letters, "E"), !isOption && !isValue && strings.Contains(word, "e"):
			return true
		}
		before = word
	}
	return false
}

// readsEnvironment reports whether a program of awk or jq reads variables of the environment.
func readsEnvironment(program string) bool {
	if strings.Contains(program, "ENVIRON") || strings.Contains(program, "$ENV") {
		return true
	}
	names := strings.FieldsFunc(program, func(r rune) bool { return strings.ContainsRune(" \t\n|,;()[]{}:+", r) })
	return slices.ContainsFunc(names, func(name string) bool { return name == "env" || strings.HasPrefix(name, "env.") })
}

// Expanded returns what Variables returns, of a variable that a shell expands: where it is indirect, the name is the
// value of this one. The length of a value shows nothing of it.
func Expanded(name string, indirect, length bool) []string {
	switch {
	case indirect:
		return []string{"$"}
	case strings.HasPrefix(name, TokenVariable) && !length:
		return []string{"$" + name}
	}
	return nil
}

// InPowerShell returns what Variables returns, of a command in PowerShell, which has a drive of variables.
func InPowerShell(command string) []string {
	lower := strings.ToLower(command)
	switch {
	case strings.Contains(lower, strings.ToLower("env:"+TokenVariable)):
		return []string{"$" + TokenVariable}
	case strings.Contains(lower, "env:"), strings.Contains(lower, "getenvironmentvariable"):
		return []string{"$"}
	}
	return nil
}
