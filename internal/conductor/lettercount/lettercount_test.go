package lettercount

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		text, letter string
		exact        bool
		want         int
	}{
		{"strawberry", "r", false, 3}, {"Strawberry", "S", false, 1}, {"STRAWBERRY", "r", false, 3}, {"STRAWBERRY", "r", true, 0}, {"Rr", "R", true, 1},
		{"abc", "z", false, 0}, {"a b c", " ", false, 2}, {"1+1", "1", false, 2}, {"a\nb", "\n", false, 1},
		{"caf\u00e9 cafe\u0301", "\u00e9", false, 2}, {"caf\u00e9 cafe\u0301", "e\u0301", true, 2}, {"caf\u00e9 cafe\u0301", "e", false, 0}, {"\u00c9\u00e9", "e\u0301", false, 2},
		{"ệ\u1ec7e\u0323\u0302e\u0302\u0323", "ệ", false, 4}, {"Straße", "s", false, 1}, {"Straße STRAẞE", "ß", false, 2}, {"Straße", "ss", false, -1},
		{"αι ᾳ", "α", false, 1}, {"αι ᾳ", "ᾳ", false, 1}, {"σς", "Σ", false, 2}, {"ſs", "S", false, 2}, {"\u212a", "k", false, 1}, {"ｒr", "r", false, 1}, {"ﬁ fi", "f", false, 1},
		{"한국 한국", "한", false, 2}, {"한", "하", false, 0}, {"하", "\u1112\u1161", false, 1}, {"👩‍👩‍👧 👩", "👩", false, 1}, {"👩‍👩‍👧", "👩‍👩‍👧", false, 1}, {"👍🏽👍", "👍", false, 1},
		{"🇩🇪🇪🇩", "🇩🇪", false, 1}, {"🇩🇪🇩🇪", "🇪🇩", false, 0}, {"abc", "", false, -1}, {"abc", "ab", false, -1},
	} {
		n, err := Count(c.text, c.letter, c.exact)
		if c.want < 0 {
			requireCode(t, err, "letter_not_one")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, n, "%q in %q", c.letter, c.text)
		require.NoError(t, Confirm(c.text, c.letter, c.exact, n), "%q in %q", c.letter, c.text)
		require.Error(t, Confirm(c.text, c.letter, c.exact, n+1))
	}
}

func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, string(f.Code))
	require.ErrorIs(t, err, fault.Invalid)
	require.NotEmpty(t, f.Fix)
}

func TestWhatCannotBeCounted(t *testing.T) {
	_, err := Count("", "r", false)
	requireCode(t, err, "text_empty")
	_, err = Count(" \t ", "r", false)
	requireCode(t, err, "text_empty")
	n, err := Count("a b c", " ", false)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	_, err = Count(strings.Repeat("a", MaxText+1), "a", false)
	requireCode(t, err, "text_too_long")
	_, err = Count("a", "a"+strings.Repeat("\u0301", 40), false)
	requireCode(t, err, "text_too_long")
	_, err = Count("a\xff", "a", false)
	requireCode(t, err, "text_not_utf8")
	_, err = Count("a", "\xff", false)
	requireCode(t, err, "text_not_utf8")
	require.Error(t, Confirm("a\xff", "a", false, 1))
	require.Error(t, Confirm("abc", "", false, 0))
}

var pieces = []string{
	"a", "A", "e", "é", "e\u0301", "\u0301", "ß", "ẞ", "s", "ſ", "α", "ι", "ᾳ", "\u0345", "한", "\u1112", "\u1161", "\u11ab", "👩", "\u200d", "\u200c", "👧", "🏽", "🇩", "🇪", "\ufe0f", " ", "क", "\u094d", "ि", "K", "\u212a", "İ", "i",
}

// TestBothCountsAgree draws texts of pieces that join, in both normal forms.
func TestBothCountsAgree(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "text"), "")
		exact := rapid.Bool().Draw(t, "exact")
		for _, letter := range append(split(norm.NFD.String(text)), pieces...) {
			n, err := Count(text, letter, exact)
			if err != nil {
				continue
			}
			found += n
			require.NoError(t, Confirm(text, letter, exact, n), "%q in %q", letter, text)
			composed, err := Count(norm.NFC.String(text), norm.NFC.String(letter), exact)
			require.NoError(t, err)
			require.Equal(t, n, composed, "%q in %q", letter, text)
		}
	})
	require.Greater(t, found, 100)
}

func FuzzCount(f *testing.F) {
	f.Add("strawberry", "r", false)
	f.Add("🇩🇪🇩🇪 é", "e\u0301", true)
	f.Fuzz(func(t *testing.T, text, letter string, exact bool) {
		if n, err := Count(text, letter, exact); err == nil {
			require.NoError(t, Confirm(text, letter, exact, n))
		}
	})
}
