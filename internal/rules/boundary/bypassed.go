package boundary

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Bypassed returns what the session and the person are told of a call that a bypass let through: what was done, what
// lifted the boundary, and why the call is a violation, one line each.
func Bypassed(p *Policy, c Call, v Verdict) string {
	lines := []string{
		"ORCHESTRATOR BOUNDARY BYPASSED: " + attempted(c, v) + " [" + v.Rule + "]",
		"Let through by: " + liftedBy(c, v),
		withoutBypass(p, v) + ": " + v.Reason,
		"Your role: " + role(c) + "; the bypass does not change it",
		"On record: this call, its rule and the bypass",
	}
	return joined(lines, maxLine)
}

// withoutBypass says what would have become of a call without the bypass.
func withoutBypass(p *Policy, v Verdict) string {
	mode := cmp.Or(v.Mode, p.Mode)
	switch {
	case mode == Validate:
		return "Let through with a warning without the bypass"
	case v.Would == Ask, mode == Confirm:
		return "A person is asked without the bypass"
	}
	return "Blocked without the bypass"
}

// liftedBy describes a bypass, and says when it ends.
func liftedBy(c Call, v Verdict) string {
	if v.Bypass == ByEnvironment {
		return BypassVariable + "=true in the client's environment, until it is unset and the client is restarted"
	}
	i := slices.IndexFunc(c.Grants, func(g Grant) bool { return g.ID == v.Bypass })
	if i < 0 {
		return "bypass " + v.Bypass
	}
	g, of := c.Grants[i], "every session"
	if g.Session != "" {
		of = "this session"
	}
	return fmt.Sprintf("bypass %s of %s for %s, until %s: %s", g.ID, g.By, of, g.Until.UTC().Format(time.RFC3339),
		g.Reason)
}

// FailureBypassed returns the message where a call could not be judged, and the environment variable let it through in
// a project that would have blocked it.
func FailureBypassed(cause string) string {
	return joined([]string{
		"ORCHESTRATOR BOUNDARY BYPASSED: this call could not be judged, and is let through",
		"Let through by: " + BypassVariable + "=true in the client's environment; without it the call is blocked",
		"Why it could not be judged: " + cause,
		"What helps: a person runs orchestrator boundary doctor, which shows what is wrong",
	}, maxLine*2)
}
