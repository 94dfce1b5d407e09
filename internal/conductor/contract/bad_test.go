package contract

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/measure"
)

// Verifies: ORC-277
func TestBadContracts(t *testing.T) {
	for name, c := range map[string]struct{ file, content, place, detail string }{
		"no name":              {"a.yaml", without("name"), "a.yaml:1", "missing property 'name'"},
		"no timeout":           {"a.yaml", without("timeout_ms"), "a.yaml:1", "missing property 'timeout_ms'"},
		"one word":             {"a.yaml", with("name: lint"), "a.yaml:1", "pattern"},
		"a long name":          {"a.yaml", with("name: a." + strings.Repeat("b", 79)), "a.yaml:1", "maxLength"},
		"a version":            {"a.yaml", with("version: 1.0"), "a.yaml:2", "want string"},
		"satisfies nothing":    {"a.yaml", with("satisfies: []"), "a.yaml:4", "minItems"},
		"satisfies what":       {"a.yaml", with("satisfies: [REPORT(Query)]"), "a.yaml:4", "pattern"},
		"reliable":             {"a.yaml", with("reliability: sure"), "a.yaml:6", "must be one of"},
		"free":                 {"a.yaml", with("cost: free"), "a.yaml:7", "must be one of"},
		"before it began":      {"a.yaml", with("latency_ms: -1"), "a.yaml:8", "minimum"},
		"no time":              {"a.yaml", with("timeout_ms: 0"), "a.yaml:9", "minimum"},
		"for ever":             {"a.yaml", with("timeout_ms: 3600001"), "a.yaml:9", "maximum"},
		"half a millisecond":   {"a.yaml", with("timeout_ms: 0.5"), "a.yaml:9", "want integer"},
		"a whole with a dot":   {"a.yaml", with("timeout_ms: 5.0"), "a.yaml:1", "timeout_ms is not written as a whole number"},
		"verified how":         {"a.yaml", with("verify: yes"), "a.yaml:10", "must be one of"},
		"perhaps":              {"a.yaml", with("idempotent: maybe"), "a.yaml:11", "want boolean"},
		"a member":             {"a.yaml", with("price: 5"), "a.yaml:1", "there is no member price"},
		"no means":             {"a.yaml", with("implementation: {argv: [x]}"), "a.yaml:12", "missing property 'means'"},
		"a shell":              {"a.yaml", with("implementation: {means: shell, argv: [x]}"), "a.yaml:12", "must be one of"},
		"exec of nothing":      {"a.yaml", with("implementation: {means: exec}"), "a.yaml:12", "missing property 'argv'"},
		"exec with a URL":      {"a.yaml", with(`implementation: {means: exec, argv: [x], url: "http://a/"}`), "a.yaml:12", "does not belong here"},
		"http with argv":       {"a.yaml", with(`implementation: {means: http, url: "http://a/", argv: [x]}`), "a.yaml:12", "does not belong here"},
		"a file's URL":         {"a.yaml", with(`implementation: {means: http, url: "file:///etc/passwd"}`), "a.yaml:12", "pattern"},
		"a URL with a user":    {"a.yaml", with(`implementation: {means: http, url: "http://me:pw@a/"}`), "a.yaml:12", "pattern"},
		"a URL without host":   {"a.yaml", with(`implementation: {means: http, url: "http://:80/"}`), "a.yaml:12", "not a URL with a host"},
		"a port":               {"a.yaml", with(`implementation: {means: http, url: "http://a:70000/"}`), "a.yaml:12", "no such port"},
		"a host's port":        {"a.yaml", with(`implementation: {means: http, url: "http://a/", hosts: ["a:80", "b:65536"]}`), "a.yaml:12", "no such port"},
		"hosts without its":    {"a.yaml", with(`implementation: {means: http, url: "https://a/", hosts: ["a:80"]}`), "a.yaml:12", "a:443, where the URL goes"},
		"mcp without a name":   {"a.yaml", with(`implementation: {means: mcp, argv: [x]}`), "a.yaml:12", "missing property 'name'"},
		"outside":              {"a.yaml", with(`implementation: {means: exec, argv: [x], dir: ../other}`), "a.yaml:12", "not inside the project"},
		"from the root":        {"a.yaml", with(`implementation: {means: exec, argv: [x], dir: /etc}`), "a.yaml:12", "not inside the project"},
		"a short sum":          {"a.yaml", with(`implementation: {means: exec, argv: [x], sha256: abc}`), "a.yaml:12", "pattern"},
		"a variable's value":   {"a.yaml", with(`implementation: {means: exec, argv: [x], env: ["A=b"]}`), "a.yaml:12", "pattern"},
		"no such role":         {"a.yaml", with("role: viewer"), "a.yaml:13", "must be one of"},
		"no role's name":       {"a.yaml", with("role: ''"), "a.yaml:13", "must be one of"},
		"a role in the box":    {"a.yaml", with("implementation: {means: builtin, name: math.eval}", "role: pm"), "a.yaml:13", "in the role of who asks, and in no other"},
		"a prompt for none":    {"a.yaml", with("implementation:\n  means: exec\n  argv: [x]\n  stdin: prompt"), "a.yaml:15", "give the contract a role"},
		"reads what":           {"a.yaml", with("role: pm", "implementation: {means: exec, argv: [x], stdin: text}"), "a.yaml:12", "must be one of"},
		"another's token":      {"a.yaml", with("role: pm", "implementation:\n  means: exec\n  argv: [x]\n  env:\n  - PATH\n  - ORCHESTRATOR_TOKEN"), "a.yaml:17", "given ORCHESTRATOR_TOKEN by the service"},
		"another's service":    {"a.yaml", with("role: pm", "implementation: {means: mcp, name: a, argv: [x], env: [ORCHESTRATOR_URL]}"), "a.yaml:12", "given ORCHESTRATOR_URL by the service"},
		"stdin of http":        {"a.yaml", with("role: pm", `implementation: {means: http, url: "http://a/", stdin: prompt}`), "a.yaml:12", "does not belong here"},
		"stdin of mcp":         {"a.yaml", with("role: pm", "implementation: {means: mcp, name: a, argv: [x], stdin: json}"), "a.yaml:12", "does not belong here"},
		"stdin of the box":     {"a.yaml", with("implementation: {means: builtin, name: math.eval, stdin: json}"), "a.yaml:12", "does not belong here"},
		"not in the box":       {"a.yaml", with(`implementation: {means: builtin, name: magic}`), "a.yaml:12", "no built-in tool magic"},
		"a slot":               {"a.yaml", with(`consumes: {N: {schema: {}}}`), "a.yaml:13", "there is no member N"},
		"a list of slots":      {"a.yaml", with(`consumes: [{name: n, schema: {}}]`), "a.yaml:13", "want object"},
		"a slot's schema":      {"a.yaml", with("consumes:\n  n:\n    schema:\n      type: text"), "a.yaml:16", "must be one of"},
		"an outside schema":    {"a.yaml", with(`consumes: {n: {schema: {$ref: "https://a.example/s"}}}`), "a.yaml:13", "nothing is loaded from elsewhere"},
		"a result's schema":    {"a.yaml", with(`produces: {properties: {a: {pattern: "("}}}`), "a.yaml:5", "regex"},
		"an unknown name":      {"a.yaml", with("preconditions:\n  - 'true'\n  - 'stat.open == 1'"), "a.yaml:15", "undeclared reference to 'stat'"},
		"result before":        {"a.yaml", with(`preconditions: ["result == 1"]`), "a.yaml:13", "undeclared reference to 'result'"},
		"an unknown input":     {"a.yaml", with(`consumes: {n: {schema: {}}}`, `preconditions: ["input.m == 1"]`), "a.yaml:14", "there is no input m"},
		"in brackets":          {"a.yaml", with(`postconditions: ['input["m"] == 1']`), "a.yaml:13", "there is no input m"},
		"has an unknown input": {"a.yaml", with(`postconditions: ['has(input.m)']`), "a.yaml:13", "there is no input m"},
		"about no input":       {"a.yaml", with(`consumes: {n: {schema: {}}}`, `about: m`), "a.yaml:14", "consumes has no input m"},
		"not a condition":      {"a.yaml", with(`postconditions: ["1 + 1"]`), "a.yaml:13", "not bool"},
		"a typed mistake":      {"a.yaml", with(`postconditions: ["size(payload) == 'a'"]`), "a.yaml:13", "no matching overload"},
		"a long condition":     {"a.yaml", with(`postconditions: ["` + strings.Repeat("(", 1001) + `true` + strings.Repeat(")", 1001) + `"]`), "a.yaml:13", "maxLength"},
		"an unknown tool":      {"a.yaml", with("depends_on:\n- math.eval\n- no.tool"), "a.yaml:15", "there is no tool no.tool"},
		"itself":               {"a.yaml", with("depends_on: [lint.run]"), "a.yaml:13", "lint.run → lint.run"},
		"a name of the box":    {"a.yaml", with("name: math.eval"), "a.yaml:1", "taken, at the box: math.eval"},
		"twice in a file":      {"a.yaml", least + "---\n" + least, "a.yaml:14", "taken, at a.yaml:1"},
		"a member twice":       {"a.yaml", least + "cost: high\n", "a.yaml:13", "the name cost stands twice"},
		"an alias":             {"a.yaml", with(`version: &v "1"`, "description: *v"), "a.yaml:2", "anchors"},
		"a merge":              {"a.yaml", "<<: {name: a.b}\n" + least, "a.yaml:1", "merge nothing"},
		"a tag":                {"a.yaml", with("description: !secret text"), "a.yaml:3", "the tag !secret"},
		"binary":               {"a.yaml", with("description: !!binary aGk="), "a.yaml:3", "the tag !!binary"},
		"a number as name":     {"a.yaml", least + "5: five\n", "a.yaml:13", "not plain text"},
		"hexadecimal":          {"a.yaml", with("timeout_ms: 0x10"), "a.yaml:9", "write the number as JSON does"},
		"a huge constant":      {"a.yaml", with("produces: {const: 1e999999999}"), "a.yaml:5", "write the number as JSON does"},
		"infinity":             {"a.yaml", with("timeout_ms: .inf"), "a.yaml:9", "write the number as JSON does"},
		"a huge number":        {"a.yaml", with("timeout_ms: 1e999999999"), "a.yaml:9", "write the number as JSON does"},
		"NUL":                  {"a.yaml", with(`description: "a\0b"`), "a.yaml:3", "NUL"},
		"no YAML":              {"a.yaml", "name: [a\nversion: 1\n", "a.yaml:", "this is not YAML"},
		"a tab":                {"a.yaml", "name:\n\t- a\n", "a.yaml:2", "this is not YAML"},
		"no UTF-8":             {"a.yaml", "name: \xff\n", "a.yaml:1", "not UTF-8"},
		"nothing":              {"a.yaml", "", "a.yaml:1", "no contract"},
		"comments alone":       {"a.yaml", "# later\n---\n", "a.yaml:1", "no contract"},
		"a text":               {"a.yaml", "hello", "a.yaml:1", "want object"},
		"deep":                 {"a.yaml", with("produces: " + strings.Repeat("{a: ", 40) + "1" + strings.Repeat("}", 40)), "a.yaml:5", "nested deeper"},
		"JSON twice":           {"a.json", "{\n\"name\": \"a.b\",\n\"name\": \"a.c\"}", "a.json:", "stands twice"},
		"JSON cut":             {"a.json", "{\n\"name\":", "a.json:2", "ends early"},
		"JSON empty":           {"a.json", "", "a.json:1", "empty"},
		"two in JSON":          {"a.json", "{}\n{}", "a.json:", "after the JSON value"},
		"JSON with a line":     {"a.json", strings.Replace(asJSONFile(t, least), `"low"`, `"lower"`, 1), "a.json:2", "must be one of"},
		"too much":             {"a.yaml", least + strings.Repeat("# more\n", 1<<18), "a.yaml", "1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Load(write(t, map[string]string{c.file: c.content, "good.yaml": with("name: good.one")}), box())
			require.Nil(t, r)
			failed, is := errors.AsType[*fault.Error](err)
			require.True(t, is)
			require.ErrorIs(t, err, fault.Invalid)
			require.NotEmpty(t, failed.Fix)
			require.True(t, slices.ContainsFunc(failed.Fields, func(f fault.Field) bool {
				return (strings.HasPrefix(f.Detail, c.place+":") || strings.HasPrefix(f.Detail, c.place)) && strings.Contains(string(f.Code)+" "+f.Detail, c.detail)
			}), "%v", failed.Fields)
		})
	}
}

