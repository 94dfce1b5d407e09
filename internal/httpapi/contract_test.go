package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"go.yaml.in/yaml/v3"

	"orchestrator/api"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/catalogue"
	"orchestrator/schemas"
)

// documentURL is where the document stands for the schema compiler; ../schemas/x is resolved against it.
const documentURL = "http://contract/openapi.yaml"

// contract is api/openapi.yaml, ready to hold answers against. The schemas are compiled as they stand in
// the document, by the library that also validates requests: kin-openapi rewrites what lies behind $ref and
// so loses what is not closed in the same object (unevaluatedProperties).
type contract struct {
	root     map[string]any
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
	json     *contract // openapi.json, which must agree with it on every value
}

var theContract = sync.OnceValue(func() *contract {
	c := newContract(api.OpenAPI)
	c.json = newContract(api.OpenAPIJSON)
	return c
})

func newContract(document []byte) *contract {
	c := &contract{schemas: map[string]*jsonschema.Schema{}, compiler: jsonschema.NewCompiler()}
	must(yaml.Unmarshal(document, &c.root)) // JSON is YAML
	encoded, err := json.Marshal(c.root)
	must(err)
	c.compiler.Draft, c.compiler.AssertFormat = jsonschema.Draft2020, true
	c.compiler.LoadURL = func(url string) (io.ReadCloser, error) { return schemas.Files().Open(path.Base(url)) }
	must(c.compiler.AddResource(documentURL, bytes.NewReader(encoded)))
	return c
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// at is a place in the document: a JSON Pointer and what stands there.
type at struct {
	pointer string
	node    map[string]any
}

// child goes down the names and follows references within the document. Its node is nil if there is nothing.
func (c *contract) child(from at, names ...string) at {
	for _, name := range names {
		node, _ := from.node[name].(map[string]any)
		from = at{from.pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name), node}
		if ref, ok := node["$ref"].(string); ok && strings.HasPrefix(ref, "#/") {
			from = c.child(at{node: c.root}, strings.Split(ref[2:], "/")...)
		}
	}
	return from
}

func (c *contract) under(names ...string) at { return c.child(at{node: c.root}, names...) }

// validate holds a value against the schema at a place, in both forms of the contract.
func (c *contract) validate(schema at, value any) error {
	err := c.validateAlone(schema, value)
	if c.json == nil {
		return err
	}
	if other := c.json.validateAlone(schema, value); (err == nil) != (other == nil) {
		return fmt.Errorf("openapi.yaml says %w, and openapi.json %w", err, other)
	}
	return err
}

func (c *contract) validateAlone(schema at, value any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	compiled := c.schemas[schema.pointer]
	if compiled == nil {
		var err error
		if compiled, err = c.compiler.Compile(documentURL + "#" + (&url.URL{Path: schema.pointer}).EscapedPath()); err != nil {
			return err
		}
		c.schemas[schema.pointer] = compiled
	}
	return compiled.Validate(value)
}

// check holds an answer against the document: status, headers, media type, body, problem code.
func (c *contract) check(s *seen, pattern, method string, r response) error {
	operation, status := method+" "+pattern, strconv.Itoa(r.Status)
	responses := c.under("paths", pattern, strings.ToLower(strings.Replace(method, "HEAD", "GET", 1)), "responses")
	if pattern == "" || responses.node == nil {
		operation, responses = "outside operations", c.under("x-answers-outside-operations")
	}
	documented := c.child(responses, status)
	if documented.node == nil {
		return fmt.Errorf("%s: status %s is not documented", operation, status)
	}
	s.add(operation + " " + status)
	for name := range r.Header {
		s.add(operation + " " + status + " " + name)
	}
	return errors.Join(c.checkHeaders(documented, r.Header), c.checkBody(s, documented, method, r))
}

// anyAnswer are headers that any answer to somebody who is limited has; TestLimitsAreTold looks for them.
var anyAnswer = []string{"RateLimit", "RateLimit-Policy"}

// transport are headers that belong to HTTP and not to the answer.
var transport = []string{"Connection", "Content-Length", "Content-Type", "Date"}

