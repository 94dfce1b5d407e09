package glob

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPath(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		matches       bool
	}{
		{"a/b", "a/b", true}, {"a/b", "a/c", false}, {"a/*", "a/b", true}, {"a/*", "a/b/c", false}, {"a/**", "a/b/c", true},
		{"a/**", "a", true}, {"**/c", "a/b/c", true}, {"**/c", "c", true}, {"**/c", "a/cc", false}, {"**/b/**", "a/b/c", true},
		{"**/**/c", "a/c", true}, {"/a", "a", false}, {"/a/?", "/a/b", true}, {"a/", "a", true}, {"", "", true},
		{"**/c?", "a/c", false}, {"**/x", "a/b", false},
	} {
		require.Equal(t, c.matches, Path(c.pattern, c.name), "%+v", c)
	}
}

func TestTextAndLiteral(t *testing.T) {
	require.True(t, Text("mcp__*", "mcp__x"))
	require.True(t, Text("Edit", "Edit"))
	require.False(t, Text("Edi?", "Ed"))
	require.Equal(t, "a/", Literal("a/*/b"))
	require.Equal(t, "a/b", Literal("a/b"))
}
