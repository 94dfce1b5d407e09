package faithful

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-287
func TestFaithful(t *testing.T) {
	for _, c := range []struct{ draft, text string }{
		{"2+2 = 4", "2+2 = 4"},
		{"2+2 = 4.", "The sum of 2 and 2 is 4."},
		{"2+2 = 4.", "Two plus two is four."},
		{"There are 1000 requirements.", "There are 1,000 requirements in all."},
		{"There are 1,234,567.89 of them.", "It has 1234567.89 of them."},
		{"The result is -5.", "You get -5."},
		{"The result is -5.", "You get –5."},
		{"The result is 1/3.", "That makes 1/3."},
		{"5% of the tests failed.", "Of the tests, 5% failed."},
		{"REQ-7 is design_ready at revision 3.", "At revision 3, the status of REQ-7 is “design ready”."},
		{"REQ-7 is not_started.", "REQ-7 has not started."},
		{"REQ-7 is not_started.", "Status of REQ-7: Not started."},
		{"REQ-7 is not blocked.", "REQ-7 isn't blocked."},
		{"I cannot say whether REQ-7 is done.", "Whether REQ-7 is done, I can’t say."},
		{"REQ-1 is blocked; REQ-2 is blocked.", "REQ-1 and REQ-2 are blocked."},
		{"Your name is Jeff.", "Jeff is your name."},
		{"Jeff", "You are called Jeff."},
		{"Your friends in Seattle: Alice Smith, Bob Johnson.", "You have these friends in Seattle: Alice Smith and Bob Johnson."},
		{"The address is ada@example.org.", "It is ada@example.org."},
		{"The word is süß.", "It says süß."},
		{"", ""},
	} {
		require.NoError(t, Check(c.draft, c.text), "%q for %q", c.text, c.draft)
		require.NoError(t, Check(c.draft, c.draft))
	}
}

