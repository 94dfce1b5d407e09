package jsonobject

import (
	"encoding/json"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCompact(t *testing.T) {
	require.Nil(t, Compact(nil))
	for _, wrong := range []string{`"a`, `{"a":"b}`, `"\"`} {
		require.Nil(t, Compact(jsontext.Value(wrong)), "a string without an end: %s", wrong)
	}
	for _, text := range []string{
		`{}`, ` {} `, `{"a": 1}`, `{"a":" b"}`, "{\"a\":\n1}", `{"a":"\" "}`, `{"a":"\\", "b":2}`,
		`{"a":"\\\" \\","b":"c d"}`, `["x y",[1, 2]]`,
		`{"a b":"c"}`, `{"a":"\u0020 \"","b":[true,null,1.50]}`, "\t1", `"a\\" `,
	} {
		want := jsontext.Value(text)
		require.NoError(t, want.Compact())
		given := jsontext.Value(text)
		got := Compact(given)
		require.Equal(t, string(want), string(got), text)
		require.Equal(t, text, string(given), "what it is given stays as it is")
		require.Equal(t, string(want) == text, isCompact(given), text)
	}
}

// TestSomeJSON holds the values of members to those of the library, in all forms in which a client may send them.
func TestSomeJSON(t *testing.T) {
	for _, text := range []string{
		"", "null", `""`, "{}", "[]", " {} ", `{"a" : [1.0, "b c"]}`, `"\u0041\/"`, `{"a":"\u0041","a":2}`,
		`{"a":1,"a":2}`,
	} {
		value := struct {
			A json.RawMessage `json:"a,omitempty"`
		}{json.RawMessage(text)}
		if text == "" {
			value.A = nil
		}
		want, err := jsonv2.Marshal(value, jsontext.AllowDuplicateNames(true))
		require.NoError(t, err)
		var w Writer
		w.Begin()
		w.SomeJSON("a", value.A)
		w.End()
		require.NoError(t, w.Err, text)
		require.Equal(t, string(want), string(w.B), text)
	}
	for _, wrong := range []string{`{"a" 1}`, "[1, 2", `"\x"`} {
		var w Writer
		w.SomeJSON("a", json.RawMessage(wrong))
		require.Error(t, w.Err, wrong)
	}
}

// TestIsCompact holds what is found by the ends of strings to what the library makes of any text that it reads.
func TestIsCompact(t *testing.T) {
	pieces := rapid.SampledFrom([]string{`"`, `\\`, `\"`, `a`, ` `, `[`, `]`, `,`, `{"a":`, `}`, `"a b"`, `1`, "\n",
		`"\\"`})
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 6).Draw(t, "pieces"), "")
		for _, form := range []string{text, "[" + text + "]", `"` + text + `"`, `["` + text + `"]`} {
			value := jsontext.Value(form)
			if value.Compact() == nil {
				read++
				require.Equal(t, string(value) == form, isCompact([]byte(form)), form)
			}
			_ = isCompact([]byte(form)) // whatever it is, it has an end
		}
	})
	require.NotZero(t, read)
}
