package mention_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orchestrator/internal/rules/boundary/mention"
)

// TestFirst holds First to its definition, for texts that are short, long, and not of ASCII.
func TestFirst(t *testing.T) {
	names := [][]string{{"boundary/mode", "k-file"}, {"boundary", "ärger", "zone"}}
	words := rapid.SampledFrom([]string{"Boundary/Mode", "boundary", "BOUNDARY", "K-FILE", "\u212a-file", "ÄRGER",
		"ärger", "@", "ZONE", "[", "`", "{", " ", "x", "\xff", strings.Repeat("Long ", 100)})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 6).Draw(t, "words"), "")
		want, lower := "", strings.ToLower(text)
		for _, name := range append(names[0], names[1]...) {
			if want == "" && strings.Contains(lower, name) {
				want = name
			}
		}
		if got := mention.First(text, names...); got != want {
			t.Fatalf("%q names %q, want %q", text, got, want)
		}
	})
}
