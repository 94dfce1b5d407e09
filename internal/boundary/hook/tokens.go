package hook

import (
	"path"
	"slices"
	"strings"

	"orchestrator/internal/boundary/shell/toolchain"
	"orchestrator/internal/rules/boundary"
)

// tokens is what the environment of the hook, which is that of the session, has of tokens.
type tokens struct {
	held  bool     // a variable holds one
	files []string // the file of one, by its name and by where its links lead
}

// withTokens returns the resolver with the tokens of an environment.
func (r resolver) withTokens(getenv func(string) string) resolver {
	r.tokens.held = getenv(toolchain.TokenVariable) != ""
	if file := getenv(toolchain.TokenVariable + "_FILE"); file != "" {
		abs := r.absolute(file)
		name, _ := r.place(abs)
		real, _ := r.place(r.links.real(abs))
		r.tokens.files = []string{name, real}
	}
	return r
}

// tokenIn returns the variable that holds a token which a file shows, as a target that rules take for a secret: the
// environment of a process, or the file that a variable names. shown is the file as a command names it, where one does.
func (r resolver) tokenIn(shown string, t boundary.Target) (boundary.Target, bool) {
	const sign = "$" + toolchain.TokenVariable
	isEnvironment := shown == "$"
	for _, name := range []string{t.Path, t.Real} {
		matches, _ := path.Match(path.Base(name), "environ")
		isEnvironment = isEnvironment || strings.HasPrefix(name, "/proc/") && matches
		if name != "" && slices.Contains(r.tokens.files, name) {
			return boundary.Target{Path: sign + "_FILE"}, true
		}
	}
	switch {
	case strings.HasPrefix(shown, sign):
		return boundary.Target{Path: shown}, true
	case isEnvironment && r.tokens.held:
		return boundary.Target{Path: sign}, true
	}
	return boundary.Target{}, false
}
