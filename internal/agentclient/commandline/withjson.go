package commandline

import (
	"strings"

	"orchestrator/internal/agentclient"
)

// WithJSON returns a line of For or ForUser with the client's Wiring.JSONFlag, or without it. Any other line stays as
// it is.
func WithJSON(c *agentclient.Client, line string, want bool) string {
	option := c.Wiring.JSONFlag
	if option == nil {
		return line
	}
	value, _ := option.Value.(string)
	plain, with := c.Name+";; ", c.Name+" "+option.Name+" "+value+";; "
	if want {
		line, plain, with = WithJSON(c, line, false), with, plain
	}
	for _, start := range []string{`"$h" `, `"$h" hook `} {
		line = strings.Replace(line, start+with, start+plain, 1)
	}
	return line
}
