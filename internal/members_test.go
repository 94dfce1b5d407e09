package layout_test

import (
	"encoding/json"
	"go/ast"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/api"
)

// answerTypes are the types whose members the answers of each operation have.
var answerTypes = map[string][]string{
	"GET /":                          {"httpapi/front.page"},
	"GET /audit":                     {"httpapi.logPage"},
	"GET /audit/proof/consistency":   {"ledger/audit.Consistency"},
	"GET /audit/proof/inclusion":     {"ledger/audit.Inclusion"},
	"GET /audit/records/{index}":     {"ledger/audit.Record"},
	"GET /boundary/decisions":        {"httpapi/guarding.decisionPage"},
	"GET /boundary/readiness":        {"boundary/report.Readiness"},
	"GET /boundary/report":           {"boundary/report.Report"},
	"GET /forms":                     {"httpapi/spoken.Forms"},
	"GET /healthz":                   {"httpapi.health"},
	"GET /livez":                     {"httpapi.health"},
	"GET /next":                      {"httpapi/reading.agendaPage"},
	"GET /obligations":               {"httpapi.runPage"},
	"GET /obligations/{run}":         {"conductor.RunSummary"},
	"GET /project":                   {"requirements/projection.FileHead"},
	"GET /project/import":            {"requirements.LastImport"},
	"GET /project/progress":          {"requirements/progress.Progress"},
	"GET /project/renames":           {"rules/renaming.Proposals"},
	"GET /project/review":            {"requirements/review.Project"},
	"GET /readyz":                    {"httpapi.health"},
	"GET /requirements":              {"httpapi/reading.listPage"},
	"GET /requirements/{id}":         {"rules/lifecycle.Requirement"},
	"GET /requirements/{id}/history": {"httpapi.logPage"},
	"GET /requirements/{id}/next":    {"requirements/guidance.View"},
	"GET /requirements/{id}/review":  {"requirements/review.Dossier"},
	"GET /schedules":                 {"httpapi/scheduling.page"},
	"GET /schedules/{schedule}":      {"conductor/state.Schedule"},
	"GET /traces/{run}":              {"conductor/trace.Trace"},
	"GET /usage":                     {"httpapi/accounting.page"},
	"GET /version":                   {"httpapi.Version", "httpapi.replicaVersion"},
	"GET /workflow":                  {"httpapi/changing.workflow"},
	"DELETE /schedules/{schedule}":   {"conductor/state.Schedule"},
	"PATCH /requirements/{id}": {
		"rules/lifecycle.Requirement", "requirements/guidance.Outcome", "httpapi/changing.unchanged",
	},
	"POST /boundary/attestations":         {"rules/boundary.Attestation"},
	"POST /drive":                         {"conductor/drive.Report", "httpapi.drivePlan"},
	"POST /drive application/x-ndjson":    {"conductor/drive.Event"},
	"POST /obligations":                   {"conductor/trace.Trace", "conductor.Plan"},
	"POST /obligations/{run}/answers":     {"conductor/trace.Trace"},
	"POST /project/import":                {"httpapi/changing.imported"},
	"POST /project/renames":               {"requirements/renames.Done"},
	"POST /requests":                      {"conductor/trace.Trace"},
	"POST /requirements/{id}/claim":       {"httpapi.claimed"},
	"POST /requirements/{id}/test-report": {"httpapi/changing.attached"},
	"PUT /boundary/mode":                  {"boundary/control.ModeSwitched"},
	"problems":                            {"httpapi/problem.Problem"},
	"PUT /workflow":                       {"httpapi/changing.workflowSwitched"},
}

// shapeless are the operations whose answers have the members of what was stored, of a schema, of a page for people, or
// of another protocol.
var shapeless = []string{
	"GET /audit/blobs/{sha256}", "GET /openapi.json", "GET /problems", "GET /problems/{code}", "GET /schemas/{name}",
	"GET /tools", "POST /mcp",
}

// toldAs are the types that an answer has in another form.
var toldAs = map[string]string{"fault.Error": "httpapi/problem.Problem"}

