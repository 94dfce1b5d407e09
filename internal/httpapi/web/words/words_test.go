package words_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/words"
)

// Verifies: ORC-334
func TestWhatOthersWroteActsNowhere(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                      "plain",
		"<script>alert(1)</script>":  "&lt;script&gt;alert(1)&lt;/script&gt;",
		`a "b" & 'c'`:                "a &#34;b&#34; &amp; &#39;c&#39;",
		"two\nlines\tand tabs":       "two\nlines\tand tabs",
		"right\u202eto left":         `right<span class="ctl">U+202E</span>to left`,
		"zero\u200bwidth \ufeffmark": `zero<span class="ctl">U+200B</span>width <span class="ctl">U+FEFF</span>mark`,
		"next\u2028line\u3164":       `next<span class="ctl">U+2028</span>line<span class="ctl">U+3164</span>`,
		"bell\x07 and \x00":          `bell<span class="ctl">U+0007</span> and <span class="ctl">U+0000</span>`,
		"\u2066isolated\u2069":       `<span class="ctl">U+2066</span>isolated<span class="ctl">U+2069</span>`,
		"not UTF-8 \xff!":            `not UTF-8 <span class="ctl">0xFF</span>!`,
		"a real \ufffd":              "a real \ufffd",
		"שלום नमस्ते 👩\u200d💻":       "שלום नमस्ते 👩\u200d💻",
	} {
		require.Equal(t, want, string(words.Foreign(text)), "%q", text)
	}
}

var named = regexp.MustCompile(`<span class="ctl">(U\+[0-9A-F]{4,}|0x[0-9A-F]{2})</span>`)

func FuzzForeign(f *testing.F) {
	f.Add("<b>\u202e\xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		out := string(words.Foreign(text))
		require.True(t, utf8.ValidString(out))
		bare := named.ReplaceAllString(out, "")
		require.NotContains(t, bare, "<")
		require.NotContains(t, bare, ">")
		require.NotContains(t, bare, "\u202e")
		if !strings.Contains(out, "ctl") {
			require.Equal(t, text, html.UnescapeString(out), "nothing is lost")
		}
	})
}

func TestNumbersAndAges(t *testing.T) {
	for n, want := range map[int]string{0: "0", 12: "12", 999: "999", 1204: "1,204", -1234567: "-1,234,567"} {
		require.Equal(t, want, words.Number(n))
	}
	require.Equal(t, "none", words.Count(0))
	require.Equal(t, "twelve", words.Count(12))
	require.Equal(t, "1,300", words.Count(1300))
	for d, want := range map[time.Duration][2]string{
		-time.Second:         {"0 s", "less than a second"},
		59 * time.Second:     {"59 s", "59 seconds"},
		time.Minute:          {"1 min", "one minute"},
		5 * time.Hour:        {"5 h", "five hours"},
		9 * 24 * time.Hour:   {"9 d", "nine days"},
		412 * 24 * time.Hour: {"412 d", "412 days"},
	} {
		require.Equal(t, want, [2]string{words.Age(d), words.For(d)})
	}
}

func TestSentences(t *testing.T) {
	require.Equal(t, "tested pass", words.Status("tested_pass"))
	require.Equal(t, "design", words.Part("design_spec"))
	require.Equal(t, "pm notes", words.Part("pm_notes"))
	require.Equal(t, "no lines, one line, two lines", words.Counted(0, "line", "lines")+", "+
		words.Counted(1, "line", "lines")+", "+words.Counted(2, "line", "lines"))
	require.Equal(t, "none of 40 is, one of 40 is, eleven of twelve are", words.SomeOf(0, 40)+", "+
		words.SomeOf(1, 40)+", "+words.SomeOf(11, 12))
	require.Equal(t, "a, b and c", words.And("a", "b", "c"))
	require.Equal(t, "a", words.And("a"))
	require.Empty(t, words.And())
	require.Equal(t, "Émile", words.Upper("émile"))
	require.Empty(t, words.Upper(""))
	require.Equal(t, "wait", words.Plural(2, "waits", "wait"))
	require.Equal(t, "it changed", words.Plain("/test/evidence/0: it changed"))
	require.Equal(t, "docs/a.md: it changed", words.Plain("docs/a.md: it changed"))
	now := time.Date(2026, 11, 28, 9, 5, 0, 0, time.UTC)
	require.Equal(t, "28 Nov 09:05", words.Moment(now, now))
	require.Equal(t, "28 Nov 2026", words.Day(now, now.AddDate(1, 0, 0)))
}