func (c *contract) checkHeaders(documented at, sent http.Header) error {
	described := c.child(documented, "headers").node
	for name := range sent {
		if slices.Contains(transport, name) {
			continue
		}
		as := slices.IndexFunc(slices.Collect(maps.Keys(described)), func(d string) bool { return http.CanonicalHeaderKey(d) == name })
		if as < 0 {
			return fmt.Errorf("header %s is not documented", name)
		}
	}
	for name := range described {
		header := c.child(documented, "headers", name)
		value, there := sent[http.CanonicalHeaderKey(name)]
		switch {
		case there:
			if err := c.validate(c.child(header, "schema"), strings.Join(value, ", ")); err != nil {
				return fmt.Errorf("header %s: %w", name, err)
			}
		case header.node["required"] == true:
			return fmt.Errorf("header %s is missing", name)
		}
	}
	return nil
}

func (c *contract) checkBody(s *seen, documented at, method string, r response) error {
	content := c.child(documented, "content")
	if content.node == nil || method == http.MethodHead {
		if len(r.Body) > 0 {
			return fmt.Errorf("a body where none is documented: %s", r.Body)
		}
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || content.node[mediaType] == nil {
		return fmt.Errorf("media type %q is not documented", r.Header.Get("Content-Type"))
	}
	var value any = string(r.Body)
	if strings.HasSuffix(mediaType, "json") {
		d := json.NewDecoder(bytes.NewReader(r.Body))
		d.UseNumber()
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	if err := c.validate(c.child(content, mediaType, "schema"), value); err != nil {
		return fmt.Errorf("%#v", err) // every leaf
	}
	if mediaType == "application/problem+json" {
		return c.checkProblem(s, documented, value.(map[string]any), r)
	}
	return nil
}

// checkProblem holds the members of a problem against each other and against the codes documented here.
func (c *contract) checkProblem(s *seen, documented at, p map[string]any, r response) error {
	code, _ := p["code"].(string)
	s.add("code " + code)
	switch codes, _ := documented.node["x-problem-codes"].([]any); {
	case !slices.Contains(codes, any(code)):
		return fmt.Errorf("code %s is not documented here, only %v", code, codes)
	case !strings.Contains(strings.SplitN(c.codes()[code], ".", 2)[0], strconv.Itoa(r.Status)):
		return fmt.Errorf("code %s is documented as %q, not for %d", code, c.codes()[code], r.Status)
	case p["status"] != json.Number(strconv.Itoa(r.Status)), p["title"] != http.StatusText(r.Status):
		return fmt.Errorf("status %v and title %v do not match %d", p["status"], p["title"], r.Status)
	case (code == "evidence_not_found" || code == "invalid_evidence") && !c.saysWhatIsWrong(p):
		return fmt.Errorf("errors %v have a code that is not documented", p["errors"])
	case p["type"] != "/problems/"+code:
		return fmt.Errorf("type %v does not match code %s", p["type"], code)
	case p["retryable"] != catalogue.Retryable(fault.Code(code)), r.Header.Get("Retry-After") != "" && p["retryable"] == false:
		return fmt.Errorf("retryable is %v of %s, with Retry-After %q", p["retryable"], code, r.Header.Get("Retry-After"))
	case p["instance"] != "urn:request:"+r.Header.Get("X-Request-Id"):
		return fmt.Errorf("instance %v does not match X-Request-Id %s", p["instance"], r.Header.Get("X-Request-Id"))
	}
	return nil
}

// saysWhatIsWrong holds errors about evidence against the codes that are documented for it.
func (c *contract) saysWhatIsWrong(p map[string]any) bool {
	errors, _ := p["errors"].([]any)
	return len(errors) > 0 && !slices.ContainsFunc(errors, func(e any) bool {
		code, _ := e.(map[string]any)["code"].(string)
		return c.codesOf("EvidenceCode")[code] == ""
	})
}

// codes are the documented problem codes with their descriptions.
func (c *contract) codes() map[string]string { return c.codesOf("ProblemCode") }

func (c *contract) codesOf(schema string) map[string]string {
	codes := map[string]string{}
	for _, one := range c.under("components", "schemas", schema).node["oneOf"].([]any) {
		one := one.(map[string]any)
		codes[one["const"].(string)] = one["description"].(string)
	}
	return codes
}

// seen collects which documented answers happened.
type seen struct {
	mu       sync.Mutex
	what     map[string]bool
	examples map[fault.Code]map[string]catalogue.Example // by their JSON
}

func (s *seen) add(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.what == nil {
		s.what = map[string]bool{}
	}
	s.what[what] = true
}

func (s *seen) has(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.what[what]
}
