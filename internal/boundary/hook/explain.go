package hook

import (
	"cmp"
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
	return resolver.judge(&policy, call, boundary.Explain), call, nil
}

// Now returns what becomes of an explained call as things stand, without a bypass, and the mode that this is in.
func Now(client string, policy boundary.Policy, call boundary.Call) (boundary.Mode, boundary.Decision) {
	v := boundary.Judge(&policy, call)
	if c, known := agentclient.Named(client); known && v.Decision == boundary.Ask && !c.Asks() {
		v.Decision = boundary.Block
	}
	return cmp.Or(v.Mode, policy.Mode), v.Decision
}
