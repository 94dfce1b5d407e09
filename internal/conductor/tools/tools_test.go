package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 999, time.UTC)

const grandparent = "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."

type obj = map[string]any

func tool(t testing.TB, name string) Tool {
	for _, tl := range Box() {
		if tl.Contract.Name == name {
			return tl
		}
	}
	require.Fail(t, "no tool "+name)
	return Tool{}
}

// viaJSON is a value after it was stored and read back.
func viaJSON(t testing.TB, v any) any {
	body, err := json.Marshal(v)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var out any
	require.NoError(t, d.Decode(&out))
	return out
}

// admits compiles a schema of a contract, as it is and as it is stored, and holds a value against both.
func admits(t testing.TB, schema map[string]any, value any) error {
	for _, doc := range []any{schema, viaJSON(t, schema)} {
		c := jsonschema.NewCompiler()
		c.Draft, c.AssertFormat = jsonschema.Draft2020, true
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		require.NoError(t, c.AddResource("mem:schema", bytes.NewReader(text)))
		compiled, err := c.Compile("mem:schema")
		require.NoError(t, err)
		if err := compiled.Validate(viaJSON(t, value)); err != nil {
			return err
		}
	}
	return nil
}

func TestTheContractsAreComplete(t *testing.T) {
	want := map[string]struct {
		satisfies string
		verify    planning.Checking
		inputs    []string // required ones with *
	}{
		"math.eval":          {"REPORT(query.math)", planning.CheckBlocking, []string{"expr*"}},
		"normalize.email":    {"REPORT(normalize.email)", planning.CheckOff, []string{"email*"}},
		"normalize.url":      {"REPORT(normalize.url)", planning.CheckOff, []string{"url*"}},
		"rules.deduce":       {"REPORT(rules.deduce)", planning.CheckBlocking, []string{"facts", "query*", "rules*"}},
		"text.count_letters": {"REPORT(query.count_letters)", planning.CheckBlocking, []string{"case_sensitive", "letter*", "text*"}},
		"time.now":           {"REPORT(time.now)", planning.CheckOff, []string{"zone"}},
	}
	box := Box()
	require.Len(t, box, len(want))
	require.True(t, slices.IsSortedFunc(box, func(a, b Tool) int { return strings.Compare(a.Contract.Name, b.Contract.Name) }))
	for _, tl := range box {
		c := tl.Contract
		w := want[c.Name]
		require.Equal(t, []string{w.satisfies}, c.Satisfies, c.Name)
		require.Equal(t, w.verify, c.Verify, c.Name)
		require.Equal(t, w.verify != planning.CheckOff, tl.Again != nil, c.Name)
		var inputs []string
		for _, in := range c.Consumes {
			require.Error(t, admits(t, in.Schema, obj{}), "%s: the schema of %s refuses an object", c.Name, in.Name)
			inputs = append(inputs, in.Name+map[bool]string{true: "*"}[in.Required])
		}
		require.Equal(t, w.inputs, inputs, c.Name)
		require.Error(t, admits(t, c.Produces, obj{"else": 1}), c.Name)
		require.Equal(t, planning.High, c.Reliability)
		require.Equal(t, planning.CostTiny, c.Cost)
		require.Positive(t, c.LatencyMS)
		require.Greater(t, c.TimeoutMS, c.LatencyMS)
		require.True(t, c.Idempotent)
		require.Equal(t, planning.Implementation{Means: planning.Builtin, Name: c.Name}, c.Implementation)
		require.NotEmpty(t, c.Version)
		require.NotEmpty(t, c.Description)
	}
}

