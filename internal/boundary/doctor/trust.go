package doctor

import (
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/fault"
)

// lookAtTrust looks at whether the person has trusted the hook as it is registered, where the client wants that.
func (e *examination) lookAtTrust(c *agentclient.Client) {
	if c.Wiring.Trusts == "" || e.Home == "" {
		return
	}
	trusted := 0
	for _, user := range []bool{false, true} {
		o := e.settings()
		o.User = user
		hooks, project, err := settings.Trusted(c.Name, o)
		if err != nil {
			e.say(c.Name, Fault, "correct the file", "it is unknown whether it trusts the hook: %v", err)
			return
		}
		if !project && len(hooks) > 0 {
			e.say(c.Name, Fault, "start "+c.Name+" in this folder, and trust it when it asks",
				"it does not trust this project, and runs none of its hooks")
		}
		for _, h := range hooks {
			switch {
			case h.Off:
				e.say(c.Name, Fault, "switch it on in /hooks", "the hook for %s is switched off there", h.Event)
			case !h.Trusted:
				e.say(c.Name, Fault, "open /hooks in "+c.Name+", and trust it",
					"the hook for %s is not trusted as it is registered now: it is skipped silently", h.Event)
			default:
				trusted++
			}
		}
	}
	if trusted > 0 {
		e.say(c.Name, OK, "", "it trusts %s", fault.Count(trusted, "registered hook"))
	}
}

// lookAtCalls looks at whether a client has called since the hook was registered. One that never did may not run hooks
// at all, for whatever reason.
func (e *examination) lookAtCalls(c *agentclient.Client) {
	if seen := e.seen[c.Name]; seen.Called.After(seen.Installed) {
		return
	}
	level := Note
	if e.failsClosed() {
		level = Fault
	}
	e.say(c.Name, level, "let "+c.Name+
		" use a tool in this project, and run this again: it may ask whether to trust the folder or the hook",
		"no call since the hook was registered: perhaps the client runs no hooks")
}

// needs returns what depends on the version of a client.
func needs(w agentclient.Wiring) string {
	var all []string
	if w.Since != "" {
		all = append(all, "subagents need "+w.Since)
	}
	if w.FailClosed != nil && w.FailClosed.Since != "" {
		all = append(all, w.FailClosed.Name+" needs "+w.FailClosed.Since)
	}
	return strings.Join(all, ", ")
}
