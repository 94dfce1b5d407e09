package commandline

import (
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/system/shellquote"
)

// Line is a command line that For or ForUser made.
type Line struct {
	User    bool
	Program string // that the user's line knows
}

// Parse finds out how a command line of a client was made, and reports false for one that was not, whatever it starts.
func Parse(c *agentclient.Client, text string) (Line, bool) {
	text = WithJSON(c, text, false)
	for _, event := range c.Wiring.All() {
		if text == For(c, event) {
			return Line{}, true
		}
		const hole = "/@PROGRAM@"
		script := text
		if c.Wiring.AnyShell {
			if words := split(text); len(words) == 3 {
				script = words[2]
			}
		}
		before, after, _ := strings.Cut(makeScript(c, event, hole, true), shellquote.Quote(hole))
		if rest, found := strings.CutPrefix(script, before); found {
			quoted, _, _ := strings.Cut(rest, after)
			if words := split(quoted); len(words) == 1 && text == ForUser(c, event, words[0]) {
				return Line{true, words[0]}, true
			}
		}
	}
	return Line{}, false
}
