// Package schemas holds the JSON Schemas (draft 2020-12) of everything that enters or leaves the service.
// They are embedded, compiled once, and never loaded from anywhere else.
package schemas

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

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
	Answer      = "answer.schema.json"

	Doctor  = "doctor.schema.json"
	Webhook = "webhook.schema.json" // the body of what a webhook is sent
)

const base = "orchestrator:///"

// Files returns the schemas as they are served.
func Files() fs.FS { return files }

// compiled are the schemas, each compiled when it is first asked for: a start waits for those alone that it needs.
var compiled = map[string]func() *parts{}

func init() {
	for _, name := range []string{ChangeRequest, Requirement, Project, Problem, AuditRecord, Witness, BoundaryPolicy,
		Tool, Obligations, Trace, Drive, Answer, Doctor, Webhook} {
		compiled[name] = sync.OnceValue(func() *parts {
			s, err := compile(name, withCases(inlined(name, document(name))), ourKeywords)
			if err != nil {
				panic(err) // the files are embedded
			}
			p := partsOf(s)
			p.acceptor = acceptorOf(s)
			return p
		})
	}
}

// outsideError is the refusal to load a schema that is not embedded.
type outsideError string

func (e outsideError) Error() string {
	return string(e) + " is not embedded, and nothing is loaded from elsewhere"
}

// compile compiles a document of draft 2020-12, which may refer to nothing outside itself. keywords are our own, by
// name.
func compile(name string, document any, keywords map[string]jsonschema.ExtCompiler) (*jsonschema.Schema, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.Draft, c.AssertFormat = jsonschema.Draft2020, true
	c.LoadURL = func(url string) (io.ReadCloser, error) { return nil, outsideError(url) }
	for keyword, compiler := range keywords {
		c.RegisterExtension(keyword, nil, compiler)
	}
	if err := c.AddResource(base+name, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Compile(base + name)
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

// Inlined returns the document of a schema with every $ref replaced by what it refers to. It is the caller's own.
func Inlined(name string) map[string]any { return inlined(name, document(name)).(map[string]any) }

// inlined returns a schema with every $ref replaced by what it refers to: a $ref costs as much to validate as
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

// violations returns those of a value against the schema of a name.
func (p *parts) violations(name string, value any) []fault.Field {
	if p.acceptor != nil && p.acceptor.accepts(value) {
		return nil
	}
	f := finding{name: name, small: smallValue}
	f.check("", p, value)
	found := inOrder(f.found)
	if len(found) > MaxViolations {
		found = append(found[:MaxViolations:MaxViolations], fault.Field{Code: "more", Detail: "there are more"})
	}
	return found
}
