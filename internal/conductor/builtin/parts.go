package builtin

import (
	"context"
	"slices"
	"strings"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// CodeNotShown is that of an obligation which the store does not show as met.
const CodeNotShown fault.Code = "not_shown"

// Parts are the members of a change as they are stored, as JSON is read, by their names.
type Parts map[string]any

// notShown says what the store does not show.
func notShown(id, what string) error {
	return fault.New(fault.Conflict, CodeNotShown, "the store does not show %s of %s", what, id).
		WithFix("look at the requirement, and send the change again")
}

// signoff is the part that approvals make up.
const signoff = "signoff"

// partOf names the part of the work that an obligation is about, and the member of a change that has it.
func partOf(o planning.Obligation) (part, member string) {
	part = strings.TrimPrefix(o.Kind(), "requirement.")
	if part == signoff {
		return part, lifecycle.FieldApprovals
	}
	return part, part
}

// standing checks that the part of the work that an obligation is about stands as it was left: there or, where the
// payload clears it or rejects the work, gone.
//
// Implements: ORC-284
func standing(o planning.Obligation, now Requirement) error {
	part, member := partOf(o)
	if part == lifecycle.FieldStatus || part == lifecycle.FieldAcceptFingerprint {
		return nil // which other conditions are about
	}
	given, has := o.Payload[member]
	gone := has && given == nil
	if list, is := given.([]any); is && part == signoff && len(list) > 0 {
		last, _ := list[len(list)-1].(map[string]any)
		gone = last["decision"] == lifecycle.Rejected
	}
	if slices.Contains(now.Parts, part) == gone {
		if gone {
			return notShown(now.ID, "that there is no "+part)
		}
		return notShown(now.ID, "a "+part)
	}
	return nil
}

// shown looks up whether the store shows what a change was to bring about: the requirement and, in each part that the
// payload gives, what it gives.
func (p project) shown(ctx context.Context, c Call) (map[string]any, error) {
	now, err := p.Requirement(ctx, c.text("id"))
	result, _, err := noEffects(now, err)
	if err == nil {
		err = standing(c.Obligation, now)
	}
	if err != nil {
		return nil, err
	}
	stored, err := p.Stored(ctx, now.ID)
	if err != nil {
		return nil, state.WithFields(err)
	}
	if member := differing(c.Obligation.Payload, stored, c.Caller); member != "" {
		return nil, notShown(now.ID, "this "+member)
	}
	return result, nil
}

// partsOfWork are replaced whole.
var partsOfWork = []string{lifecycle.FieldDesignSpec, lifecycle.FieldImplementation, lifecycle.FieldTest}

// differing returns the first member of a change that is not stored as it was given; "" where all are. Notes and
// deviations are appended to others; the approvals that count are the last ones of the caller.
func differing(given planning.Inputs, stored Parts, caller audit.Actor) string {
	for _, member := range partsOfWork {
		if value, has := given[member]; has && !within(value, stored[member]) {
			return member
		}
	}
	for _, member := range []string{lifecycle.FieldPMNotes, lifecycle.FieldDeviations} {
		list, _ := stored[member].([]any)
		for _, one := range items(given[member]) {
			if !slices.ContainsFunc(list, func(is any) bool { return within(one, is) }) {
				return member
			}
		}
	}
	decided := slices.DeleteFunc(items(stored[lifecycle.FieldApprovals]), func(one any) bool {
		a, _ := one.(map[string]any)
		return a["by"] != caller.Name || a["role"] != caller.Role
	})
	wanted := items(given[lifecycle.FieldApprovals])
	if len(wanted) > len(decided) || !within(wanted, decided[len(decided)-len(wanted):]) {
		return lifecycle.FieldApprovals
	}
	if text, has := given[lifecycle.FieldAcceptFingerprint]; has && text != stored[lifecycle.FieldAcceptFingerprint] {
		return lifecycle.FieldAcceptFingerprint
	}
	return ""
}

// items returns a copy of a list; none where it is something else.
func items(v any) []any {
	list, _ := v.([]any)
	return slices.Clone(list)
}

// within reports whether a value has all that was given; what is stored may say more, such as who wrote it.
func within(given, stored any) bool {
	switch given := given.(type) {
	case map[string]any:
		object, is := stored.(map[string]any)
		for name, value := range given {
			if is = is && within(value, object[name]); !is {
				return false
			}
		}
		return is
	case []any:
		list, is := stored.([]any)
		is = is && len(list) == len(given)
		for i := 0; is && i < len(given); i++ {
			is = within(given[i], list[i])
		}
		return is
	}
	return state.Equal(given, stored)
}
