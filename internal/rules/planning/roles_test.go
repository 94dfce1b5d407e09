package planning

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-266, ORC-267
func TestWhoMayHaveAToolRun(t *testing.T) {
	roles := []string{"pm", "architect", "coder", "tester", "viewer"}
	report, achieve := Obligation{Type: Report}, Obligation{Type: Achieve}
	for name, c := range map[string]struct {
		of      Contract
		o       Obligation
		allowed []string
		why     string // for a coder or, where that may, for a viewer
	}{
		"a program that reads":          {Contract{Implementation: Implementation{Means: Exec}}, report, roles[:4], "viewers run nothing outside of the service"},
		"a check":                       {Contract{Implementation: Implementation{Means: MCP}}, Obligation{Type: Verify}, roles[:4], "viewers run nothing outside of the service"},
		"a program that acts":           {Contract{Name: "a.b", Implementation: Implementation{Means: Exec}}, achieve, roles[:1], "a.b is for pm: it acts, and its contract names no roles"},
		"a service that acts":           {Contract{Implementation: Implementation{Means: HTTP}}, Obligation{Type: Schedule}, roles[:1], "its contract names no roles"},
		"a program that names roles":    {Contract{Name: "a.b", Roles: []string{"coder", "tester"}, Implementation: Implementation{Means: Exec}}, achieve, roles[2:4], "viewers cannot change anything"},
		"one that reads and names them": {Contract{Name: "a.b", Roles: []string{"architect", "pm"}, Implementation: Implementation{Means: MCP}}, report, roles[:2], "a.b is for architect, pm: use a token of that role"},
		"a viewer that is named":        {Contract{Roles: roles, Implementation: Implementation{Means: HTTP}}, report, roles[:4], "viewers run nothing outside of the service"},
		"a built-in tool":               {Contract{Implementation: Implementation{Means: Builtin}}, achieve, roles, ""},
		"a built-in tool that keeps":    {Contract{Implementation: Implementation{Means: Builtin}, Preconditions: []string{NotViewer}}, achieve, roles[:4], "viewers cannot change anything: use a token of another role"},
		"a built-in tool, restricted":   {Contract{Name: "a.b", Roles: []string{"viewer"}, Implementation: Implementation{Means: Builtin}}, report, roles[4:], "a.b is for viewer"},
		"a plan that reads":             {Contract{Implementation: Implementation{Means: Steps}}, report, roles, ""},
		"a plan that acts":              {Contract{Implementation: Implementation{Means: Steps}}, achieve, roles[:4], "viewers cannot change anything"},
		"a plan of a role":              {Contract{Name: "a.b", Roles: []string{"pm"}, Implementation: Implementation{Means: Steps}}, achieve, roles[:1], "a.b is for pm: use"},
		"an agent":                      {Contract{Role: "architect", Implementation: Implementation{Means: Exec}}, achieve, roles[:2], "it acts as architect: use a token of that role, or of a pm"},
		"an agent for the pm alone":     {Contract{Name: "a.b", Role: "coder", Roles: []string{"pm"}, Implementation: Implementation{Means: Exec}}, achieve, roles[:1], "a.b is for pm"},
		"an agent for others":           {Contract{Role: "pm", Roles: []string{"coder"}, Implementation: Implementation{Means: Exec}}, achieve, nil, "it acts as pm"},
	} {
		t.Run(name, func(t *testing.T) {
			var allowed []string
			for _, role := range roles {
				if c.of.Refuses(role, c.o) == "" {
					allowed = append(allowed, role)
				}
			}
			require.Equal(t, c.allowed, allowed)
			why := c.of.Refuses("coder", c.o)
			if why == "" {
				why = c.of.Refuses("viewer", c.o)
			}
			require.Contains(t, why, c.why)
			require.Equal(t, c.why == "", why == "")
		})
	}
}
