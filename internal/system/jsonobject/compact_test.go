package jsonobject

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

func TestCompact(t *testing.T) {
	require.Nil(t, Compact(nil))
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
