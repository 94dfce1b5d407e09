package near

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// slots of the tests: an id has a digit, a text is anything.
func slots(typ, text string) bool {
	switch typ {
	case "id":
		return !strings.Contains(text, " ") && strings.ContainsFunc(text, unicode.IsDigit)
	case "text":
		return true
	}
	return false
}

func TestNearest(t *testing.T) {
	const approve, block, read = "(approve|sign off) [requirement] {id}", "block {id} because [of] {reason:text}",
		"[what is] [the] status of [requirement] {id}"
	for name, c := range map[string]struct {
		say, said, want string
		distance        int
	}{
		"as it stands":                {approve, "approve REQ-1", "approve REQ-1", 0},
		"another alternative":         {approve, "sign off requirement REQ-1", "sign off requirement REQ-1", 0},
		"a letter left out":           {approve, "aprove REQ-1", "approve REQ-1", 1},
		"two letters swapped":         {approve, "apporve REQ-1", "approve REQ-1", 1},
		"any case":                    {approve, "Aprove REQ-1", "approve REQ-1", 1},
		"a word too much":             {approve, "approve finally REQ-1", "approve REQ-1", 3},
		"a word left out":             {block, "block REQ-1 it is late", "block REQ-1 because it is late", 3},
		"a short word left out":       {read, "status REQ-1", "status of REQ-1", 2},
		"what is optional stays away": {read, "statsu of REQ-1", "status of REQ-1", 1},
		"a value left out":            {approve, "approve", "approve ID", 4},
	} {
		t.Run(name, func(t *testing.T) {
			w, ok := Compile(c.say, false).Nearest(strings.Fields(c.said), slots)
			require.True(t, ok)
			require.Equal(t, Wording{c.want, c.distance}, w)
		})
	}
}

func TestWhatIsNotNear(t *testing.T) {
	for _, said := range []string{"don't approve REQ-1", "approve REQ-1 REQ-2", `approve REQ-1 "and all"`} {
		_, ok := Compile("approve {id}", false).Nearest(strings.Fields(said), slots)
		require.False(t, ok, "%s: what turns the meaning, or may be a value, is not left out", said)
	}
	_, ok := Compile("approve {id}", false).Nearest([]string{"REQ-1"}, slots)
	require.False(t, ok, "no word of it was said")
	w, _ := Compile("what is next", false).Nearest([]string{"what", "is", "love"}, slots)
	require.Greater(t, w.Distance, Limit, "words that look alike in nothing are two differences")
}

// Who speaks of an act does not ask for it; a slip does.
func TestWhatSpeaksOfAnAct(t *testing.T) {
	p := Compile("(approve|sign off) [requirement] {id} [because [of] {reason:text}]", true)
	for _, said := range []string{"who approved REQ-1", "who approve REQ-1", "should I approve REQ-1", "approved REQ-1", "approves REQ-1",
		"approving REQ-1", "Bob approve REQ-1", "approval REQ-1", "they do approve REQ-1", "approve should REQ-1"} {
		w, ok := p.Nearest(strings.Fields(said), slots)
		require.True(t, !ok || w.Distance > Limit, "%s: %v", said, w)
	}
	for said, want := range map[string]Wording{"aprove REQ-1": {"approve REQ-1", 1}, "approve just REQ-1": {"approve REQ-1", 3},
		"approve REQ-1 since it is late": {"approve REQ-1 because it is late", 1}, "sing off REQ-1": {"sign off REQ-1", 1}} {
		w, ok := p.Nearest(strings.Fields(said), slots)
		require.True(t, ok)
		require.Equal(t, want, w)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("[a|b c] (d|[e] {id}) f", "a d f")
	f.Add("{text}", "x y")
	p := Compile("(set|move) [the] [status] [of] [requirement] {id} (to|into) {text} [because [of] {reason:text}]", false)
	f.Fuzz(func(t *testing.T, _, said string) {
		words := strings.Fields(said)
		if len(words) > MaxWords {
			return
		}
		w, ok := p.Nearest(words, slots)
		if again, same := p.Nearest(words, slots); w != again || ok != same {
			t.Fatal("the same words have two wordings")
		}
		if ok {
			require.NotEmpty(t, w.Text)
			require.GreaterOrEqual(t, w.Distance, 0)
		}
	})
}
