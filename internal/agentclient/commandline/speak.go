package commandline

import (
	"strings"

	"orchestrator/internal/agentclient"
)

// Speaking returns a line that For or ForUser made so that the program answers as a client with Wiring.Speaks takes it,
// or no longer does. Any other line stays as it is.
func Speaking(c *agentclient.Client, line string, speaks bool) string {
	option := c.Wiring.Speaks
	if option == nil {
		return line
	}
	said, _ := option.Value.(string)
	plain, with := c.Name+";; ", c.Name+" "+option.Name+" "+said+";; "
	if speaks {
		line, plain, with = Speaking(c, line, false), with, plain
	}
	for _, start := range []string{`"$h" `, `"$h" hook `} {
		line = strings.Replace(line, start+with, start+plain, 1)
	}
	return line
}
