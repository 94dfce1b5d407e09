package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// The digest and the order of the tools follow from the contracts alone.
func TestTheOrderOfRegistrationDoesNotMatter(t *testing.T) {
	names := []string{"a.one", "b.two", "c.three", "math.eval2", "z.last"}
	var digest string
	rapid.Check(t, func(rt *rapid.T) {
		shuffled := rapid.Permutation(names).Draw(rt, "names")
		boxes, files := box(), map[string]string{}
		for i, name := range shuffled {
			doc := with("name: "+name, "consumes: {b: {schema: {type: string}}, a: {schema: {}, required: false}}")
			switch rapid.IntRange(0, 3).Draw(rt, "where") {
			case 0:
				files[fmt.Sprintf("%d.yaml", i)] = doc
			case 1:
				files[fmt.Sprintf("%d.json", i)] = asJSONFile(t, doc)
			case 2:
				files["all.yaml"] += "---\n" + doc
			default:
				alone, err := Load(write(t, map[string]string{"a.yml": doc}), nil)
				require.NoError(rt, err)
				tool, _ := alone.Tool(name)
				boxes = slices.Insert(boxes, rapid.IntRange(0, len(boxes)).Draw(rt, "at"), tool.Contract())
			}
		}
		r, err := Load(write(t, files), boxes)
		require.NoError(rt, err)
		var have []string
		for _, tool := range r.Tools() {
			have = append(have, tool.Contract().Name)
		}
		require.Equal(rt, []string{"a.one", "b.two", "c.three", "math.eval", "math.eval2", "z.last"}, have)
		if digest == "" {
			digest = r.Digest()
		}
		require.Equal(rt, digest, r.Digest())
	})
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", digest)
	other, err := Load(t.TempDir(), box())
	require.NoError(t, err)
	require.NotEqual(t, digest, other.Digest())
}

func TestWhatAToolIsHeldTo(t *testing.T) {
	r, err := Load(write(t, map[string]string{"a.yaml": with(
		`consumes: {n: {schema: {type: integer, minimum: 1}}, label: {schema: {type: string}, required: false}}`,
		`produces: {type: object, properties: {sum: {type: integer}}, required: [sum], additionalProperties: false}`,
		`preconditions: ["input.n > 0", "caller.role == 'coder'"]`, `postconditions: ["result.sum == input.n + 1", "result.sum < 10"]`)}), box())
	require.NoError(t, err)
	tool, known := r.Tool("lint.run")
	require.True(t, known)
	_, known = r.Tool("lint")
	require.False(t, known)
	require.Equal(t, []planning.Input{
		{Name: "label", Schema: map[string]any{"type": "string"}}, {Name: "n", Schema: map[string]any{"type": "integer", "minimum": json.Number("1")}, Required: true},
	}, tool.Contract().Consumes)

	require.NoError(t, tool.CheckInput("n", json.Number("3")))
	require.NoError(t, tool.CheckInput("n", 3))
	for _, bad := range []any{0, "3", nil, 1.5, json.Number("1e999999999")} {
		require.ErrorIs(t, tool.CheckInput("n", bad), fault.Invalid, "%v", bad)
	}
	require.ErrorContains(t, tool.CheckInput("m", 3), "its inputs are: label, n")

	require.NoError(t, tool.CheckResult(map[string]any{"sum": 4}))
	require.NoError(t, tool.CheckResult(struct {
		Sum int `json:"sum"`
	}{4}))
	for _, bad := range []any{nil, map[string]any{}, map[string]any{"sum": "4"}, map[string]any{"sum": 4, "more": 1}, []any{}} {
		require.ErrorIs(t, tool.CheckResult(bad), fault.Invalid, "%v", bad)
	}

	on := Facts{Input: map[string]any{"n": json.Number("3")}, Caller: map[string]any{"role": "tester"}}
	require.Equal(t, []Verdict{{"input.n > 0", true, ""}, {"caller.role == 'coder'", false, "it is false"}}, tool.Preconditions(on))
	require.Equal(t, []Verdict{{"result.sum == input.n + 1", true, ""}, {"result.sum < 10", true, ""}}, tool.Postconditions(on, map[string]any{"sum": 4.0}))
	require.Equal(t, []Verdict{{"result.sum == input.n + 1", false, "no such key: sum"}, {"result.sum < 10", false, "no such key: sum"}}, tool.Postconditions(on, map[string]any{}))
	whole, err := json.Marshal(tool.Preconditions(on))
	require.NoError(t, err)
	require.JSONEq(t, `[{"condition":"input.n > 0","holds":true},{"condition":"caller.role == 'coder'","holds":false,"why":"it is false"}]`, string(whole))
}

func TestOneToolInSeveralGoroutines(t *testing.T) {
	r, err := Load(t.TempDir(), box())
	require.NoError(t, err)
	tool, _ := r.Tool("math.eval")
	done := make(chan []Verdict)
	for range 8 {
		go func() {
			var last []Verdict
			for range 100 {
				last = tool.Postconditions(facts(), map[string]any{"value": "4"})
			}
			done <- last
		}()
	}
	for range 8 {
		require.Equal(t, []Verdict{{Condition: `result.value != ""`, Holds: true}}, <-done)
	}
}
