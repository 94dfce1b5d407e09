package lifecycle

import (
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// Role is what a credential entitles to. It comes from the token alone.
type Role string

// The four roles of the specification (section 4), and one that only reads.
const (
	PM        Role = "pm"
	Architect Role = "architect"
	Coder     Role = "coder"
	Tester    Role = "tester"
	Viewer    Role = "viewer"
)

// Roles lists every role a token can hold.
func Roles() []Role { return []Role{PM, Architect, Coder, Tester, Viewer} }

// ParseRole accepts exactly the names of Roles; anything else is fault.Invalid.
func ParseRole(s string) (Role, error) {
	if r := Role(s); slices.Contains(Roles(), r) {
		return r, nil
	}
	return "", fault.New(fault.Invalid, "unknown_role", "%q is not a role", s).WithFix("use one of %s", join(Roles()))
}

// Actor is who asks: a name, and the role of the credential it came with.
type Actor struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
}

// The members of a change request.
const (
	FieldStatus            = "status"
	FieldPMNotes           = "pm_notes"
	FieldDeviations        = "deviations"
	FieldApprovals         = "approvals"
	FieldAcceptFingerprint = "accept_fingerprint"
	FieldDesignSpec        = "design_spec"
	FieldImplementation    = "implementation"
	FieldTest              = "test"
	FieldJustification     = "justification"
)

// fieldRights is "Can modify" of section 4, role for role. The transition table gives the tester status
// for its two rows; justification accompanies any change.
var fieldRights = []struct {
	Role   Role
	Fields []string
}{
	{PM, []string{FieldStatus, FieldPMNotes, FieldDeviations, FieldApprovals, FieldAcceptFingerprint, FieldJustification}},
	{Architect, []string{FieldDesignSpec, FieldJustification}},
	{Coder, []string{FieldImplementation, FieldJustification}},
	{Tester, []string{FieldTest, FieldStatus, FieldJustification}},
	{Viewer, nil},
}

// FieldsOf lists the members of a change request that a role may send.
func FieldsOf(role Role) []string {
	for _, r := range fieldRights {
		if r.Role == role {
			return slices.Clone(r.Fields)
		}
	}
	return nil
}

// writersOf lists the roles that may send a member; none for a name that no role may send.
func writersOf(field string) []Role {
	var roles []Role
	for _, r := range fieldRights {
		if slices.Contains(r.Fields, field) {
			roles = append(roles, r.Role)
		}
	}
	return roles
}

// importedFields are the members of a requirement that come from the document or are kept by the
// service. Sending one is an attempt to exceed authority, not a misspelling.
var importedFields = []string{
	"id", "title", "text", "kind", "acceptance", "source", "fingerprint",
	"held_from", "suspect", "retired", "revision", "rechecks", "stamps", "history", "implementation_evidence", "stale", "moved",
	"text_since",
}

// CheckRights refuses every member that the role may not send, all at once. A name that means nothing
// is left to the schema.
func CheckRights(role Role, fields []string) error {
	var wrong []fault.Field
	own := FieldsOf(role)
	for _, name := range fields {
		if slices.Contains(own, name) {
			continue
		}
		writers := writersOf(name)
		switch {
		case len(writers) > 0:
			wrong = append(wrong, fault.Field{Pointer: "/" + name, Code: "field_forbidden",
				Detail: "role " + string(role) + " may not change " + name + "; it belongs to " + join(writers)})
		case slices.Contains(importedFields, name):
			wrong = append(wrong, fault.Field{Pointer: "/" + name, Code: "field_forbidden",
				Detail: name + " comes from the requirement document or is kept by the service; no request changes it"})
		}
	}
	if wrong == nil {
		return nil
	}
	return fault.New(fault.Forbidden, "field_forbidden", "the change names fields that role %s may not change", role).
		WithFields(wrong...).WithFix("%s", rightsFix(role))
}

func rightsFix(role Role) string {
	fields := FieldsOf(role)
	if fields == nil {
		return "role " + string(role) + " only reads; propose the change with a token of the role that owns the field"
	}
	return "send only " + strings.Join(fields, ", ") +
		", and leave the rest to its role; nothing of this request was applied"
}

func join[T ~string](items []T) string {
	words := make([]string, len(items))
	for i, s := range items {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}
