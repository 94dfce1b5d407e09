package escapes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnescape(t *testing.T) {
	require.Equal(t, "ab", Unescape("ab", ""))
	require.Equal(t, `ab\`, Unescape(`a\b\`, ""))
	require.Equal(t, `a$\b`, Unescape(`a\$\b`, "$"))
}

func TestANSI(t *testing.T) {
	for text, want := range map[string]string{
		`a\n\t`: "a\n\t", `\x41\101\u00e9\U1F600`: "AAé😀", `\cA`: "\x01", `\q`: "q", `a\`: `a\`, `a\0b`: "a", `\xg`: `\xg`,
	} {
		require.Equal(t, want, ANSI(text), text)
	}
}

func TestIsPlain(t *testing.T) {
	require.True(t, IsPlain("") && IsPlain("a/b-c=d{e}]"))
	for _, text := range []string{`a\b`, "*.go", "a?", "[a", "~"} {
		require.False(t, IsPlain(text), text)
	}
}
