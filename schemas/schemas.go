// Package schemas holds the JSON Schemas (draft 2020-12) of everything that enters or leaves the service.
// They are embedded, compiled once, and never loaded from anywhere else.
package schemas

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"orchestrator/internal/fault"
)

//go:embed *.schema.json
var files embed.FS

// The schemas by what they describe.
const (
	ChangeRequest = "change_request.schema.json"
	Requirement   = "requirement.schema.json"
	Project       = "project.schema.json"
	Problem       = "problem.schema.json"
	AuditRecord   = "audit_record.schema.json"
	Witness       = "witness.schema.json"

	BoundaryPolicy = "boundary_policy.schema.json"

	Tool        = "tool.schema.json"
	Obligations = "obligations.schema.json"
	Trace       = "trace.schema.json"
	Drive       = "drive.schema.json"
)

const base = "orchestrator:///"

// Files are the schemas as they are served.
func Files() fs.FS { return files }

// compiled are the schemas, each compiled when it is first asked for: a start waits for those alone that it needs.
var compiled = map[string]func() *parts{}

func init() {
	for _, name := range []string{ChangeRequest, Requirement, Project, Problem, AuditRecord, Witness, BoundaryPolicy,
		Tool, Obligations, Trace, Drive} {
		compiled[name] = sync.OnceValue(func() *parts {
			c := jsonschema.NewCompiler()
			c.DefaultDraft(jsonschema.Draft2020)
			c.AssertFormat()
			c.UseLoader(embedded{})
			if err := c.AddResource(base+name, inlined(name, document(name))); err != nil {
				panic(err) // the files are embedded
			}
			return partsOf(c.MustCompile(base + name))
		})
	}
}

// embedded loads nothing: all there is was added.
type embedded struct{}

func (embedded) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not embedded, and nothing is loaded from elsewhere", url)
}

var document = documents()

// documents reads each file once, whoever asks.
func documents() func(name string) map[string]any {
	var one sync.Mutex
	read := map[string]map[string]any{}
	return func(name string) map[string]any {
		one.Lock()
		defer one.Unlock()
		if read[name] == nil {
			b, err := files.ReadFile(name)
			var d map[string]any
			if err = cmp.Or(err, json.Unmarshal(b, &d)); err != nil {
				panic(err) // the files are embedded
			}
			read[name] = d
		}
		return read[name]
	}
}

// inlined is a schema with every $ref replaced by what it refers to: a $ref costs as much to validate as
// another level of the document. No schema here refers to itself.
func inlined(file string, node any) any {
	switch n := node.(type) {
	case []any:
		out := make([]any, len(n))
		for i := range n {
			out[i] = inlined(file, n[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(n))
		if ref, ok := n["$ref"].(string); ok {
			where, target := resolve(file, ref)
			maps.Copy(out, inlined(where, target).(map[string]any))
		}
		for key, value := range n {
			if key != "$ref" {
				out[key] = merged(out[key], inlined(file, value))
			}
		}
		return out
	}
	return node
}

// merged joins what stands beside a $ref with what the $ref brought: properties with properties, lists of
// required names with one another. Anything else stands for itself.
func merged(brought, own any) any {
	switch b := brought.(type) {
	case map[string]any:
		if o, ok := own.(map[string]any); ok {
			both := maps.Clone(b)
			maps.Copy(both, o)
			return both
		}
	case []any:
		if o, ok := own.([]any); ok {
			return slices.Concat(b, o)
		}
	}
	return own
}

// resolve finds the target of a $ref: "file#/a/b", or "#/a/b" in the same file, or a whole file.
func resolve(file, ref string) (string, any) {
	name, pointer, _ := strings.Cut(ref, "#")
	name = cmp.Or(name, file)
	var target any = document(name)
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part != "" {
			target = target.(map[string]any)[part]
		}
	}
	return name, target
}

// Violations holds a value (decoded with json.Number for numbers, all of them bounded) against a schema.
// It returns one field per thing that is wrong, ordered by pointer; nil when nothing is. Code is the
// schema keyword that was violated. It stops after MaxViolations, and says in a last field that there are more.
func Violations(schema string, value any) []fault.Field {
	return compiled[schema]().violations(schema, value)
}

// violations are those of a value against the schema of a name.
func (p *parts) violations(name string, value any) []fault.Field {
	f := finding{name: name, small: smallValue}
	f.check("", p, value)
	found := inOrder(f.found)
	if len(found) > MaxViolations {
		found = append(found[:MaxViolations:MaxViolations], fault.Field{Code: "more", Detail: "there are more"})
	}
	return found
}

// fieldsOf are the parts of the library's error; name is what was validated against.
func fieldsOf(name string, err error) []fault.Field {
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []fault.Field{{Detail: fmt.Sprintf("cannot be checked against %s: %v", name, err)}}
	}
	var found []fault.Field
	collect(invalid, &found)
	return inOrder(found)
}

// inOrder sorts violations by pointer, and leaves out what stands there twice.
func inOrder(found []fault.Field) []fault.Field {
	slices.SortFunc(found, func(a, b fault.Field) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Code, b.Code),
			strings.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(found)
}

// collect keeps the leaves: what stands above them only says that something below is wrong.
func collect(e *jsonschema.ValidationError, found *[]fault.Field) {
	if len(e.Causes) == 0 {
		*found = append(*found, field(e))
	}
	for _, cause := range e.Causes {
		collect(cause, found)
	}
}

func field(e *jsonschema.ValidationError) fault.Field {
	f := fault.Field{Pointer: pointer(e.InstanceLocation)}
	switch k := e.ErrorKind.(type) {
	case *kind.FalseSchema: // a member of another kind
		f.Code, f.Detail = "not_allowed", "this member does not belong here"
	case *kind.AdditionalProperties: // which it lists as a map does
		f.Code, f.Detail = "additionalProperties", "there is no member "+firstOf(k.Properties)
	case *kind.Pattern: // what was sent is not repeated: it may be long, or secret
		f.Code, f.Detail = "pattern", "does not match pattern '"+k.Want+"'"
	case *kind.Not: // which has no path of its own
		f.Code, f.Detail = "not", "has what must not stand in it"
	case *kind.Format:
		f.Code, f.Detail = "format", "is not valid "+k.Want
	default:
		f.Code, f.Detail = k.KeywordPath()[len(k.KeywordPath())-1],
			k.LocalizedString(message.NewPrinter(language.English))
	}
	return f
}

// The most of what a client chose to send that a violation repeats.
const (
	mostNames   = 10
	longestName = 64 // bytes
)

// firstOf are the first names of a list, in their order, and how many more there are.
func firstOf(names []string) string {
	sorted := slices.Sorted(slices.Values(names))
	var shown []string
	for _, name := range sorted[:min(len(sorted), mostNames)] {
		shown = append(shown, fault.Clip(name, longestName))
	}
	list := strings.Join(shown, ", ")
	if more := len(names) - mostNames; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

var escaped = strings.NewReplacer("~", "~0", "/", "~1")

// pointer is RFC 6901.
func pointer(parts []string) string {
	var p strings.Builder
	for _, part := range parts {
		p.WriteByte('/')
		p.WriteString(escaped.Replace(part))
	}
	return p.String()
}
