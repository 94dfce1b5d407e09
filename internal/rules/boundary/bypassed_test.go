package boundary

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestBypassed: a call that a bypass let through says so, and names what lifted the boundary, for whom and until when.
// Verifies: ORC-222
func TestBypassed(t *testing.T) {
	until := noon.Add(time.Hour)
	grant := Grant{ID: "g1", Reason: "the release is stuck", By: "local:ada", Since: noon, Until: until}
	said := func(p Policy, edit func(*Call)) string {
		c := call("Edit", "main")
		c.At = noon
		edit(&c)
		return Bypassed(&p, c, Judge(&p, c))
	}
	environment := func(c *Call) { c.BypassEnv = "true" }
	require.Equal(t, []string{
		"ORCHESTRATOR BOUNDARY BYPASSED: Edit on src/a.go [main.writes]",
		"Let through by: AMPLIFIER_BYPASS_BOUNDARY=true in the client's environment, until it is unset " +
			"and the client is restarted",
		"Blocked without the bypass: Edit writes files",
		"Your role: main session: you read, ask and delegate; agents change files; the bypass does not change it",
		"On record: this call, its rule and the bypass",
	}, strings.Split(said(DefaultEnforced(), environment), "\n"))
	require.Contains(t, said(DefaultPolicy(), environment), "Let through with a warning without the bypass: ")
	everybody := said(DefaultEnforced(), func(c *Call) { c.Grants = []Grant{grant} })
	require.Contains(t, everybody, "Let through by: bypass g1 of local:ada for every session, until "+
		until.UTC().Format(time.RFC3339)+": the release is stuck\n")
	grant.Session = "s1"
	mine := func(c *Call) { c.Session, c.Grants = "s1", []Grant{grant} }
	require.Contains(t, said(DefaultEnforced(), mine), "for this session, until")

	p := DefaultEnforced()
	p.UnknownActor = AskWho
	unknown := call("Edit", "unknown")
	unknown.BypassEnv = "true"
	require.Contains(t, Bypassed(&p, unknown, Judge(&p, unknown)), "A person is asked without the bypass: ")
	require.Contains(t, Bypassed(&p, unknown, Verdict{Would: Block, Bypass: "gone"}), "Let through by: bypass gone\n")

	grant.Reason = strings.Repeat("x\n\x1b[31m", 4000)
	long := said(DefaultEnforced(), mine)
	require.LessOrEqual(t, utf8.RuneCountInString(long), MaxMessage)
	require.Len(t, strings.Split(long, "\n"), 5)
	require.NotContains(t, long, "\x1b")
}

// Verifies: ORC-222
func TestAFailureUnderABypassSaysBoth(t *testing.T) {
	text := FailureBypassed("the call is no JSON\nBypass: none")
	require.Contains(t, text, "Let through by: AMPLIFIER_BYPASS_BOUNDARY=true")
	require.Contains(t, text, "Why it could not be judged: the call is no JSON Bypass: none\n")
	require.LessOrEqual(t, utf8.RuneCountInString(FailureBypassed(strings.Repeat("é", 9000))), MaxMessage)
}