// Verifies: ORC-277
func TestEveryBadFileIsNamed(t *testing.T) {
	_, err := Load(write(t, map[string]string{
		"a.yaml": with("cost: free", "verify: 5"), "b.json": "{", "c.yml": with("name: c.d", "depends_on: [lint.run, math.eval, x.y, g.g]"), "d.yaml": with("name: a.d", "depends_on: [e.e]"),
		"e.yaml": with("name: e.e", "depends_on: [a.d]"), "f.yaml": with("name: math.eval"), "g.yaml": with("name: g.g", "price: &a 5"), "many.yaml": with("name: m.m", "produces: {x: {"+strings.Repeat("a: 1, a: 2, ", 100)+"}}"),
	}), box())
	failed, is := errors.AsType[*fault.Error](err)
	require.True(t, is)
	places := map[string]int{}
	for _, f := range failed.Fields {
		file, _, _ := strings.Cut(f.Detail, ":")
		places[file]++
	}
	require.Equal(t, map[string]int{"a.yaml": 2, "b.json": 1, "c.yml": 1, "d.yaml": 1, "f.yaml": 1, "g.yaml": 1, "many.yaml": maxWrong + 1}, places, "%v", failed.Fields)
	require.Contains(t, err.Error(), "tools need one another: a.d → e.e → a.d")
}