func TestRuns(t *testing.T) {
	family := []any{"parent(ann, bob)", "parent(bob, cid)"}
	for _, c := range []struct {
		tool  string
		input obj
		want  string
	}{
		{"math.eval", obj{"expr": "2+2"}, `{"value":"4"}`},
		{"math.eval", obj{"expr": "1/3"}, `{"decimal":"0.33333333333333333333","value":"1/3"}`},
		{"text.count_letters", obj{"text": "strawberry", "letter": "r"}, `{"value":3}`},
		{"text.count_letters", obj{"text": "Rr", "letter": "r", "case_sensitive": true}, `{"value":1}`},
		{"normalize.email", obj{"email": "Bob@EXAMPLE.com"}, `{"value":"Bob@example.com"}`},
		{"normalize.url", obj{"url": "HTTP://Example.com:80"}, `{"value":"http://example.com/"}`},
		{"time.now", obj{}, `{"value":"2026-01-02T12:00:00Z","zone":"UTC"}`},
		{"time.now", obj{"zone": "America/New_York"}, `{"value":"2026-01-02T07:00:00-05:00","zone":"America/New_York"}`},
		{"time.now", obj{"zone": "+05:30"}, `{"value":"2026-01-02T17:30:00+05:30","zone":"+05:30"}`},
		{"rules.deduce", obj{"facts": family, "rules": []any{grandparent}, "query": "grandparent(ann, X)"},
			`{"answers":["grandparent(ann, cid)"],"count":1,"holds":true,"proof":[{"fact":"parent(ann, bob)","step":1},{"fact":"parent(bob, cid)","step":2},` +
				`{"fact":"grandparent(ann, cid)","from":[1,2],"rule":"grandparent(X, Z) :- parent(X, Y), parent(Y, Z).","step":3}]}`},
		{"rules.deduce", obj{"rules": []any{grandparent}, "query": "grandparent(ann, X)"}, `{"answers":[],"count":0,"holds":false,"proof":[]}`},
		{"rules.deduce", obj{"facts": []any{}, "rules": []string{grandparent}, "query": "grandparent(ann, X)"}, `{"answers":[],"count":0,"holds":false,"proof":[]}`},
		{"rules.deduce", obj{"facts": family, "rules": []any{grandparent}, "query": "parent(ann, bob)"}, `{"answers":["parent(ann, bob)"],"count":1,"holds":true,"proof":[{"fact":"parent(ann, bob)","step":1}]}`},
	} {
		tl := tool(t, c.tool)
		for _, slot := range tl.Contract.Consumes {
			if value, given := c.input[slot.Name]; given {
				require.NoError(t, admits(t, slot.Schema, value))
			}
		}
		in := In{Input: c.input, Now: noon}
		result, err := tl.Run(t.Context(), in)
		require.NoError(t, err, c.input)
		body, err := json.Marshal(result)
		require.NoError(t, err)
		require.JSONEq(t, c.want, string(body))
		require.NoError(t, admits(t, tl.Contract.Produces, result))
		if tl.Again != nil {
			require.NoError(t, tl.Again(t.Context(), in, result))
			require.NoError(t, tl.Again(t.Context(), in, viaJSON(t, result).(obj)))
			var floats obj
			require.NoError(t, json.Unmarshal(body, &floats))
			require.NoError(t, tl.Again(t.Context(), in, floats))
			for name := range floats { // whatever is changed or missing is found
				for _, wrong := range []any{"x", 77, nil, []any{"x"}} {
					requireCode(t, tl.Again(t.Context(), in, with(floats, name, wrong)), "result_unconfirmed")
				}
			}
		}
	}
}

func with(result obj, name string, value any) obj {
	changed := obj{}
	for k, v := range result {
		changed[k] = v
	}
	changed[name] = value
	return changed
}

