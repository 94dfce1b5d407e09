package reqid

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-007
func TestValid(t *testing.T) {
	for _, id := range []string{"REQ-001", "a", "FR-1.1", "feat~x~1", "Change creation", "Sign in — by key", "דרישה-001", "e\u0301-1", strings.Repeat("é", 128)} {
		require.NoError(t, Valid(id), "%q", id)
	}
	for _, id := range []string{
		"", " a", "a ", "a  b", "a\tb", "a – b–c", "a –b", "a\u00a0b", "a\u3000b", "a\x00", "a\x7f", "a\u0085", "\xff", strings.Repeat("a", 129),
		"FR\u00ad1", "FR\u200b1", "FR\u200e1", "FR\u20661", "\ufeffFR-1", "FR\u2028", "FR\u31641", "FR\ufe0f1", "FR\U000e00411", "FR\u2800",
		"FR\u20101", "FR\u20111", "FR\u20121", "FR\u20131", "FR\u20141", "FR\u20151", "FR\u22121", "FR\uff0d1", "FR\ufe631", "FR\ue000",
	} {
		requireRefused(t, Valid(id))
	}
}

func TestLooksLike(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"REQ-7", "PAY-F-12", "ABC_1", "FR-005a", "REQ-1.2", "X-1"} {
		require.True(t, LooksLike(id), id)
	}
	for _, word := range []string{"", "UTF-8", "SHA-256", "v1.2", "FR1", "req-7", "7", "REQ", "REQ-", "-7", "REQ-7b1", "REQ-7,", "A.0\xbe", "REQ 7"} {
		require.False(t, LooksLike(word), word)
	}
}

func FuzzValid(f *testing.F) {
	for _, id := range []string{"REQ-001", "", "a b", "FR\u2011001", "\u202eFR-1", "\xff", strings.Repeat("x", 129), "דרישה-1", "e\u0301-1"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if err := Valid(id); err != nil {
			requireRefused(t, err)
			return
		}
		require.True(t, utf8.ValidString(id))
		require.LessOrEqual(t, utf8.RuneCountInString(id), 128)
		require.NotEmpty(t, id)
		require.Equal(t, id, strings.Join(strings.Fields(id), " "), "single spaces inside")
		require.NotContains(t, id, "\x00")
	})
}

func requireRefused(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, fault.Invalid)
	require.Equal(t, "illegal_id", string(fault.As(err).Code))
	require.NotEmpty(t, fault.As(err).Fix)
	require.True(t, utf8.ValidString(err.Error()))
}
