// Package decision reads a change request and decides it.
//
// The service decides with it, and so does the replay of the log, which must come to the same verdict: nothing here
// depends on anything but its arguments. Rights, table and gates are those of package lifecycle; what is added here is
// the reading of the request, the requirement that it is about, and the condition of If-Match.
package decision

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
	"orchestrator/internal/strictjson"
	"orchestrator/internal/system/jsonobject"
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
	Test              *lifecycle.TestRecord       `json:"test"`
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

// Read reads a change request of a role. Its error is of kind Malformed: bytes that are not one JSON object.
// What the schema finds wrong is not an error here but part of the change, since the rules refuse by
// rights and by table before they refuse by schema. A change that the rules refuse by rights is not held
// against the schema at all: it has no more than the names of its members.
func Read(body []byte, role lifecycle.Role) (lifecycle.Change, error) {
	value, err := strictjson.Parse(body)
	if err != nil {
		return lifecycle.Change{}, err
	}
	return changeOf(value, body, role)
}

// ReadRecorded reads a change that the log has, which may hold more values than a request.
func ReadRecorded(body []byte, role lifecycle.Role) (lifecycle.Change, error) {
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
	c.Violations = Limited(violations(object))
	if status, ok := object[lifecycle.FieldStatus].(string); ok && lifecycle.Status(status).Valid() {
		c.Status = lifecycle.Status(status)
	}
	if len(c.Violations) > 0 {
		return c, nil
	}
	if err := fill(&c, object, body); err != nil {
		c.Violations = append(c.Violations, err.Fields...)
	}
	return c, nil
}

func isForbidden(role lifecycle.Role, fields []string) bool {
	return lifecycle.CheckRights(role, fields) != nil
}

// fill reads the members; the schema has accepted them. What a schema calls an integer and Go does not
// (1.0) is refused here.
func fill(c *lifecycle.Change, object map[string]any, body []byte) *fault.Error {
	var w wireChange
	if err := fault.As(strictjson.Fill(body, &w)); err != nil {
		return err
	}
	c.Justification, c.AcceptFingerprint = w.Justification, w.AcceptFingerprint
	c.PMNotes, c.Deviations, c.Approvals = w.PMNotes, w.Deviations, w.Approvals
	c.DesignSpec, c.Implementation = jsonobject.Compact(w.DesignSpec), jsonobject.Compact(w.Implementation)
	c.Names = namesIn(object[lifecycle.FieldImplementation])
	_, c.Test.Sent = object[lifecycle.FieldTest]
	c.Test.Record = w.Test
	return nil
}

// MaxViolations is how many violations an answer and its record list; the rest is counted.
const MaxViolations = 50

// Limited shortens a list of violations to MaxViolations, and says how many more there were.
func Limited(found []fault.Field) []fault.Field {
	if more := len(found) - MaxViolations; more > 0 {
		detail := fmt.Sprintf("and %d more", more)
		if len(found) > schemas.MaxViolations { // where the search for them stopped
			detail = fmt.Sprintf("and at least %d more", more-1)
		}
		found = append(found[:MaxViolations:MaxViolations], fault.Field{Code: "more", Detail: detail})
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
			found = append(found, fault.Field{Pointer: "/" + fault.PointerToken(Quote(name)), Code: "unknown_member",
				Detail: fmt.Sprintf("a change request has no member %q", Quote(name)), Fix: memberHint(name)})
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

// Quote returns the beginning of what a client sent, without secrets, for an error that quotes it.
func Quote(s string) string { return fault.Clip(secret.Mask(s), 128) }

// namesIn lists the files and commits that an implementation names, as evidence. The schema has accepted it.
func namesIn(implementation any) []lifecycle.Citation {
	object, _ := implementation.(map[string]any)
	files, _ := object["files"].([]any)
	commits, _ := object["commits"].([]any)
	if len(files)+len(commits) == 0 {
		return nil
	}
	names := make([]lifecycle.Citation, 0, len(files)+len(commits))
	add := func(under string, i int, e lifecycle.Evidence) {
		pointer := "/" + lifecycle.FieldImplementation + "/" + under + "/" + strconv.Itoa(i)
		names = append(names, lifecycle.Citation{Part: lifecycle.FieldImplementation, Pointer: pointer, Evidence: e})
	}
	for i, each := range files {
		path, _ := each.(string)
		file, is := each.(map[string]any)
		if is {
			path, _ = file["path"].(string)
		}
		lines, _ := file["lines"].(string)
		commit, _ := file["commit"].(string)
		add("files", i, lifecycle.Evidence{Kind: lifecycle.EvidenceFile, Path: path, Lines: lines, Commit: commit})
	}
	for i, each := range commits {
		id, _ := each.(string)
		add("commits", i, lifecycle.Evidence{Kind: lifecycle.EvidenceCommit, Commit: id})
	}
	return names
}