func TestWhatIsNoRegularFile(t *testing.T) {
	dir := write(t, map[string]string{"real.txt": least})
	require.NoError(t, os.Symlink(filepath.Join(dir, "real.txt"), filepath.Join(dir, "link.yaml")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "folder.yaml", "bad.yaml"), []byte("bad"), 0o600))
	_, err := Load(dir, box())
	failed, is := errors.AsType[*fault.Error](err)
	require.True(t, is)
	require.Len(t, failed.Fields, 2)
	require.Equal(t, "link.yaml is not a regular file", failed.Fields[0].Detail)
	require.Equal(t, "pipe.json is not a regular file", failed.Fields[1].Detail)
}

func TestTheDirectory(t *testing.T) {
	r, err := Load(filepath.Join(t.TempDir(), "none"), box())
	require.NoError(t, err)
	require.Len(t, r.Tools(), 1)
	r, err = Load(t.TempDir(), nil)
	require.NoError(t, err)
	require.Empty(t, r.Tools())
	file := filepath.Join(write(t, map[string]string{"tools": ""}), "tools")
	_, err = Load(file, box())
	require.ErrorIs(t, err, fault.Unavailable)
}

func TestABadBoxIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*planning.Contract){
		"no cost":         func(c *planning.Contract) { c.Cost = "" },
		"no result":       func(c *planning.Contract) { c.Produces = nil },
		"a condition":     func(c *planning.Contract) { c.Postconditions = []string{"x"} },
		"an input twice":  func(c *planning.Contract) { c.Consumes = append(c.Consumes, c.Consumes[0]) },
		"not JSON":        func(c *planning.Contract) { c.Produces = map[string]any{"const": func() {}} },
		"a role":          func(c *planning.Contract) { c.Role = "pm" },
		"an input schema": func(c *planning.Contract) { c.Consumes[0].Schema = nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := box()
			spoil(&b[0])
			_, err := Load(t.TempDir(), b)
			require.ErrorIs(t, err, fault.Invalid)
			require.Contains(t, err.Error(), "the box: math.eval")
		})
	}
}