// elsewhere are members of types that an answer does not have there, and why.
var elsewhere = map[string]string{
	"example.justification.evidence[].found": "an example is a body to send; the service finds what is cited",
	"example.test.evidence[].found":          "an example is a body to send; the service finds what is cited",
	"example.test.results.run":               "an example is a body to send; the service counts the tests",
	"forms[].obligation.name":                "a sentence gives no name",
	"obligations[].refusal.instance":         "the same run is told alike each time",
	"runs[].error.refusal":                   "it is told as the refusal of the obligation",
}

// TestEveryMemberOfAnAnswerIsInTheContract: the schemas of answers are closed, so a member that is rare, and is missing
// from its schema, breaks the clients that check answers.
//
// Verifies: ORC-031
func TestEveryMemberOfAnAnswerIsInTheContract(t *testing.T) {
	declared, written := answersInSource(t)
	c := &contract{declared: declared, missing: map[string]bool{}}
	require.NoError(t, json.Unmarshal(api.OpenAPIJSON, &c.root))
	listed := map[string]bool{}
	for operation, schema := range c.answers() {
		if slices.Contains(shapeless, operation) {
			continue
		}
		require.NotEmpty(t, answerTypes[operation], "name the types of the answer of %s", operation)
		for _, name := range answerTypes[operation] {
			require.NotNil(t, declared[name], "%s does not exist", name)
			listed[name] = true
			c.lacking(declared[name], []any{schema}, operation)
		}
	}
	for name := range written {
		require.True(t, listed[name], "%s is written as an answer, of which operation?", name)
	}
	for end, why := range elsewhere {
		n := len(c.missing)
		maps.DeleteFunc(c.missing, func(at string, _ bool) bool { return strings.HasSuffix(at, "."+end) })
		require.Less(t, len(c.missing), n, "%s is not there any more: %s", end, why)
	}
	require.Empty(t, slices.Sorted(maps.Keys(c.missing)), "add these members to api/openapi.yaml")
}

// answersInSource returns all types of the module by their names, and the names of those that are written as answers.
func answersInSource(t *testing.T) (declared map[string]types.Type, written map[string]bool) {
	declared, written = map[string]types.Type{}, map[string]bool{}
	for _, p := range typedPackages(t) {
		for _, name := range p.Types.Scope().Names() {
			if tn, is := p.Types.Scope().Lookup(name).(*types.TypeName); is {
				declared[nameOf(tn.Type())] = tn.Type()
			}
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is {
					return true
				}
				called, is := call.Fun.(*ast.SelectorExpr)
				if !is || called.Sel.Name != "WriteJSON" || len(call.Args) != 3 {
					return true
				}
				if of := p.TypesInfo.TypeOf(call.Args[2]); !types.IsInterface(of) {
					written[nameOf(of)] = true
				}
				return true
			})
		}
	}
	require.Greater(t, len(written), 20)
	return declared, written
}

// nameOf returns the name of a type of the module, with its package below internal.
func nameOf(of types.Type) string { return strings.TrimPrefix(of.String(), module+"/internal/") }

// contract is api/openapi.json, which has everything in one document, and what types have and it has not.
type contract struct {
	root     map[string]any
	declared map[string]types.Type
	within   []types.Type // that are being looked at
	missing  map[string]bool
}

// answers returns the schemas of the answers in JSON, by operation; those in lines also by their media type. Problems are
// the answers of all that fails.
func (c *contract) answers() map[string]any {
	all := map[string]any{"problems": map[string]any{"$ref": "#/components/schemas/Problem"}}
	for path, operations := range c.root["paths"].(map[string]any) {
		for method, operation := range operations.(map[string]any) {
			operation, is := operation.(map[string]any)
			if !is {
				continue // parameters of all operations of the path
			}
			answer := c.resolve(operation["responses"].(map[string]any)["200"])
			content, _ := answer["content"].(map[string]any)
			for mediaType, one := range content {
				switch name := strings.ToUpper(method) + " " + path; {
				case mediaType == "application/json", strings.HasSuffix(mediaType, "+json"):
					all[name] = one.(map[string]any)["schema"]
				case strings.HasSuffix(mediaType, "json"): // in lines
					all[name+" "+mediaType] = one.(map[string]any)["schema"]
				}
			}
		}
	}
	return all
}

