package language

import (
	"slices"
	"strings"
	"time"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// Known is a form that the grammar understands: an example with the obligation that it makes, all ways to say it, and
// the roles that may have it done.
type Known struct {
	Example    string              `json:"example"`
	Says       []string            `json:"says"` // [may be missing], (one|of|these), VALUES in capitals
	Obligation planning.Obligation `json:"obligation"`
	Roles      []lifecycle.Role    `json:"roles"`
}

// Forms lists all forms, first those that ask, then those that bring something about. Days in the examples are those of
// now.
//
// Implements: ORC-262
func Forms(now time.Time) []Known {
	all := make([]Known, len(forms))
	for i := range forms {
		f := &forms[i]
		found, _ := match(f.Examples[0], now)
		all[i] = Known{Example: f.Examples[0], Obligation: found[0].obligation, Roles: f.roles(found[0].obligation)}
		for _, say := range f.Say {
			all[i].Says = append(all[i].Says, shown(say))
		}
	}
	return all
}

// Filters lists the clauses that FILTERS in a form stands for.
func Filters() []string {
	all := make([]string, len(clauses))
	for i, say := range clauses {
		all[i] = shown(say)
	}
	return all
}

// roles returns the roles that may have done what a form says, by the rules that decide changes.
func (f *form) roles(o planning.Obligation) []lifecycle.Role {
	return slices.DeleteFunc(lifecycle.Roles(), func(role lifecycle.Role) bool {
		switch {
		case f.Type.Reads():
			return false
		case !strings.HasPrefix(f.Kind, "requirement."):
			return role == lifecycle.Viewer // who leaves nothing behind
		}
		return !mayChange(role, o.Payload, strings.Contains(f.Say[0], "{status}"))
	})
}

// mayChange reports whether a role may send the members of a change, and make its move; of any status where that is
// open.
func mayChange(role lifecycle.Role, payload map[string]any, anyStatus bool) bool {
	for member := range payload {
		if member != "kind" && member != "id" && !slices.Contains(lifecycle.FieldsOf(role), member) {
			return false
		}
	}
	status, moves := payload["status"].(string)
	return !moves || slices.ContainsFunc(lifecycle.Rework.Transitions(), func(row lifecycle.Transition) bool {
		return row.By == role && (anyStatus || row.To == lifecycle.Status(status))
	})
}