// A file of the greatest size, as bad as it can be, takes not much longer than one of the same size that is easy to read.
func TestFilesThatAreHardToRead(t *testing.T) {
	whole := with(`description: ` + strings.Repeat("What it does, in words. ", 40))
	plain := write(t, map[string]string{"a.yaml": whole + strings.Repeat("# a comment\n", (maxFile-len(whole))/12)})
	easy := measure.CPU(5, func() { _, err := Load(plain, box()); require.NoError(t, err) })
	for name, c := range map[string]struct{ file, unit string }{
		"brackets": {"a.yaml", "["}, "braces": {"a.yaml", "{"}, "keys": {"a.yaml", "? "}, "dashes": {"a.yaml", "- "}, "documents": {"a.yaml", "---\n"}, "anchors": {"a.yaml", "&a "},
		"lines": {"a.yaml", "\n"}, "colons": {"a.yaml", "a:\n "}, "quotes": {"a.yaml", "'"}, "comments": {"a.yaml", "#\n"}, "pairs": {"a.yaml", "a: b\n"}, "arrays": {"a.json", "["},
		"numbers": {"a.json", "9"}, "objects": {"a.json", `{"a":`}, "tags": {"a.yaml", "!a "}, "list": {"a.yaml", "- a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{c.file: strings.Repeat(c.unit, maxFile/len(c.unit))})
			var err error
			took := measure.CPU(1, func() { _, err = Load(dir, box()) })
			require.ErrorIs(t, err, fault.Invalid)
			require.Less(t, took, 300*easy)
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(least, true)
	f.Add(with(`consumes: {n: {schema: {type: integer}}}`, `preconditions: ["input.n > 0"]`), true)
	f.Add("a: &x [*x]", true)
	f.Add(`{"name":"a.b","version":"1","satisfies":["REPORT"],"produces":{},"implementation":{"means":"http","url":"http://a/"}}`, false)
	f.Fuzz(func(t *testing.T, content string, isYAML bool) {
		name := map[bool]string{true: "a.yaml", false: "a.json"}[isYAML]
		dir := write(t, map[string]string{name: content})
		r, err := Load(dir, box())
		if err != nil {
			failed, is := errors.AsType[*fault.Error](err)
			require.True(t, is)
			require.NotEmpty(t, failed.Fields)
			for _, f := range failed.Fields {
				require.True(t, strings.HasPrefix(f.Detail, name), f.Detail)
			}
			return
		}
		var loaded []planning.Contract
		for _, tool := range r.Tools() {
			loaded = append(loaded, tool.Contract())
		}
		again, err := Load(t.TempDir(), loaded) // what was loaded can be loaded again as it stands
		require.NoError(t, err)
		require.Equal(t, r.Digest(), again.Digest())
	})
}
