package shape

import (
	"bytes"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// values are JSON values that end in every way, some of them with what ends others.
func values() *rapid.Generator[any] {
	text := rapid.StringOfN(rapid.RuneFrom([]rune(`"\{}[],:ax é`)), 0, 6, -1)
	leaf := rapid.OneOf(text.AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil))
	list := rapid.SliceOfN(leaf, 0, 3).AsAny()
	object := rapid.MapOfN(text, rapid.OneOf(leaf, list), 0, 3).AsAny()
	return rapid.OneOf(leaf, list, object, rapid.SliceOfN(object, 0, 2).AsAny())
}

// TestMembersOf holds the members of what the library encodes to its own reading, and refuses what is cut or longer.
func TestMembersOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.StringOfN(rapid.RuneFrom([]rune(`ab"\`)), 0, 4, -1)
		members := rapid.MapOfN(names, values(), 0, 5).Draw(t, "members")
		object, err := jsonv2.Marshal(members, jsonv2.Deterministic(true))
		require.NoError(t, err)
		in := jsontext.NewDecoder(bytes.NewReader(object))
		_, err = in.ReadToken()
		require.NoError(t, err)
		for m, err := range membersOf(object) {
			require.NoError(t, err)
			name, err := in.ReadValue()
			require.NoError(t, err)
			require.Equal(t, string(name), `"`+string(m.name)+`"`)
			value, err := in.ReadValue()
			require.NoError(t, err)
			require.Equal(t, `"`+string(m.name)+`":`+string(value), string(m.whole))
		}
		require.Equal(t, jsontext.KindEndObject, in.PeekKind())
		for n := range object {
			_, err := Only(object[:n], "none")
			require.ErrorIs(t, err, errMalformed, string(object[:n]))
		}
		_, err = Only(append(object, '}'), "none")
		require.ErrorIs(t, err, errMalformed)
	})
}
