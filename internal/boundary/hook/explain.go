package hook

import (
	"fmt"
	"os"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// Explain judges a call as if the policy were enforced, and records nothing. No bypass counts.
func Explain(client string, raw []byte, dir folder.Dir,
	policy boundary.Policy) (boundary.Verdict, boundary.Call, error) {
	protocol, known := agentclient.Named(client)
	if !known {
		return boundary.Verdict{}, boundary.Call{},
			fmt.Errorf("there is no client %q; the clients are %v", client, agentclient.Names())
	}
	event, err := protocol.Parse(raw)
	if err != nil {
		return boundary.Verdict{}, boundary.Call{}, err
	}
	if event.When != agentclient.Before {
		return boundary.Verdict{}, boundary.Call{}, fmt.Errorf("it is not a call before a tool, which alone is judged")
	}
	home, _ := os.UserHomeDir()
	executable, _ := os.Executable()
	policy.Mode = boundary.Enforce
	resolver := newResolver(dir.Root, event.Cwd, dir.Root, home)
	policy.ProtectedPaths = append(policy.ProtectedPaths, resolver.outsideProject(executable)...)
	call := callOf(event, resolver, time.Now())
	return boundary.Explain(&policy, call), call, nil
}
