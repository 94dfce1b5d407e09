package lists

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Quoted text is what bash makes of it.
func TestQuotedText(t *testing.T) {
	for text, want := range map[string]string{
		`plain`: "plain", `a\`: `a\`, `\x72m`: "rm", `\162m`: "rm", `\u0072\U0000006d`: "rm", `\u00e4`: "ä",
		`\n\t\e\E`: "\n\t\x1b\x1b", `\ca`: "\x01", `\c`: "c", `\'\q`: "'q", `a\0b`: "a", `\xzz`: `\xzz`, `\x7g`: "\x07g",
	} {
		require.Equal(t, want, ANSI(text), text)
	}
	for _, one := range []struct{ text, set, want string }{
		{"plain", "", "plain"}, {`a\b\\c`, "", `ab\c`}, {`a\b\$c`, `$`, `a\b$c`}, {`a\`, "", `a\`},
	} {
		require.Equal(t, one.want, Unescape(one.text, one.set), one.text)
	}
}
