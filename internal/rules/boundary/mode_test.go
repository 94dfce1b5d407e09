package boundary

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func policyIn(mode Mode, paths ...PathMode) *Policy {
	p := DefaultPolicy()
	p.Mode, p.PathModes = mode, paths
	return &p
}

// Verifies: ORC-212
//
// What enforce blocks is asked in confirm, but for what no session may do.
func TestConfirmAsks(t *testing.T) {
	agent := func(agentType string) Call {
		c := edit("a.go")
		c.Actor = Actor{Kind: Agent, Type: agentType}
		return c
	}
	for name, c := range map[string]struct {
		call   Call
		change func(*Policy)
		want   Decision
		rule   string
	}{
		"a write by the main session": {call: edit("a.go"), want: Ask, rule: RuleWrites},
		"an ambiguous one":            {call: Call{Actor: Actor{Kind: Main}, Tool: "Frobnicate"}, want: Ask, rule: RuleAmbiguous},
		"an ambiguous one, accepted": {call: Call{Actor: Actor{Kind: Main}, Tool: "Frobnicate"},
			change: func(p *Policy) { p.Ambiguous = Allow }, want: Allow, rule: RuleAccepted},
		"an agent within its rights": {call: agent("x"), want: Allow, rule: RuleAgent},
		"an agent outside of them": {call: agent("docs"), want: Ask, rule: RuleAgentWrite,
			change: func(p *Policy) { p.Agents = []Rights{{Name: "docs", MayWrite: []string{"docs/**"}}} }},
		"a read":             {call: Call{Actor: Actor{Kind: Main}, Tool: "Read"}, want: Allow, rule: RuleReads},
		"the policy itself":  {call: edit(".orchestrator/boundary/policy.json"), want: Block, rule: RuleProtected},
		"a token":            {call: Call{Actor: Actor{Kind: Main}, Tool: "Read", Targets: []Target{file(".orchestrator/tokens/pm.token")}}, want: Block, rule: RuleSecret},
		"a write, bypassed":  {call: lifted(edit("a.go")), want: Allow, rule: RuleWrites},
		"where paths may be": {call: edit("scratch/a"), want: Allow, rule: RuleExempt},
	} {
		t.Run(name, func(t *testing.T) {
			p := policyIn(Confirm)
			if c.change != nil {
				c.change(p)
			}
			v := Judge(p, c.call)
			require.Equal(t, c.want, v.Decision)
			require.Equal(t, c.rule, v.Rule)
			require.Empty(t, v.Mode, "it is the project's")
			p.Mode = Enforce
			require.Equal(t, v.Would, Judge(p, c.call).Would, "what enforce would make of it does not change")
		})
	}
}

func edit(path string) Call {
	return Call{Actor: Actor{Kind: Main}, Tool: "Edit", Targets: []Target{file(path)}}
}

func lifted(c Call) Call { c.BypassEnv = "true"; return c }

// Verifies: ORC-213
func TestModesOfPaths(t *testing.T) {
	lax, strict, asking := PathMode{[]string{"docs/**"}, Validate}, PathMode{[]string{"src/**"}, Enforce}, PathMode{[]string{"src/gen/**"}, Confirm}
	unknown := func(path string) Target { return Target{Path: path, Unknown: true} }
	for name, c := range map[string]struct {
		policy  *Policy
		targets []Target
		want    Mode
	}{
		"of no file, the project's":          {policyIn(Confirm, lax, strict), nil, Confirm},
		"of another file, the project's":     {policyIn(Confirm, lax, strict), []Target{file("main.go")}, Confirm},
		"laxer than the project":             {policyIn(Enforce, lax), []Target{file("docs/a.md")}, Validate},
		"stricter than the project":          {policyIn(Validate, strict), []Target{file("src/a.go")}, Enforce},
		"the strictest of several":           {policyIn(Validate, lax, strict), []Target{file("docs/a.md"), file("src/a.go")}, Enforce},
		"a lax file and one of the project":  {policyIn(Enforce, lax), []Target{file("docs/a.md"), file("main.go")}, Enforce},
		"the first that matches":             {policyIn(Validate, asking, strict), []Target{file("src/gen/a.go")}, Confirm},
		"the first, although a later is lax": {policyIn(Validate, strict, asking), []Target{file("src/gen/a.go")}, Enforce},
		"where its links lead, too":          {policyIn(Validate, lax, strict), []Target{{Path: "docs/a.md", Real: "src/a.go"}}, Enforce},
		"a lax place through a link":         {policyIn(Enforce, lax), []Target{{Path: "a.md", Real: "docs/a.md"}}, Enforce},
		"a folder above stricter files":      {policyIn(Validate, lax, strict), []Target{file("src")}, Enforce},
		"the folder above all":               {policyIn(Validate, lax, strict), []Target{file(".")}, Enforce},
		"an unfinished name":                 {policyIn(Validate, lax, strict), []Target{unknown("sr")}, Enforce},
		"an unfinished name elsewhere":       {policyIn(Validate, lax, strict), []Target{unknown("lib/")}, Validate},
		"nothing known, lax":                 {policyIn(Enforce, lax), []Target{unknown("")}, Enforce},
		"nothing known, stricter":            {policyIn(Validate, strict), []Target{unknown("")}, Enforce},
		"off is off":                         {policyIn(Off, strict), []Target{file("src/a.go")}, Off},
	} {
		require.Equal(t, c.want, c.policy.ModeOf(c.targets), name)
	}

	v := Judge(policyIn(Enforce, lax), edit("docs/a.md"))
	require.Contains(t, Message(policyIn(Enforce, lax), edit("docs/a.md"), v), "Phase: validate: this call is let through")
	require.Equal(t, []any{Warn, Block, Validate}, []any{v.Decision, v.Would, v.Mode})
	v = Judge(policyIn(Validate, strict), edit("src/a.go"))
	require.Equal(t, []any{Block, Block, Enforce}, []any{v.Decision, v.Would, v.Mode})
	all := PathMode{[]string{"**"}, Validate}
	v = Judge(policyIn(Enforce, all), edit(".orchestrator/boundary/policy.json"))
	require.Equal(t, Block, v.Decision, "what no session may do is not loosened")
	v = Judge(policyIn(Validate, PathMode{[]string{"**"}, Enforce}), edit(".orchestrator/boundary/policy.json"))
	require.Equal(t, Block, v.Decision, "and made stricter where the policy says so")
}

func TestModesOfPathsAreChecked(t *testing.T) {
	for pointer, wrong := range map[string]PathMode{
		"/path_modes/0/mode":    {[]string{"a"}, Off},
		"/path_modes/0/paths":   {nil, Enforce},
		"/path_modes/0/paths/0": {[]string{"../a"}, Enforce},
	} {
		var f *fault.Error
		require.True(t, errors.As(policyIn(Validate, wrong).Check(), &f), pointer)
		require.Equal(t, pointer, f.Fields[0].Pointer)
	}
	require.NoError(t, policyIn(Validate, PathMode{[]string{"a"}, Confirm}).Check())
	for mode, blocks := range map[Mode]bool{Off: false, Validate: false, Confirm: true, Enforce: true} {
		require.Equal(t, blocks, mode.Blocks(), mode)
	}
}