func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, string(f.Code))
	require.NotEmpty(t, f.Detail)
	require.NotEmpty(t, f.Fix)
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		tool  string
		input obj
		code  string
	}{
		{"math.eval", obj{"expr": "1/0"}, "division_by_zero"}, {"math.eval", obj{"expr": "9**9**9"}, "number_too_large"}, {"math.eval", obj{"expr": "2+"}, "expression_syntax"},
		{"math.eval", obj{}, "tool_input"}, {"math.eval", nil, "tool_input"}, {"math.eval", obj{"expr": 4}, "tool_input"}, {"math.eval", obj{"expr": nil}, "tool_input"},
		{"text.count_letters", obj{"text": "a"}, "tool_input"}, {"text.count_letters", obj{"letter": "a"}, "tool_input"}, {"text.count_letters", obj{"text": "a", "letter": "a", "case_sensitive": "yes"}, "tool_input"}, {"text.count_letters", obj{"text": "a", "letter": "ab"}, "letter_not_one"}, {"text.count_letters", obj{"text": "a", "letter": ""}, "letter_not_one"}, {"text.count_letters", obj{"text": "", "letter": "a"}, "text_empty"},
		{"math.eval", obj{"expr": "import os"}, "expression_syntax"}, {"math.eval", obj{"expr": ""}, "expression_syntax"},
		{"normalize.email", obj{"email": "x"}, "email_invalid"}, {"normalize.email", nil, "tool_input"}, {"normalize.url", obj{"url": "x"}, "url_invalid"},
		{"time.now", obj{"zone": "Mars/Olympus"}, "zone_unknown"}, {"time.now", obj{"zone": "Local"}, "zone_unknown"}, {"time.now", obj{"zone": "../../etc/passwd"}, "zone_unknown"}, {"time.now", obj{"zone": "/etc/localtime"}, "zone_unknown"}, {"time.now", obj{"zone": "+99:00"}, "zone_unknown"}, {"time.now", obj{"zone": 1}, "tool_input"},
		{"rules.deduce", obj{"facts": []any{"p(a)"}, "rules": []any{}, "query": "p(a)"}, "rules_missing"}, {"rules.deduce", obj{"facts": []any{"age(bob, 30)"}, "rules": []any{"old(X) :- age(X, thirty)."}, "query": "old(bob)"}, "type_mismatch"},
		{"rules.deduce", obj{"rules": []any{"p(X) :- q(Y)."}, "query": "p(a)"}, "rule_unbound"}, {"rules.deduce", obj{"rules": []any{}}, "tool_input"}, {"rules.deduce", obj{"rules": "x", "query": "p"}, "tool_input"}, {"rules.deduce", obj{"facts": []any{1}, "query": "p"}, "tool_input"},
	} {
		tl := tool(t, c.tool)
		_, err := tl.Run(t.Context(), In{Input: c.input, Now: noon})
		requireCode(t, err, c.code)
		require.ErrorIs(t, err, fault.Invalid)
		if tl.Again != nil {
			require.Error(t, tl.Again(t.Context(), In{Input: c.input}, obj{"value": "4"}))
		}
	}
}

// TestASpoiledProofIsFound spoils each step of a proof that was stored.
func TestASpoiledProofIsFound(t *testing.T) {
	tl := tool(t, "rules.deduce")
	in := In{Input: obj{"facts": []any{"parent(ann, bob)", "parent(bob, cid)"}, "rules": []any{grandparent}, "query": "grandparent(ann, X)"}}
	for i := range 3 {
		for member, wrong := range map[string]any{"step": 9, "fact": "parent(ann, eve)", "rule": "no rule", "from": []any{"x"}} {
			result, err := tl.Run(t.Context(), in)
			require.NoError(t, err)
			result["proof"].([]any)[i].(obj)[member] = wrong
			requireCode(t, tl.Again(t.Context(), in, result), "result_unconfirmed")
		}
	}
}

func TestADeductionStopsWithItsContext(t *testing.T) {
	facts := make([]any, 300)
	for i := range facts {
		facts[i] = fmt.Sprintf("p(%d)", i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tool(t, "rules.deduce").Run(ctx, In{Input: obj{"facts": facts, "rules": []any{"q(A) :- p(A), p(B), p(C)."}, "query": "q(A)"}})
	requireCode(t, err, "deduction_stopped")
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkMath(b *testing.B) {
	tl := tool(b, "math.eval")
	in := In{Input: obj{"expr": "2+2"}}
	for b.Loop() {
		result, err := tl.Run(b.Context(), in)
		if err == nil {
			err = tl.Again(b.Context(), in, result)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDeduce(b *testing.B) {
	tl := tool(b, "rules.deduce")
	facts := make([]any, 1000)
	for i := range facts {
		facts[i] = fmt.Sprintf("parent(n%d, n%d)", i, i*7%1000+1)
	}
	in := In{Input: obj{"facts": facts, "rules": []any{grandparent}, "query": "grandparent(n5, X)"}}
	for b.Loop() {
		if _, err := tl.Run(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}
