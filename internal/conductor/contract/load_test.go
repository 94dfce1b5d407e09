package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// box is one tool of the box.
func box() []planning.Contract {
	return []planning.Contract{{
		Name: "math.eval", Version: "1", Description: "Works numbers out.", Satisfies: []string{"REPORT(query.math)"},
		Consumes:       []planning.Input{{Name: "expr", Schema: map[string]any{"type": "string", "minLength": 1}, Required: true}},
		Produces:       map[string]any{"type": "object", "properties": map[string]any{"value": map[string]any{"type": "string"}}, "required": []string{"value"}},
		Postconditions: []string{`result.value != ""`},
		Reliability:    planning.High, Cost: planning.CostTiny, LatencyMS: 1, TimeoutMS: 1000, Verify: planning.CheckBlocking, Idempotent: true,
		Implementation: planning.Implementation{Means: planning.Builtin, Name: "math.eval"},
	}}
}

// least is a contract with all that it must have, and nothing else.
const least = `name: lint.run
version: "1.0"
description: Looks for defects.
satisfies: [ACHIEVE(requirement.implementation)]
produces: {type: object}
reliability: high
cost: low
latency_ms: 200
timeout_ms: 60000
verify: off
idempotent: true
implementation: {means: exec, argv: [make, lint]}
`

// with is the least contract with a line replaced, or another appended. What follows keeps its line.
func with(lines ...string) string {
	doc := least
	for _, line := range lines {
		member, _, _ := strings.Cut(line, ":")
		at := strings.Index("\n"+doc, "\n"+member+":")
		if at < 0 {
			doc += line + "\n"
			continue
		}
		end := at + strings.Index(doc[at:], "\n")
		doc = doc[:at] + line + doc[end:]
	}
	return doc
}

// without is the least contract without a line.
func without(member string) string {
	var kept []string
	for line := range strings.Lines(least) {
		if !strings.HasPrefix(line, member+":") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

func TestGoodContracts(t *testing.T) {
	for name, c := range map[string]struct{ file, content string }{
		"the least":        {"a.yaml", least},
		"another ending":   {"a.yml", least},
		"capitals":         {"a.YAML", least},
		"comments":         {"a.yaml", "# a tool\n---\n" + least + "# the end\n---\n"},
		"every kind":       {"a.yaml", with("satisfies: [REPORT, VERIFY, 'ACHIEVE(status.name)']")},
		"conditions":       {"a.yaml", with(`consumes: {n: {schema: {type: integer}, required: false}}`, `preconditions: ["has(input.n) && input.n > 0", "caller.role == 'pm'"]`, `postconditions: ["result.ok == true"]`)},
		"numbers":          {"a.yaml", with(`produces: {minProperties: 0, properties: {n: {maximum: 1e3, minimum: -1.5}}}`)},
		"a date as text":   {"a.yaml", with(`produces: {const: 2026-01-02}`)},
		"nothing at all":   {"a.yaml", with(`produces: {const: null, enum: [~, null, True]}`)},
		"a block":          {"a.yaml", with("description: |\n  Looks for defects.\n  All of them.")},
		"exec":             {"a.yaml", with(`implementation: {means: exec, argv: [./lint, "a b"], env: [HOME], dir: tools/lint, sha256: ` + strings.Repeat("0a", 32) + `}`)},
		"http":             {"a.yaml", with(`implementation: {means: http, url: "https://lint.example/run?x=1"}`)},
		"http and hosts":   {"a.yaml", with(`implementation: {means: http, url: "http://[::1]:8080/run", method: GET, hosts: ["[::1]:8080", "lint.example:443"]}`)},
		"mcp":              {"a.yaml", with(`implementation: {means: mcp, argv: [lint-server], name: lint}`)},
		"of the box":       {"a.yaml", with(`implementation: {means: builtin, name: math.eval}`)},
		"what it reads":    {"a.yaml", with(`implementation: {means: exec, argv: [make], stdin: json, env: [ORCHESTRATOR_URL, ORCHESTRATOR_TOKEN]}`)},
		"depends":          {"a.yaml", with(`depends_on: [math.eval]`)},
		"a schema of its":  {"a.yaml", with(`produces: {$ref: "#/$defs/tree", $defs: {tree: {properties: {left: {$ref: "#/$defs/tree"}}}}}`)},
		"JSON":             {"a.json", asJSONFile(t, least)},
		"JSON in YAML":     {"a.yaml", asJSONFile(t, least)},
		"two of them":      {"a.yaml", least + "---\n" + with("name: lint.two")},
		"another file":     {"README.md", "not a contract"},
		"the longest name": {"a.yaml", with("name: a." + strings.Repeat("b", 78))},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Load(write(t, map[string]string{c.file: c.content}), box())
			require.NoError(t, err)
			_, known := r.Tool("math.eval")
			require.True(t, known)
		})
	}
}

