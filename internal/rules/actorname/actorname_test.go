package actorname

import (
	"math/rand/v2"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"ada", "Ada", "ADA", "ａｄａ", "ＡＤＡ", "aＤa"},
		{"build-bot@ci/1", "Build－Bot＠CI／1", "BUILD-BOT@CI/１"},
		{"straße", "STRASSE", "strasse", "Straẞe"},
		{"σίσυφος", "ΣΊΣΥΦΟΣ", "Σίσυφοσ"},
		{"żółć", "ŻÓŁĆ", "z\u0307o\u0301łc\u0301", "Z\u0307Ó\u0142C\u0301"},
		{"ガード", "ｶﾞｰﾄﾞ", "カ\u3099ート\u3099"},
		{"\u1fb4", "\u03b1\u0301\u0345", "\u0391\u0345\u0301", "\u03ac\u03b9"}, // iota subscript
		{"K8S", "\u212a8s", "k8s"},                                             // the sign of Kelvin
		{"한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"},
		{"李雷"},
		{""},
	} {
		for _, name := range same {
			require.Equal(t, Fold(same[0]), Fold(name), "%q", name)
		}
	}
	for _, apart := range [][2]string{
		{"ada", "adb"}, {"ada", "ada1"}, {"ada", "ad"},
		{"ada", "\u0430da"},    // Cyrillic
		{"ada", "àda"},         // an accent is a letter of its own
		{"fi", "\ufb01x"},      // a ligature folds to its letters, and the x stays
		{"x2", "x²"},           // a compatibility form, and no width
		{"ı", "i"},             // Turkish
		{"カ", "ガ"}, {"o", "0"}, // and no look-alikes
	} {
		require.NotEqual(t, Fold(apart[0]), Fold(apart[1]), "%q and %q", apart[0], apart[1])
	}
}

// TestEveryCharacterFoldsWithItsCases: Go's simple folding is an orbit of characters that are the same but for case.
func TestEveryCharacterFoldsWithItsCases(t *testing.T) {
	t.Parallel()
	different := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsGraphic(r) {
			continue
		}
		folded := Fold(string(r))
		if again := Fold(folded); again != folded {
			t.Fatalf("%U folds to %q, and that to %q", r, folded, again)
		}
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			if Fold(string(next)) != folded {
				t.Logf("%U and %U differ in case alone, and fold to %q and %q", r, next, folded, Fold(string(next)))
				different++
			}
		}
	}
	require.Zero(t, different)
}

// TestFoldIsIdempotent draws names from the characters that case, width and normalization change.
func TestFoldIsIdempotent(t *testing.T) {
	t.Parallel()
	var alphabet []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.IsGraphic(r) && (Fold(string(r)) != string(r) || unicode.Is(unicode.M, r)) {
			alphabet = append(alphabet, r)
		}
	}
	require.Greater(t, len(alphabet), 5000)
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		name := make([]rune, 1+random.IntN(5))
		for i := range name {
			name[i] = alphabet[random.IntN(len(alphabet))]
		}
		folded := Fold(string(name))
		if again := Fold(folded); again != folded {
			t.Fatalf("%q folds to %q, and that to %q", string(name), folded, again)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, name := range []string{"", "ada", "ＡＤＡ", "ｶﾞ", "\u1fb4", "\u0345\u0301", "\xff", "İ", "ŉ", "ΐ"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		folded := Fold(name)
		require.Equal(t, folded, Fold(folded))
		require.True(t, !utf8.ValidString(name) || utf8.ValidString(folded))
	})
}
