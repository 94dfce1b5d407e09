package contract

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/measure"
)

func facts() Facts {
	type project struct {
		Open int               `json:"open"`
		Tags []string          `json:"tags"`
		When time.Time         `json:"when"`
		By   map[string]uint16 `json:"by"`
	}
	return Facts{
		Payload: map[string]any{"kind": "query.math", "expr": "2+2", "list": []any{json.Number("1"), json.Number("2.5")}, "none": nil},
		Input: map[string]any{
			"n": json.Number("2"), "f": 2.0, "i": int64(2), "half": json.Number("0.5"), "u": uint64(math.MaxUint64), "big": json.Number("1e300"),
			"e": json.Number("2e0"), "text": "Ada", "deep": map[string]any{"a": []any{map[string]any{"b": 1}}}, "bad": json.Number("x"), "i8": int8(2), "u8": uint8(2), "f32": float32(2),
		},
		Caller: map[string]any{"role": "pm"},
		Known:  map[string]any{"facts": []any{map[string]any{"subject": "user", "object": "Jeff"}}},
		State:  project{Open: 3, Tags: []string{"a", "b"}, When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), By: map[string]uint16{"pm": 1, "coder": 2}},
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct{ text, why string }{
		{`input.n + 1 == 3`, ""},
		{`input.f + 1 == 3`, ""},
		{`input.i + 1 == 3`, ""},
		{`input.e + 1 == 3`, ""},
		{`input.i8 + input.u8 + input.f32 == 6`, ""},
		{`input.n == input.f && input.f == input.i`, ""},
		{`input.half < 1 && input.half * 2.0 == 1.0`, ""},
		{`double(input.n) + input.half == 2.5`, ""},
		{`input.u > 9223372036854775807`, ""},
		{`input.big > 1e299`, ""},
		{`input["n"] == 2`, ""},
		{`input.n == 3`, "it is false"},
		{`input.m == 3`, "no such key: m"},
		{`has(input.m) && input.m == 3`, "it is false"},
		{`!has(input.m) || input.m == 3`, ""},
		{`input.deep.a[0].b == 1`, ""},
		{`input.deep.a[1].b == 1`, "index out of bounds: 1"},
		{`input.text + input.n == "Ada1"`, "no such overload"},
		{`input.bad == 1`, "a number is out of range"},
		{`1 / (input.n - 2) == 0`, "division by zero"},
		{`payload.kind == "query.math" && payload.expr.size() == 3`, ""},
		{`payload.none == null`, ""},
		{`payload.list == [1, 2.5] && payload.list.exists(x, x > 2)`, ""},
		{`payload.expr.matches("^[0-9+]+$")`, ""},
		{`caller.role in ["pm", "architect"]`, ""},
		{`caller.name == "Ada"`, "no such key: name"},
		{`ir.facts.exists(f, f.subject == "user" && f.object == "Jeff")`, ""},
		{`ir.facts.all(f, f.subject == "user")`, ""},
		{`state.open < 4 && state.tags.size() == 2 && state.by.coder == 2`, ""},
		{`timestamp(state.when) < timestamp("2026-02-01T00:00:00Z")`, ""},
		{`state.by == {"pm": 1, "coder": 2}`, ""},
		{`state.by.exists(k, state.by[k] == 2)`, ""},
		{`size(payload) == 4`, ""},
		{`true`, ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			condition, err := CompileCondition(c.text)
			require.NoError(t, err)
			v := condition.Holds(facts())
			require.Equal(t, c.text, v.Condition)
			require.Equal(t, c.why == "", v.Holds, v.Why)
			require.Contains(t, v.Why, c.why)
			require.Equal(t, v.Holds, v.Why == "")
			require.Equal(t, v, condition.Holds(facts()))
		})
	}
}

func TestNoFactsAtAll(t *testing.T) {
	for text, why := range map[string]string{
		`payload.x == 1`: "no such key: x", `has(payload.x)`: "it is false", `state.x == 1`: "no such key: x", `ir == null`: "", `size(caller) == 0`: "",
	} {
		c, err := CompileCondition(text)
		require.NoError(t, err)
		v := c.Holds(Facts{})
		require.Contains(t, v.Why, why, text)
		require.Equal(t, why == "", v.Holds, text)
	}
}

