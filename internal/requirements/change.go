package requirements

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// wireChange is a change request as it is sent.
type wireChange struct {
	Status            string                      `json:"status"`
	Justification     *lifecycle.Justification    `json:"justification"`
	AcceptFingerprint string                      `json:"accept_fingerprint"`
	PMNotes           []lifecycle.NewNote         `json:"pm_notes"`
	Deviations        []lifecycle.DeviationChange `json:"deviations"`
	Approvals         []lifecycle.NewApproval     `json:"approvals"`
	DesignSpec        jsontext.Value              `json:"design_spec"`
	Implementation    jsontext.Value              `json:"implementation"`
	Test              jsontext.Value              `json:"test"`
}

// changeMembers are the names a change request may have, for hints.
var changeMembers = func() []string {
	var all []string
	for _, role := range lifecycle.Roles() {
		all = append(all, lifecycle.FieldsOf(role)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}()

// ParseChange reads a change request of a role. Its error is of kind Malformed: bytes that are not one JSON object.
// What the schema finds wrong is not an error here but part of the change, since the rules refuse by
// rights and by table before they refuse by schema. A change that the rules refuse by rights is not held
// against the schema at all: it has no more than the names of its members.
func ParseChange(body []byte, role lifecycle.Role) (lifecycle.Change, error) {
	value, err := strictjson.Parse(body)
	if err != nil {
		return lifecycle.Change{}, err
	}
	return changeOf(value, body, role)
}

// parseRecorded is ParseChange for a change that the log has.
func parseRecorded(body []byte, role lifecycle.Role) (lifecycle.Change, error) {
	value, err := strictjson.ParseUncounted(body)
	if err != nil {
		return lifecycle.Change{}, err
	}
	return changeOf(value, body, role)
}

func changeOf(value any, body []byte, role lifecycle.Role) (lifecycle.Change, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return lifecycle.Change{}, fault.New(fault.Malformed, "json_not_an_object",
			"a change request is one JSON object").
			WithFix(`send an object such as {"implementation":{"summary":"…"}}`)
	}
	c := lifecycle.Change{Fields: slices.Sorted(maps.Keys(object))}
	if isForbidden(role, c.Fields) {
		return c, nil // the rules refuse it for its names alone
	}
	c.Violations = limited(violations(object))
	if status, ok := object[lifecycle.FieldStatus].(string); ok && lifecycle.Status(status).Valid() {
		c.Status = lifecycle.Status(status)
	}
	if len(c.Violations) > 0 {
		return c, nil
	}
	if err := fill(&c, body); err != nil {
		c.Violations = append(c.Violations, err.Fields...)
	}
	return c, nil
}

func isForbidden(role lifecycle.Role, fields []string) bool {
	return lifecycle.CheckRights(role, fields) != nil
}

// fill reads the members; the schema has accepted them. What a schema calls an integer and Go does not
// (1.0) is refused here.
func fill(c *lifecycle.Change, body []byte) *fault.Error {
	var w wireChange
	var refusal *fault.Error
	if err := fault.As(strictjson.Fill(body, &w)); err != nil {
		return err
	}
	c.Justification, c.AcceptFingerprint = w.Justification, w.AcceptFingerprint
	c.PMNotes, c.Deviations, c.Approvals = w.PMNotes, w.Deviations, w.Approvals
	c.DesignSpec, c.Implementation = compact(w.DesignSpec), compact(w.Implementation)
	var names struct {
		Files   []namedFile `json:"files"`
		Commits []string    `json:"commits"`
	}
	if len(c.Implementation) > 0 {
		if err := jsonv2.Unmarshal(c.Implementation, &names); err != nil {
			return fault.New(fault.Invalid, "schema_violation", "the implementation cannot be read").
				WithFields(fault.Field{Pointer: "/implementation", Detail: "files and commits cannot be read"})
		}
	}
	c.Names = namesOf(names.Files, names.Commits)
	if c.Test.Sent = w.Test != nil; c.Test.Sent && w.Test.Kind() != 'n' {
		c.Test.Record = &lifecycle.TestRecord{}
		refusal = fault.As(strictjson.Fill(w.Test, c.Test.Record))
		if refusal != nil {
			for i := range refusal.Fields {
				refusal.Fields[i].Pointer = "/test" + refusal.Fields[i].Pointer
			}
		}
	}
	return refusal
}

// maxViolations is how many an answer and its record list; the rest is counted.
const maxViolations = 50

func limited(found []fault.Field) []fault.Field {
	if more := len(found) - maxViolations; more > 0 {
		detail := fmt.Sprintf("and %d more", more)
		if len(found) > schemas.MaxViolations { // where the search for them stopped
			detail = fmt.Sprintf("and at least %d more", more-1)
		}
		found = append(found[:maxViolations:maxViolations], fault.Field{Code: "more", Detail: detail})
	}
	return found
}

// violations puts a name to every unknown member, where the schema only names the object around it.
func violations(object map[string]any) []fault.Field {
	found := schemas.Violations(schemas.ChangeRequest, object)
	unknown := func(f fault.Field) bool { return f.Pointer == "" && f.Code == schemas.AdditionalProperties }
	if !slices.ContainsFunc(found, unknown) {
		return found
	}
	found = slices.DeleteFunc(found, unknown)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if len(found) > schemas.MaxViolations {
			break
		}
		if !slices.Contains(changeMembers, name) {
			found = append(found, fault.Field{Pointer: "/" + escapePointer(name), Code: "unknown_member",
				Detail: fmt.Sprintf("a change request has no member %q", clip(name)), Fix: memberHint(name)})
		}
	}
	return found
}

func memberHint(name string) string {
	switch folded := strings.ToLower(strings.ReplaceAll(name, "ſ", "s")); {
	case folded == "role" || folded == "actor":
		return "leave it out; the role comes from the token alone"
	case slices.Contains(changeMembers, folded):
		return "did you mean " + folded + "? Names are compared letter by letter"
	}
	return "use " + strings.Join(changeMembers, ", ")
}

// clip keeps what a client chose to send from filling an answer.
func clip(s string) string { return fault.Clip(secret.Mask(s), 128) }

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(name))
}

// compact takes the white space out of a part; it was parsed before.
func compact(raw jsontext.Value) json.RawMessage {
	if raw == nil {
		return nil
	}
	raw = bytes.Clone(raw)
	if err := raw.Compact(); err != nil {
		return nil
	}
	return json.RawMessage(raw)
}