// TestAgents: a role makes a tool an agent, by whatever means but the box it is run.
func TestAgents(t *testing.T) {
	dir := write(t, map[string]string{
		"exec.yaml": with("name: agents.exec", "role: coder", "implementation: {means: exec, argv: [agent, -p], env: [PATH, HOME], stdin: prompt}"),
		"json.yaml": with("name: agents.json", "role: tester", "implementation: {means: exec, argv: [agent]}"),
		"http.yaml": with("name: agents.http", "role: architect", `implementation: {means: http, url: "http://a/"}`),
		"mcp.json":  asJSONFile(t, with("name: agents.mcp", "role: pm", "implementation: {means: mcp, argv: [agent], name: work}")),
		"none.yaml": with("name: agents.none"),
	})
	r, err := Load(dir, box())
	require.NoError(t, err)
	roles, stdin := map[string]string{}, map[string]planning.Stdin{}
	for _, c := range r.Contracts() {
		roles[c.Name], stdin[c.Name] = c.Role, c.Implementation.Stdin
	}
	require.Equal(t, map[string]string{
		"math.eval": "", "agents.exec": "coder", "agents.json": "tester", "agents.http": "architect", "agents.mcp": "pm", "agents.none": "",
	}, roles)
	require.Equal(t, map[string]planning.Stdin{
		"math.eval": "", "agents.exec": planning.StdinPrompt, "agents.json": "", "agents.http": "", "agents.mcp": "", "agents.none": "",
	}, stdin)
	digest := r.Digest()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "none.yaml"), []byte(with("name: agents.none", "role: pm")), 0o600))
	r, err = Load(dir, box())
	require.NoError(t, err)
	require.NotEqual(t, digest, r.Digest(), "who acts in a role is part of what is promised")
}

// TestRoles: who may have a tool run is part of what is promised, in whatever order the roles stand; each that is named
// may.
//
// Verifies: ORC-266
func TestRoles(t *testing.T) {
	load := func(roles string, more ...string) (*Registry, error) {
		return Load(write(t, map[string]string{"a.yaml": with(append(more, "name: a.b", "implementation: {means: exec, argv: [a]}", "roles: "+roles)...)}), box())
	}
	one, err := load("[tester, coder]")
	require.NoError(t, err)
	tool, _ := one.Tool("a.b")
	require.Equal(t, []string{"coder", "tester"}, tool.Contract().Roles)
	other, err := load("[coder, tester]")
	require.NoError(t, err)
	require.Equal(t, one.Digest(), other.Digest())
	fewer, err := load("[coder]")
	require.NoError(t, err)
	require.NotEqual(t, one.Digest(), fewer.Digest())
	_, err = load("[coder, viewer]")
	require.Contains(t, fault.As(err).Fields[0].Detail, "it cannot be for viewer: viewers run nothing outside of the service")
	_, err = load("[pm, tester]", "role: coder")
	require.Contains(t, fault.As(err).Fields[0].Detail, "it cannot be for tester: it acts as coder")
	for _, bad := range []string{"[]", "[boss]", "[pm, pm]", "pm"} {
		_, err = load(bad)
		require.Error(t, err, bad)
	}
}

// asJSONFile is a contract of this page as JSON, in one line a member.
func asJSONFile(t *testing.T, doc string) string {
	t.Helper()
	sources, wrong := readYAML("a.yaml", []byte(doc))
	require.Empty(t, wrong)
	b, err := json.MarshalIndent(sources[0].value, "", " ")
	require.NoError(t, err)
	return string(b)
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	doc := with(`consumes: {n: {schema: {type: integer, minimum: 1}}}`, `preconditions: ["input.n > 0", "caller.role == 'coder'"]`, `postconditions: ["result.sum == input.n + 1"]`)
	for i := range 100 {
		content := strings.Replace(doc, "lint.run", fmt.Sprintf("lint.run%d", i), 1)
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), []byte(content), 0o600))
	}
	for b.Loop() {
		if _, err := Load(dir, box()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/100, "µs/contract")
}

// Verifies: ORC-242
func TestRelations(t *testing.T) {
	one := `{"name":"t.a","version":"1","description":"d","satisfies":["REPORT(k.x)"],"produces":{},"reliability":"high","cost":"tiny","latency_ms":1,"timeout_ms":1,"verify":"off","idempotent":true,"implementation":{"means":"exec","argv":["x"]},"relations":{"city":"functional","friend":"many"}}`
	load := func(other string) (*Registry, error) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(one), 0o600))
		if other != "" {
			text := strings.Replace(one, "t.a", "t.b", 1)
			text = strings.Replace(text, `{"city":"functional","friend":"many"}`, other, 1)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "b.json"), []byte(text), 0o600))
		}
		return Load(dir, nil)
	}
	alone, err := load("")
	require.NoError(t, err)
	require.True(t, alone.Functional("city"))
	require.False(t, alone.Functional("friend"))
	require.False(t, alone.Functional("else"))
	agreed, err := load(`{"city":"functional"}`)
	require.NoError(t, err)
	require.True(t, agreed.Functional("city"))
	require.NotEqual(t, alone.Digest(), agreed.Digest())
	for other, says := range map[string]string{
		`{"city":"many"}`: "b.json:1: city is many here, and functional at a.json:1", `{"friend":"functional"}`: "friend is functional here, and many at a.json:1",
		`{"city":"one"}`: "must be one of", `{"":"many"}`: "relations", `["city"]`: "object",
	} {
		_, err := load(other)
		require.Error(t, err, other)
		var all []string
		for _, f := range fault.As(err).Fields {
			all = append(all, f.Pointer+" "+f.Detail)
		}
		require.Contains(t, strings.Join(all, "\n"), says)
	}
}