func TestFactsThatAreNoJSON(t *testing.T) {
	c, err := CompileCondition(`state.x == 1`)
	require.NoError(t, err)
	require.Contains(t, c.Holds(Facts{State: make(chan int)}).Why, "cannot be written as JSON")
	require.Contains(t, c.Holds(Facts{State: map[string]any{"x": func() {}}}).Why, "cannot be written as JSON")
	c, err = CompileCondition(`state.x != state.x || state.x > 1`)
	require.NoError(t, err)
	require.True(t, c.Holds(Facts{State: map[string]any{"x": math.NaN()}}).Holds, "not equal to itself, as everywhere")
}

// Verifies: ORC-277
func TestConditionsThatCannotBeUsed(t *testing.T) {
	for text, detail := range map[string]string{
		``:                                     "character 0 of line 1: ",
		`inptu.n == 1`:                         "undeclared reference to 'inptu'",
		`result == 1`:                          "undeclared reference to 'result'",
		`now() > 1`:                            "undeclared reference to 'now'",
		`input.n +`:                            "Syntax error",
		"true &&\n  x":                         "character 3 of line 2: undeclared reference to 'x'",
		`1 + 1`:                                "its result is int, not bool",
		`input.n`:                              "its result is dyn, not bool",
		`"a" + 1 == "a1"`:                      "found no matching overload for '_+_'",
		`input.n.matches("(")`:                 "invalid matches argument",
		`"x" == "` + strings.Repeat("x", 2000): "longer than 2000 characters",
		strings.Repeat("(", 300) + "true" + strings.Repeat(")", 300): "recursion limit",
	} {
		_, err := CompileCondition(text)
		require.Error(t, err, text)
		require.ErrorIs(t, err, fault.Invalid)
		require.Contains(t, err.Error(), detail, text)
		require.NotContains(t, err.Error(), "container")
		failed, is := errors.AsType[*fault.Error](err)
		require.True(t, is)
		require.NotEmpty(t, failed.Fix)
	}
}

// Maps of Go are walked through in a random order; conditions must not see that.
func TestMapsHaveAnOrder(t *testing.T) {
	many := map[string]any{}
	for _, r := range "qwertyuiopasdfghjklzxcvbnm" {
		many[string(r)] = 1
	}
	for _, text := range []string{
		`payload.map(k, k) == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"]`,
		`payload.all(k, payload[k] == 1) && payload.exists_one(k, k == "q")`,
	} {
		c, err := CompileCondition(text)
		require.NoError(t, err)
		for range 20 {
			require.True(t, c.Holds(Facts{Payload: many}).Holds, text)
		}
	}
}

// Nothing that fits into a condition may keep the program busy, neither when it is compiled nor when it is evaluated. What
// costs more than the limit says is found by the processor time of a condition that does nothing but count to the limit.
//
// Verifies: ORC-277
func TestBombs(t *testing.T) {
	numbers := make([]any, 10_000)
	for i := range numbers {
		numbers[i] = i
	}
	on := Facts{Payload: map[string]any{"list": numbers, "nested": []any{[]any{numbers}}, "text": strings.Repeat("a", 1<<20), "pattern": strings.Repeat("(a*b){99}", 200)}, State: strings.Repeat("ab", 1<<19)}
	long := `[0,1,2,3,4,5,6,7,8,9]`
	nested := `true`
	for range 12 {
		nested = long + `.all(x, ` + nested + `)`
	}
	shared, joined := `[[1]]`, `[[1]]`
	for range 60 {
		shared += `.map(x, [x, x])`
		joined += `.map(x, x + x)`
	}
	doubled := `["aaaaaaaaaa"]`
	for range 25 {
		doubled += `.map(x, x + x + x + x)`
	}
	all, err := CompileCondition(`payload.list.all(a, payload.list.all(b, b >= 0))`)
	require.NoError(t, err)
	counted := measure.CPU(5, func() { require.False(t, all.Holds(on).Holds) })
	for name, text := range map[string]string{
		"lists in lists":  `payload.list.all(a, payload.list.all(b, payload.list.all(c, a + b + c >= 0)))`,
		"ten to the 12th": nested,
		"doubled texts":   doubled + `.size() == 1`,
		"a pattern":       `payload.list.all(x, payload.text.matches("(a*)*(a|b)*[ab]{1,50}$"))`,
		"added texts":     `payload.list.all(x, (payload.text + payload.text).size() > 0)`,
		"compared":        `payload.list.all(x, payload.list == payload.list)`,
		"compared deep":   `payload.list.all(x, payload.nested == payload.nested)`,
		"looked for":      `payload.list.all(x, !(payload.nested in payload.nested))`,
		"shared":          shared + `.all(x, x == x)`,
		"shared twice":    `payload.list.map(x, payload.list) == payload.list.map(x, payload.list)`,
		"joined lists":    joined + `.all(x, size(x) == 1)`,
		"joined nothing":  strings.Replace(joined, "[[1]]", "[[]]", 1) + `.all(x, size(x) == 1)`,
		"joined left":     strings.ReplaceAll(joined, "x + x", "x + x + [1]") + `.all(x, x == x)`,
		"in nothing":      "(" + strings.Replace(joined, "[[1]]", "[[]]", 1) + `[0] + [2]).exists(x, x in (` + strings.Replace(joined, "[[1]]", "[[]]", 1) + `[0] + [1]))`,
		"a long pattern":  `(payload.text + payload.text).matches(payload.pattern)`,
		"contained":       `payload.list.all(x, !payload.text.contains("b"))`,
		"begun":           `payload.list.all(x, payload.text.startsWith(payload.text))`,
		"turned":          `payload.list.all(x, string(bytes(payload.text)) != "")`,
		"sized":           `payload.list.all(x, payload.text.size() > 0)`,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := CompileCondition(text)
			require.NoError(t, err)
			var v Verdict
			took := measure.CPU(1, func() { v = c.Holds(on) })
			require.False(t, v.Holds)
			require.Less(t, took, 100*counted)
		})
	}
}

