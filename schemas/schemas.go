// Package schemas holds the JSON Schemas (draft 2020-12) of everything that enters or leaves the service.
// They are embedded, compiled once, and never loaded from anywhere else.
package schemas

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
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
)

const base = "orchestrator:///"

// Files are the schemas as they are served.
func Files() fs.FS { return files }

var compiled = sync.OnceValue(func() map[string]*jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		b, err := files.ReadFile(path.Base(url))
		return io.NopCloser(bytes.NewReader(b)), err
	}
	all := map[string]*jsonschema.Schema{}
	for _, name := range []string{ChangeRequest, Requirement, Project, Problem, AuditRecord} {
		all[name] = c.MustCompile(base + name)
	}
	return all
})

// Violations holds a value (decoded with json.Number for numbers, all of them bounded) against a schema.
// It returns one field per thing that is wrong, ordered by pointer; nil when nothing is. Code is the
// schema keyword that was violated.
func Violations(schema string, value any) []fault.Field {
	err := compiled()[schema].Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []fault.Field{{Detail: fmt.Sprintf("cannot be checked against %s: %v", schema, err)}}
	}
	var found []fault.Field
	collect(invalid, &found)
	slices.SortFunc(found, func(a, b fault.Field) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Code, b.Code), strings.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(found)
}

// collect keeps the leaves: what stands above them only says that something below is wrong.
func collect(e *jsonschema.ValidationError, found *[]fault.Field) {
	if len(e.Causes) == 0 {
		f := fault.Field{Pointer: e.InstanceLocation, Code: path.Base(e.KeywordLocation), Detail: e.Message}
		if e.Message == "not allowed" { // the schema false: a member of another kind
			f.Code, f.Detail = "not_allowed", "this member does not belong here"
		}
		*found = append(*found, f)
	}
	for _, cause := range e.Causes {
		collect(cause, found)
	}
}
