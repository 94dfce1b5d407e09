package vocabulary

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// headings draws headings in small letters that are made of the words of this package and of what stands around them.
func headings() *rapid.Generator[string] {
	words := slices.Concat(registerWords, requirementWords, referenceWords)
	for _, s := range sectionWords {
		for _, word := range s.words {
			words = append(words, strings.TrimSuffix(word, "$"))
		}
	}
	around := []string{"", " ", "s", "s & ", ", ", "/", " and ", "s and others", "(", "x", "é", "需求"}
	return rapid.Custom(func(t *rapid.T) string {
		part := rapid.OneOf(rapid.SampledFrom(words), rapid.SampledFrom(around))
		return strings.Join(rapid.SliceOfN(part, 0, 4).Draw(t, "parts"), "")
	})
}

// A register's word ends a heading, or begins an enumeration, in the singular or the plural.
func TestIsRegister(t *testing.T) {
	require.True(t, IsRegister("open questions"))
	require.True(t, IsRegister("risks & assumptions of ours"))
	require.False(t, IsRegister("risk management"))
	rapid.Check(t, func(t *rapid.T) {
		name, want := headings().Draw(t, "heading"), false
		for _, word := range registerWords {
			for _, form := range []string{word, word + "s"} {
				rest, first := strings.CutPrefix(name, form)
				want = want || strings.HasSuffix(name, form) || first && strings.HasPrefix(rest, " and ") ||
					first && strings.IndexAny(strings.TrimLeft(rest, " "), "&,/(") == 0
			}
		}
		require.Equal(t, want, IsRegister(name), name)
	})
}

// The kind of a heading is that of the first word that it begins with, or has anywhere in a language without spaces.
func TestKindOf(t *testing.T) {
	require.Equal(t, Future, KindOf("future requirements"))
	require.Equal(t, Acceptance, KindOf("の受け入れ基準"))
	require.Equal(t, EdgeCase, KindOf("主なエッジケース"))
	require.Empty(t, KindOf("risk범위 외"), "what is out of scope says so first")
	require.Empty(t, KindOf(""))
	require.Empty(t, KindOf("goals of the requirements"))
	rapid.Check(t, func(t *rapid.T) {
		name := headings().Draw(t, "heading")
		require.Equal(t, kindOf(name), KindOf(name), name)
	})
}

func kindOf(name string) string {
	for _, s := range sectionWords {
		always := s.kind == OutOfScope || s.kind == Future
		for _, word := range s.words {
			whole, exact := strings.CutSuffix(word, "$")
			if !(exact && name == whole || !exact && strings.HasPrefix(name, word) ||
				!always && word[0] >= 0xe3 && strings.Contains(name, word)) {
				continue
			}
			within := func(noun string) bool { return strings.Contains(name, noun) }
			if !always && slices.ContainsFunc(requirementNouns, within) {
				return ""
			}
			return s.kind
		}
	}
	return ""
}

func TestMayRefer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := headings().Draw(t, "heading")
		want := slices.ContainsFunc(referenceWords, func(word string) bool { return strings.Contains(name, word) })
		require.Equal(t, want, MayRefer(name), name)
	})
}
