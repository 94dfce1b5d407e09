package agreement

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type obj = map[string]any

func TestValuesThatAgree(t *testing.T) {
	for _, c := range []struct {
		sense       Sense
		value, want any
		agree       bool
	}{
		{Number, 4, "4", true}, {Number, "4", "4", true}, {Number, 4.0, "4", true}, {Number, "8/2", "4", true}, {Number, "4.00", "4", true}, {Number, "4e0", "4", true}, {Number, json.Number("4.0"), "4", true},
		{Number, "5", "4", false}, {Number, "4 ", "4", false}, {Number, "four", "4", false}, {Number, "1/0", "4", false}, {Number, "", "4", false}, {Number, true, "4", false}, {Number, nil, "4", false}, {Number, "0x4", "4", false}, {Number, "1e9999", "4", false},
		{Number, "1/3", "1/3", true}, {Number, "2/6", "1/3", true}, {Number, 0.3333333333333333, "1/3", false}, {Number, strings.Repeat("4", 5000), strings.Repeat("4", 5000), false},
		{Plain, 3.0, 3, true}, {Plain, "3", 3, true}, {Plain, int64(3), 3, true}, {Plain, uint64(3), 3.0, true}, {Plain, "three", 3, false}, {Plain, 4, 3, false}, {Plain, math.NaN(), 3, false}, {Plain, math.Inf(1), 3, false},
		{Plain, "01", "1", false}, {Plain, 1, "1", false}, {Plain, true, true, true}, {Plain, "true", true, false}, {Plain, nil, nil, true}, {Plain, "", nil, false}, {Plain, func() {}, "x", false},
		{Plain, []any{"b", "a"}, []any{"a", "b"}, true}, {Plain, []any{"a", "a"}, []any{"a", "b"}, false}, {Plain, []any{"a"}, []any{"a", "b"}, false}, {Plain, "a", []any{"a"}, false}, {Plain, []any{2.0, 1.0}, []any{1, 2}, true},
		{Ordered, []any{"b", "a"}, []any{"a", "b"}, false}, {Ordered, []any{"a", "b"}, []any{"a", "b"}, true},
		{Plain, obj{"a": 1.0, "b": []any{obj{"c": "2"}}}, obj{"a": 1, "b": []any{obj{"c": 2}}}, true}, {Plain, obj{"a": 1}, obj{"a": 1, "b": 2}, false}, {Plain, obj{"a": 1, "b": 2}, obj{"a": 1}, false}, {Plain, "a", obj{}, false},
		{Moment, "2026-01-02T03:04:07Z", "2026-01-02T03:04:05Z", true}, {Moment, "2026-01-02T03:04:05.5+00:00", "2026-01-02T03:04:05Z", true}, {Moment, "2026-01-02T03:04:08Z", "2026-01-02T03:04:05Z", false},
		{Moment, "2026-01-02T03:04:02Z", "2026-01-02T03:04:05Z", false}, {Moment, "2026-01-02T04:04:05+01:00", "2026-01-02T03:04:05Z", false}, {Moment, "soon", "2026-01-02T03:04:05Z", false}, {Moment, 7, "2026-01-02T03:04:05Z", false},
		{Free, "this", "that", true},
	} {
		require.Equal(t, c.agree, agree(c.value, c.want, c.sense), "%v and %v", c.value, c.want)
	}
	require.True(t, Equal("4", 4))
	require.True(t, Equal(4, "4"))
	require.False(t, Equal([]any{1, 2}, []any{2, 1}))
}

func TestWhatIsKept(t *testing.T) {
	senses := map[string]Sense{"value": Number, "proof": Free}
	must := []string{"value", "proof"}
	expected := obj{"value": "4", "proof": "mine", "note": "n", "other": "o"}
	kept, d := Compare(obj{"value": 4.0, "proof": "theirs", "note": "n", "extra": 1}, expected, must, senses)
	require.Nil(t, d)
	require.Equal(t, expected, kept, "as the built-in tool writes it, and with what was left out")
	kept, d = Compare(obj{"value": "4"}, expected, must, senses)
	require.Nil(t, d)
	require.Equal(t, expected, kept)
	kept, d = Compare(obj{"value": "4", "other": "x"}, expected, must, senses)
	require.Nil(t, kept)
	require.Equal(t, `t.a says that other is "x", and math.eval finds "o"`, d.Between("t.a", "math.eval"))
	kept, d = Compare(obj{"value": "5"}, expected, must, senses)
	require.Nil(t, kept)
	require.Equal(t, `t.a says that value is "5", and math.eval finds "4"`, d.Between("t.a", "math.eval"))
	_, d = Compare(obj{}, expected, must, senses)
	require.Equal(t, `t.a leaves out value, and math.eval finds "4"`, d.Between("t.a", "math.eval"))
	_, d = Compare(nil, expected, must, senses)
	require.True(t, d.Missing)

	require.Nil(t, Strict(obj{"value": 4}, obj{"value": "4"}, senses))
	require.Equal(t, &Difference{Member: "more", Answered: 1}, Strict(obj{"value": 4, "more": 1}, obj{"value": "4"}, senses))
	require.Equal(t, &Difference{Member: "note", Missing: true, Expected: "n"}, Strict(obj{"value": 4}, obj{"value": "4", "note": "n"}, senses))
}

func TestShownValuesAreShort(t *testing.T) {
	require.Equal(t, `{"a":[1]}`, Shown(obj{"a": []any{1}}))
	require.Equal(t, "something that is no JSON", Shown(func() {}))
	require.LessOrEqual(t, len(Shown(strings.Repeat("x", 9999))), maxShown+len("…"))
}
