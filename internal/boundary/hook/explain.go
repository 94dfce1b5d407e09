package hook

import (
	"fmt"
	"os"
	"strings"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/roster"
	"orchestrator/internal/rules/boundary"
)

// Explain judges a call as if the policy were enforced, and records nothing. No bypass counts.
func Explain(client string, raw []byte, dir folder.Dir,
	policy boundary.Policy) (boundary.Verdict, boundary.Call, error) {
	c, known := agentclient.Named(client)
	if !known {
		return boundary.Verdict{}, boundary.Call{},
			fmt.Errorf("there is no client %q; the clients are %s", client, strings.Join(agentclient.Names(), ", "))
	}
	event, err := c.Parse(raw)
	if err != nil {
		return boundary.Verdict{}, boundary.Call{}, err
	}
	if event.When != agentclient.Before {
		return boundary.Verdict{}, boundary.Call{}, fmt.Errorf("it is not a call before a tool, which alone is judged")
	}
	home, _ := os.UserHomeDir()
	executable, _ := os.Executable()
	policy.Mode = boundary.Enforce
	resolver := newResolver(dir.Root, event.Cwd, dir.Root, home).under(&policy)
	call := callOf(event, resolver, time.Now())
	call.Guarded = resolver.guarded(executable)
	if own, known := agentclient.Named(event.Client); known {
		call.Delegation = roster.Of(own, dir.Root, home)
	}
	return boundary.Explain(&policy, call), call, nil
}
