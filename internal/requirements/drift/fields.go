package drift

import (
	"slices"

	"orchestrator/internal/rules/lifecycle"
)

// The fields of a definition that are compared word by word.
const (
	FieldTitle    = "title"
	FieldText     = "text"
	FieldCriteria = "criteria" // of acceptance, each on a line
	FieldKind     = "kind"
	FieldPriority = "priority"
)

// FieldEdits is what changed in one field of a definition.
type FieldEdits struct {
	Field string
	Edits []Edit
}

// Fields returns what changed between two definitions of a requirement, field by field and word by word; nothing where
// they read the same. A title that was made from the text is left out.
func Fields(before, after lifecycle.Definition) (all []FieldEdits) {
	for _, f := range []struct{ name, old, now string }{
		{FieldTitle, ownTitle(before), ownTitle(after)},
		{FieldText, before.Text, after.Text},
		{FieldCriteria, criteria(before), criteria(after)},
		{FieldKind, before.Kind, after.Kind},
		{FieldPriority, before.Source.Priority, after.Source.Priority},
	} {
		if !slices.Equal(words(f.old), words(f.now)) {
			all = append(all, FieldEdits{f.name, diff(f.old, f.now)})
		}
	}
	return all
}

func ownTitle(d lifecycle.Definition) string {
	if beginsWith(d.Text, d.Title) {
		return ""
	}
	return d.Title
}

func criteria(d lifecycle.Definition) string {
	return wording(lifecycle.Definition{Acceptance: d.Acceptance})
}
