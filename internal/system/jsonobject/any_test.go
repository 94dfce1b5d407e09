package jsonobject_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/jsonobject"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

func TestAny(t *testing.T) {
	type anything struct {
		Any     any     `json:"any"`
		SomeAny any     `json:"some_any,omitempty"`
		Float   float64 `json:"float"`
	}
	jsonobjecttest.Like(t, nil, func(a *anything) ([]byte, error) {
		return jsonobject.Bytes(func(w *jsonobject.Writer) {
			w.Begin()
			w.Any("any", a.Any)
			w.SomeAny("some_any", a.SomeAny)
			w.Float("float", a.Float)
			w.End()
		})
	})
}

// TestBytesAreApart: no value is in the memory of another one, whatever the size of those before.
func TestBytesAreApart(t *testing.T) {
	quoted := func(text string) string {
		b, err := jsonobject.Bytes(func(w *jsonobject.Writer) { w.Quote(text) })
		require.NoError(t, err)
		return string(b)
	}
	first, err := jsonobject.Bytes(func(w *jsonobject.Writer) { w.Quote("first") })
	require.NoError(t, err)
	for _, n := range []int{1, 5, 1 << 17, 1} {
		require.Equal(t, `"`+strings.Repeat("x", n)+`"`, quoted(strings.Repeat("x", n)))
	}
	require.Equal(t, `"first"`, string(first))
	large, err := jsonobject.Bytes(func(w *jsonobject.Writer) { w.Quote(strings.Repeat("x", 1<<17)) })
	require.NoError(t, err)
	for range 3 {
		require.Equal(t, `"`+strings.Repeat("y", 1<<17)+`"`, quoted(strings.Repeat("y", 1<<17)))
	}
	require.Equal(t, `"`+strings.Repeat("x", 1<<17)+`"`, string(large))
	_, err = jsonobject.Bytes(func(w *jsonobject.Writer) { w.Quote("\xff") })
	require.Error(t, err)
	require.Equal(t, `"x"`, quoted("x"), "an error is not kept for the next value")
}
