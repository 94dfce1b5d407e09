package httpapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"go.yaml.in/yaml/v3"
	"orchestrator/internal/httpapi/web/page"

	"orchestrator/api"
)

// operations are the documented ones, as "GET /path".
func operations() []string {
	var all []string
	for path, item := range theContract().under("paths").node {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				all = append(all, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Verifies: ORC-031
func TestEveryRouteIsDocumentedAndEveryOperationIsRouted(t *testing.T) {
	h := newHarness(t)
	var routed []string
	require.NoError(t, chi.Walk(h.routes, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if !strings.HasPrefix(route, page.Root) { // pages for people are no part of the contract for programs
			routed = append(routed, method+" "+documentedPath(route))
		}
		return nil
	}))
	slices.Sort(routed)
	require.Equal(t, routed, operations())
}

// kin-openapi knows whether a document is OpenAPI 3.1. Its check of examples and answers is not used: it does
// not honour const, and falls back to the rules of 3.0 where it cannot compile a schema.
func TestTheDocumentIsOpenAPI(t *testing.T) {
	h := newHarness(t)
	for name, outside := range map[string]bool{"/openapi.yaml": true, "/openapi.json": false} {
		loader := openapi3.NewLoader()
		loader.IsExternalRefsAllowed = outside
		at, err := url.Parse(h.Server.URL + name)
		require.NoError(t, err)
		doc, err := loader.LoadFromURI(at)
		require.NoError(t, err, name)
		require.True(t, doc.IsOpenAPI31OrLater())
		require.NoError(t, doc.Validate(loader.Context, openapi3.DisableExamplesValidation()), name)
	}
}

// fetch gets a text from the server as any tool would, without a token.
func fetch(t *testing.T, at string) []byte {
	t.Helper()
	r, err := http.Get(at)
	require.NoError(t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusOK, r.StatusCode, at)
	return body
}

func TestEveryReferenceResolvesOverHTTP(t *testing.T) {
	h := newHarness(t)
	require.Equal(t, api.OpenAPI, fetch(t, h.Server.URL+"/openapi.yaml"))
	require.Equal(t, api.OpenAPIJSON, fetch(t, h.Server.URL+"/openapi.json"))
	read := map[string]any{}
	followed := 0
	var follow func(base string, node any)
	load := func(at string) any {
		if _, known := read[at]; !known {
			var doc any
			require.NoError(t, yaml.Unmarshal(fetch(t, at), &doc)) // JSON is YAML
			read[at] = doc
			follow(at, doc)
		}
		return read[at]
	}
	follow = func(base string, node any) {
		visitRefs(node, func(ref string) {
			u, err := url.Parse(base)
			require.NoError(t, err)
			target, err := u.Parse(ref)
			require.NoError(t, err)
			pointer := target.Fragment
			target.Fragment, target.RawFragment = "", ""
			require.NotNil(t, pointed(load(target.String()), pointer), "%s in %s leads nowhere", ref, base)
			followed++
		})
	}
	load(h.Server.URL + "/openapi.yaml")
	require.Len(t, read, 1+len(schemaNames()), "the document, and every schema it names")
	require.Greater(t, followed, 100)
}

func visitRefs(node any, visit func(ref string)) {
	switch node := node.(type) {
	case map[string]any:
		if ref, ok := node["$ref"].(string); ok {
			visit(ref)
		}
		for _, v := range node {
			visitRefs(v, visit)
		}
	case []any:
		for _, v := range node {
			visitRefs(v, visit)
		}
	}
}

func pointed(node any, pointer string) any {
	if pointer == "" {
		return node
	}
	for _, name := range strings.Split(pointer[1:], "/") {
		object, _ := node.(map[string]any)
		node = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return node
}

// schemaNames are the schemas that the document says are served.
func schemaNames() []string {
	p := theContract().under("paths", "/schemas/{name}", "get").node["parameters"].([]any)[0].(map[string]any)
	var names []string
	for _, name := range p["schema"].(map[string]any)["enum"].([]any) {
		names = append(names, name.(string))
	}
	return names
}

// examples visits every example with the schema it is of.
func examples(t *testing.T, visit func(schema at, name string, value any)) {
	t.Helper()
	c, found := theContract(), 0
	var walk func(here at)
	walk = func(here at) {
		for name := range here.node {
			if below, ok := here.node[name].(map[string]any); ok {
				walk(at{here.pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name), below})
			}
		}
		named, _ := here.node["examples"].(map[string]any)
		for name, example := range named {
			visit(c.child(here, "schema"), here.pointer+", example "+name, numbers(t, example.(map[string]any)["value"]))
			found++
		}
	}
	walk(c.under())
	require.Greater(t, found, 10)
}

func TestEveryExampleIsValid(t *testing.T) {
	examples(t, func(schema at, name string, value any) {
		require.NoError(t, theContract().validate(schema, value), name)
	})
}

// TestBothFormsRefuseTheSame spoils examples in every way that is one step from them.
//
// Verifies: ORC-031
func TestBothFormsRefuseTheSame(t *testing.T) {
	refused := 0
	examples(t, func(schema at, name string, value any) {
		spoil(value, func(spoilt any) {
			yaml, json := theContract().validateAlone(schema, spoilt), theContract().json.validateAlone(schema, spoilt)
			require.Equal(t, yaml == nil, json == nil, "%s: %v\nopenapi.yaml: %v\nopenapi.json: %v", name, spoilt, yaml, json)
			if yaml != nil {
				refused++
			}
		})
	})
	t.Log("refused by both:", refused)
	require.Greater(t, refused, 1000)
}

// spoil visits a value with one member left out, added, or of another type, at every depth.
func spoil(value any, visit func(any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(with(v, "surprise", true))
		for name := range v {
			without := maps.Clone(v)
			delete(without, name)
			visit(without)
			spoil(v[name], func(spoilt any) { visit(with(v, name, spoilt)) })
		}
	case []any:
		visit([]any{})
		for i := range v {
			spoil(v[i], func(spoilt any) {
				other := slices.Clone(v)
				other[i] = spoilt
				visit(other)
			})
		}
	}
	for _, other := range []any{nil, "", "x y", json.Number("-1"), true, map[string]any{}, []any{"x"}} {
		visit(other)
	}
}

// with returns an object with a member set.
func with(object map[string]any, name string, value any) map[string]any {
	other := maps.Clone(object)
	other[name] = value
	return other
}

// numbers makes of a value from YAML one as it comes from JSON.
func numbers(t *testing.T, v any) any {
	t.Helper()
	encoded, err := json.Marshal(v)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.UseNumber()
	var out any
	require.NoError(t, d.Decode(&out))
	return out
}

// A check that cannot fail proves nothing: every kind of wrong answer is refused.
func TestTheContractRefusesWrongAnswers(t *testing.T) {
	h := newHarness(t)
	doctor := map[string]struct {
		change func(*response)
		want   string
	}{
		"an undocumented status": {func(r *response) { r.Status = http.StatusTeapot }, "status 418 is not documented"},
		"an undocumented header": {func(r *response) { r.Header.Set("X-Surprise", "1") }, "header X-Surprise is not documented"},
		"a missing header":       {func(r *response) { r.Header.Del("Etag") }, "header ETag is missing"},
		"a wrong header":         {func(r *response) { r.Header.Set("Etag", "3") }, "header ETag:"},
		"another media type":     {func(r *response) { r.Header.Set("Content-Type", "text/html") }, `media type "text/html" is not documented`},
		"an extra member":        {func(r *response) { r.replace(`{"id"`, `{"extra":1,"id"`) }, "extra"},
		"an extra member inside": {func(r *response) { r.replace(`"decision"`, `"extra":1,"decision"`) }, "extra"},
		"a missing member":       {func(r *response) { r.replace(`,"decision":"approved"`, ``) }, "decision"},
		"a wrong type":           {func(r *response) { r.replace(`"revision":2,"pm_notes"`, `"revision":"2","pm_notes"`) }, "/revision"},
		"a wrong value":          {func(r *response) { r.replace(`"status":"not_started"`, `"status":"nearly"`) }, "/status"},
		"a time that is none":    {func(r *response) { r.replace(`2026-01-02T`, `2026-13-02T`) }, "date-time"},
		"no JSON":                {func(r *response) { r.Body = []byte("ok") }, "invalid character"},
	}
	h.patch("pm", `{"approvals":[{"decision":"approved"}]}`)
	good := h.do("pm", http.MethodGet, "/requirements/REQ-001", "")
	for name, d := range doctor {
		t.Run(name, func(t *testing.T) {
			r := response{good.Status, maps.Clone(good.Header), bytes.Clone(good.Body)}
			d.change(&r)
			require.NotEqual(t, good, r, "nothing was doctored")
			require.ErrorContains(t, theContract().check(&seen{}, "/requirements/{id}", http.MethodGet, r), d.want)
		})
	}
}

func TestTheContractRefusesWrongProblems(t *testing.T) {
	h := newHarness(t)
	good := h.do("pm", http.MethodGet, "/requirements/REQ-009", "")
	for old, replacement := range map[string]string{
		`"code":"unknown_requirement"`:  `"code":"no_such_code"`,
		`problems/unknown_requirement"`: `problems/internal"`,
		`"status":404`:                  `"status":400`,
		`"title":"Not Found"`:           `"title":"Nothing"`,
		`"instance":"urn:request:`:      `"instance":"urn:request:x`,
		`"unknown_requirement","fix":"`: `"unknown_path","fix":"`, // a code of another answer
	} {
		r := response{good.Status, good.Header, bytes.Clone(good.Body)}
		r.replace(old, replacement)
		require.NotEqual(t, good.Body, r.Body, old)
		require.Error(t, theContract().check(&seen{}, "/requirements/{id}", http.MethodGet, r), replacement)
	}
}

func (r *response) replace(old, replacement string) {
	r.Body = bytes.Replace(r.Body, []byte(old), []byte(replacement), 1)
}