// resolve follows references.
func (c *contract) resolve(node any) map[string]any {
	object, _ := node.(map[string]any)
	for object["$ref"] != nil {
		var at any = c.root
		for _, name := range strings.Split(object["$ref"].(string), "/")[1:] {
			at = at.(map[string]any)[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
		object = at.(map[string]any)
	}
	return object
}

// variants returns schemas with all that they are put together of.
func (c *contract) variants(of []any) (all []map[string]any) {
	for _, node := range of {
		object := c.resolve(node)
		all = append(all, object)
		for _, word := range []string{"allOf", "anyOf", "oneOf"} {
			parts, _ := object[word].([]any)
			all = append(all, c.variants(parts)...)
		}
		for _, word := range []string{"if", "then", "else"} {
			if object[word] != nil {
				all = append(all, c.variants([]any{object[word]})...)
			}
		}
	}
	return all
}

// lacking notes the members of a type, and of what is in it, that schemas do not have.
func (c *contract) lacking(of types.Type, schemas []any, at string) {
	all := c.variants(schemas)
	if told := toldAs[nameOf(of)]; told != "" {
		of = c.declared[told]
	}
	if slices.Contains(c.within, of) || encodesItself(of) || slices.ContainsFunc(all, isOpen) {
		return
	}
	c.within = append(c.within, of)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	switch u := of.Underlying().(type) {
	case *types.Pointer:
		c.lacking(u.Elem(), schemas, at)
	case *types.Slice:
		c.lacking(u.Elem(), under(all, "items"), at+"[]")
	case *types.Map:
		c.lacking(u.Elem(), under(all, "additionalProperties"), at+"{}")
	case *types.Struct:
		for name, field := range members(u) {
			described := property(all, name)
			if len(described) == 0 {
				c.missing[at+"."+name] = true
				continue
			}
			c.lacking(field, described, at+"."+name)
		}
	}
}

// isOpen reports whether a schema lets any member be.
func isOpen(schema map[string]any) bool {
	_, names := schema["properties"]
	_, closed := schema["additionalProperties"]
	return schema["type"] == "object" && !names && !closed && schema["allOf"] == nil && schema["anyOf"] == nil
}

// under returns what stands under a word in any of the schemas.
func under(schemas []map[string]any, word string) (found []any) {
	for _, s := range schemas {
		if node, is := s[word].(map[string]any); is {
			found = append(found, node)
		}
	}
	return found
}

// property returns the schemas of a member in any of the schemas.
func property(schemas []map[string]any, name string) (found []any) {
	for _, properties := range under(schemas, "properties") {
		if p, is := properties.(map[string]any)[name]; is {
			found = append(found, p)
		}
	}
	return found
}

// members returns the members that the JSON of a struct has, with those of what is embedded. An outer member hides an
// inner one.
func members(of *types.Struct) map[string]types.Type {
	all := map[string]types.Type{}
	for i := range of.NumFields() {
		field := of.Field(i)
		name, _, _ := strings.Cut(reflect.StructTag(of.Tag(i)).Get("json"), ",")
		switch {
		case name == "-" || !field.Exported() && !field.Embedded():
		case field.Embedded() && name == "":
			inner := field.Type()
			if p, is := inner.Underlying().(*types.Pointer); is {
				inner = p.Elem()
			}
			for name, member := range members(inner.Underlying().(*types.Struct)) {
				if all[name] == nil {
					all[name] = member
				}
			}
		case name == "":
			all[field.Name()] = field.Type()
		default:
			all[name] = field.Type()
		}
	}
	return all
}

// encodesItself reports whether a type has its own form in JSON.
func encodesItself(of types.Type) bool {
	methods := types.NewMethodSet(types.NewPointer(of))
	for _, name := range []string{"MarshalJSON", "MarshalJSONTo", "MarshalText", "AppendText"} {
		if methods.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}
