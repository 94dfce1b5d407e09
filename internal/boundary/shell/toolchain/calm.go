package toolchain

import (
	"slices"
	"strings"
)

// calm are variables that choose a language, a colour or a number, and no code. What ends in _ is how they begin.
var calm = []string{"CARGO_TERM_COLOR", "CGO_ENABLED", "CI", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "DEBUG",
	"FORCE_COLOR", "GIT_AUTHOR_", "GIT_COMMITTER_", "GOARCH", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOOS", "LANG",
	"LANGUAGE", "LC_", "LINES", "LOG_LEVEL", "NODE_ENV", "NO_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED",
	"PYTHONUNBUFFERED", "RUST_BACKTRACE", "RUST_LOG", "TERM", "TZ", "VERBOSE"}

// goFlags are flags of the go command that choose no code.
var goFlags = []string{"-buildvcs", "-count", "-mod", "-p", "-race", "-short", "-tags", "-trimpath", "-v"}

// IsPlain reports whether the value of a variable that can steer programs does not: flags of go that choose no code,
// and the usual folders of a project's modules.
func IsPlain(name, value string) bool {
	switch name {
	case "GOFLAGS":
		return !strings.ContainsFunc(value, active) && !slices.ContainsFunc(strings.Fields(value), func(f string) bool {
			flag, _, _ := strings.Cut(f, "=")
			_, found := slices.BinarySearch(goFlags, flag)
			return !found
		})
	case "PYTHONPATH":
		return slices.Contains([]string{".", "./src", "lib", "src"}, value)
	}
	return false
}

// IsCalm reports whether a variable of the environment is sure to steer no program to other code.
func IsCalm(name, value string) bool {
	begin := name[:strings.LastIndexByte(name, '_')+1]
	_, whole := slices.BinarySearch(calm, name)
	_, begins := slices.BinarySearch(calm, begin)
	return IsPlain(name, value) || (whole || begins) && !strings.ContainsFunc(value, active)
}

// active reports whether a makefile or a shell would take a character for more than text.
func active(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		strings.ContainsRune(" _.,:@+/=-", r))
}