// Verifies: ORC-287
func TestUnfaithful(t *testing.T) {
	for _, c := range []struct{ draft, text, why string }{
		{"2+2 = 4", "", "empty"},
		{"2+2 = 4", "It is 4", `lacks the number "2"`},
		{"2+2 = 4", "2+2 = 5", `lacks the number "4"`},
		{"2+2 = 4", "2+2 = 4, and 3 more", `has the number "3"`},
		{"2+2 = 4", "2+2 = 4, and three more", `has the number "3"`},
		{"2+2 = 4", "2-2 = 4", `has the operator "-"`},
		{"2+2 = 4", "2+2 > 4", `character '>'`},
		{"5-3 = 2", "3-5 = 2", "order"},
		{"There are 1000.", "There are 1 000.", `lacks the number "1000"`},
		{"There are 1000.", "There are 1.000.", `lacks the number "1000"`},
		{"There are 1000.", "There are 1000,000.", `number "000"`},
		{"There are 100.", "There are 100,000.", `lacks the number "100"`},
		{"There are 10.", "There are 10k.", `lacks the number "10"`},
		{"There are 10.", "There are 10 thousand.", `has the number "1000"`},
		{"There are 10.", "There are 10 %.", `has the operator "%"`},
		{"There are 5.", "There are 5%.", `lacks the number "5"`},
		{"There are 5.", "There are 5 percent.", `has the number "%"`},
		{"It is 5.", "It is -5.", `lacks the number "5"`},
		{"It is -5.", "It is 5.", `lacks the number "-5"`},
		{"It is 5.", "It is minus 5.", `has the negation`},
		{"It is 5.", "It is \u20115.", `character '\u2011'`},
		{"It is 5.", "It is \u22125.", `character '\u2212'`},
		{"It is 5.", "It is 5².", "character"},
		{"It is 5.", "It is 5e3.", `lacks the number "5"`},
		{"It is 3.5.", "It is 3,5.", `lacks the number "3.5"`},
		{"It is 3.5.", "It is 35.", `lacks the number "3.5"`},
		{"It is 3.50.", "It is 3.5.", `lacks the number "3.50"`},
		{"It is 1/3.", "It is 3/1.", `lacks the number "1/3"`},
		{"It is 1/3.", "It is 0.33.", `lacks the number "1/3"`},
		{"It is 1/3.", "It is 1 in 3.", `lacks the number "1/3"`},
		{"At 10:30 it was done.", "At 10.30 it was done.", `lacks the number "10:30"`},
		{"REQ-7 is done.", "It is done.", `lacks the id "REQ-7"`},
		{"REQ-7 is done.", "req-7 is done.", `lacks the id "REQ-7"`},
		{"REQ-7 is done.", "REQ-70 is done.", `lacks the id "REQ-7"`},
		{"REQ-7 is done.", "REQ-7.1 is done.", `lacks the id "REQ-7"`},
		{"REQ-7 is done.", "REQ-7a is done.", `lacks the id "REQ-7"`},
		{"REQ-7 is done.", "REQ 7 is done.", `lacks the id "REQ-7"`},
		{"REQ-7 is done.", "REQ\u20117 is done.", "character"},
		{"REQ-7 is done.", "REQ-7 is d\u043ene.", "character"},
		{"REQ-7 is done.", "REQ-7 is \u200bdone.", "character"},
		{"REQ-7 is done.", "REQ-7 is ~~done~~.", "character '~'"},
		{"REQ-7 is done.", "REQ-7 and REQ-8 are done.", `has the id "REQ-8"`},
		{"SEC-A is done.", "SEC-B is done.", `lacks the id "SEC-A"`},
		{"REQ-7 is done.", "REQ-7 is finished.", `lacks the status word "done"`},
		{"REQ-7 is done.", "REQ-7 is done and implemented.", `has the status word "implemented"`},
		{"REQ-7 is done.", "REQ-7 is undone.", `lacks the status word "done"`},
		{"REQ-7 is done.", "REQ-7 is not done.", `has the negation "not"`},
		{"REQ-7 is done.", "REQ-7 isn't done.", `has the negation "not"`},
		{"REQ-7 is done.", "REQ-7 is non-done.", `has the negation "not"`},
		{"REQ-7 is not done.", "REQ-7 is done.", `lacks the negation "not"`},
		{"REQ-7 is not done.", "REQ-7 is not not done.", "2 negations, the draft 1"},
		{"REQ-7 is not_started.", "REQ-7 is started.", `lacks the status word "not_started"`},
		{"REQ-7 is tested_pass.", "REQ-7 is tested_fail.", `lacks the status word "tested_pass"`},
		{"REQ-7 is design_in_progress.", "REQ-7 is in progress.", `lacks the status word "design_in_progress"`},
		{"REQ-1 is done, REQ-2 is blocked.", "REQ-1 is blocked, REQ-2 is done.", "order"},
		{"REQ-1 is done, REQ-2 is blocked.", "REQ-2 is done, REQ-1 is blocked.", "order"},
		{"REQ-1 is not blocked, REQ-2 is blocked.", "REQ-1 is blocked, REQ-2 is not blocked.", "order"},
		{"REQ-1 has 3 findings, REQ-2 has 4.", "REQ-1 has 4 findings, REQ-2 has 3.", "order"},
		{"REQ-7 is done, not blocked.", "REQ-7 is blocked, not done.", "order"},
		{"It is true.", "It is false.", `lacks the status word "true"`},
		{"Your name is Jeff.", "Your name is Bob.", `lacks the name "Jeff"`},
		{"Your name is Jeff.", "Your name is Jeff Bob.", `has the name "Bob"`},
		{"The address is ada@example.org.", "It is bob@example.org.", `lacks the name "ada@example.org"`},
	} {
		err := Check(c.draft, c.text)
		require.Error(t, err, "%q for %q", c.text, c.draft)
		require.Contains(t, err.Error(), c.why, "%q for %q", c.text, c.draft)
	}
}

// Whatever two values of a true text are swapped or changed, the text is refused.
func TestNoValueGoesOverToAnother(t *testing.T) {
	statuses := lifecycle.Statuses()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Z]{2,4}-[1-9][0-9]{0,2}`), 2, 6, rapid.ID).Draw(t, "ids")
		lines := make([][2]string, len(ids))
		for i, id := range ids {
			lines[i] = [2]string{id, string(rapid.SampledFrom(statuses).Draw(t, "status"))}
		}
		text := func(lines [][2]string, verb string) string {
			var all []string
			for _, l := range lines {
				all = append(all, l[0]+verb+strings.ReplaceAll(l[1], "_", " "))
			}
			return strings.Join(all, "; ") + "."
		}
		draft := text(lines, " is ")
		require.NoError(t, Check(draft, text(lines, " has now become ")))
		at := rapid.IntRange(0, len(lines)-2).Draw(t, "at")
		for column := range 2 {
			swapped := append([][2]string{}, lines...)
			swapped[at][column], swapped[at+1][column] = lines[at+1][column], lines[at][column]
			if swapped[at] != lines[at] {
				require.Error(t, Check(draft, text(swapped, " is ")))
			}
		}
		require.Error(t, Check(draft, text(lines[1:], " is ")))
	})
}

func FuzzFaithful(f *testing.F) {
	f.Add("REQ-7 is not done at -1,000.5%", "isn't 1/3 ** 2")
	f.Add("ada@example.org – 5", "\xff\u200b½")
	f.Fuzz(func(t *testing.T, draft, text string) {
		require.NoError(t, Check(draft, draft))
		if Check(draft, text) == nil {
			require.NoError(t, Check(text, text))
		}
		require.Error(t, Check(draft, text+" and REQ-98765432109"), "an id is added")
	})
}
