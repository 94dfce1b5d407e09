package planning

import (
	"fmt"
	"slices"
	"strings"
)

// The roles that differ from the others in what they may have run.
const (
	rolePM     = "pm"
	roleViewer = "viewer"
)

// NotViewer is the precondition of the built-in tools that keep something, which a viewer's run does not.
const NotViewer = `caller.role != "viewer"`

// Reads reports whether obligations of the type change nothing by themselves: they ask, or have something checked.
func (t Type) Reads() bool { return t.Answers() || t == Verify }

// Outside reports whether a tool of the means runs outside of the process.
func (m Means) Outside() bool { return m == Exec || m == HTTP || m == MCP }

// Refuses returns why a caller of a role may not have the tool run for an obligation, or "". Built-in tools look at
// roles themselves, and so does each step of a plan.
//
// Implements: ORC-266, ORC-267
func (c Contract) Refuses(role string, o Obligation) string {
	means := c.Implementation.Means
	switch {
	case role == roleViewer && !o.Type.Reads() && (means != Builtin || slices.Contains(c.Preconditions, NotViewer)):
		return "viewers cannot change anything: use a token of another role"
	case role == roleViewer && means.Outside():
		return "viewers run nothing outside of the service: use a token of another role"
	case len(c.Roles) > 0 && !slices.Contains(c.Roles, role):
		return fmt.Sprintf("%s is for %s: use a token of that role", c.Name, strings.Join(c.Roles, ", "))
	case c.Role != "" && role != c.Role && role != rolePM: // who has agents of every role run
		return "it acts as " + c.Role + ": use a token of that role, or of a pm"
	case c.Role == "" && len(c.Roles) == 0 && means.Outside() && !o.Type.Reads() && role != rolePM:
		return fmt.Sprintf("%s is for pm: it acts, and its contract names no roles", c.Name)
	}
	return ""
}