// What conditions are for fits well below the limits.
func TestWhatIsNoBomb(t *testing.T) {
	people := make([]any, 5000)
	for i := range people {
		people[i] = map[string]any{"subject": "p" + strconv.Itoa(i), "predicate": "friend_of", "object": "user"}
	}
	on := Facts{Known: map[string]any{"facts": people}, Payload: map[string]any{"text": strings.Repeat("a", 1<<20), "name": "p4999"}}
	for _, text := range []string{
		`ir.facts.exists(f, f.subject == payload.name)`, `payload.text.size() == 1048576`, `payload.text != ""`, `ir != null && ir.facts != []`,
		`payload.text.startsWith("aaa")`, `!payload.text.contains("b")`, `payload.name.matches("^p[0-9]{1,9}$")`, `ir.facts.map(f, f.subject).size() == 5000`,
	} {
		c, err := CompileCondition(text)
		require.NoError(t, err)
		require.Equal(t, Verdict{Condition: text, Holds: true}, c.Holds(on))
	}
}

func TestTextsThatAreHardToRead(t *testing.T) {
	long := strings.Repeat(`input.n > 0 && `, 130) + "true"
	easy := measure.CPU(5, func() { _, err := CompileCondition(long); require.NoError(t, err) })
	for name, text := range map[string]string{
		"brackets":   strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		"open":       strings.Repeat("(", 2000),
		"nots":       strings.Repeat("!", 1990) + "true",
		"minus":      strings.Repeat("-", 1990) + "1 == 1",
		"questions":  strings.Repeat("true?", 390) + "true",
		"sums":       strings.Repeat("1+", 990) + "1 == 1",
		"ors":        strings.Repeat("a||", 660) + "a",
		"objects":    strings.Repeat(`{"a":`, 390) + "1",
		"macros":     strings.Repeat("[1].all(x,", 190) + "true",
		"selections": "payload" + strings.Repeat(".a", 990) + " == 1",
		"quotes":     strings.Repeat(`"`, 1999),
		"calls":      strings.Repeat("size(", 390) + "1",
	} {
		t.Run(name, func(t *testing.T) {
			require.Less(t, measure.CPU(1, func() { _, _ = CompileCondition(text) }), 300*easy)
		})
	}
}

func BenchmarkCompileCondition(b *testing.B) {
	for b.Loop() {
		if _, err := CompileCondition(`has(input.n) && input.n + 1 == 3 && caller.role in ["pm", "tester"]`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHolds(b *testing.B) {
	c, err := CompileCondition(`has(input.n) && input.n + 1 == 3 && caller.role in ["pm", "tester"]`)
	require.NoError(b, err)
	on := facts()
	b.ReportAllocs()
	for b.Loop() {
		if !c.Holds(on).Holds {
			b.Fatal("it holds")
		}
	}
}
