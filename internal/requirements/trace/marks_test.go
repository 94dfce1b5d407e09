package trace

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

var someIDs = []string{
	"REQ-7", "REQ-8", "REQ-007.1", "REQ-7-1", "PAY-F-12", "FR1", "S1", "REQ-LOGIN", "req~log-in~1", "Log in, then out", "Log in", "größe-3", "12",
}

// readMarks returns what the marks of a text name: keyword:id, with a ? behind the id of no requirement, lines separated by |.
func readMarks(text string) string {
	m := marks{ids: newBook(someIDs, nil)}
	var lines []string
	for line := range strings.Lines(text) {
		var all []string
		for _, h := range m.line(strings.TrimRight(line, "\n")) {
			s := h.keyword[:1] + ":" + h.id
			if !h.known {
				s += "?"
			}
			all = append(all, s)
		}
		lines = append(lines, strings.Join(all, " "))
	}
	return strings.Join(lines, "|")
}

func TestMarks(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		// Where a mark may stand.
		{"slashes", "// Covers: REQ-7", "C:REQ-7"},
		{"three slashes", "/// Covers: REQ-7", "C:REQ-7"},
		{"number sign", "# Covers: REQ-7", "C:REQ-7"},
		{"shebang-like", "#! Covers: REQ-7", "C:REQ-7"},
		{"SQL, Lua, Haskell, Ada", "-- Covers: REQ-7", "C:REQ-7"},
		{"Lisp, ini, assembler", ";; Covers: REQ-7", "C:REQ-7"},
		{"TeX, Erlang, Matlab", "% Covers: REQ-7", "C:REQ-7"},
		{"C", "/* Covers: REQ-7 */", "C:REQ-7"},
		{"Javadoc", " * Covers: REQ-7", "C:REQ-7"},
		{"HTML", "<!-- Covers: REQ-7 -->", "C:REQ-7"},
		{"JSX", "  {/* Covers: REQ-7 */}", "C:REQ-7"},
		{"Haskell", "{- Covers: REQ-7 -}", "C:REQ-7"},
		{"OCaml, Pascal", "(* Covers: REQ-7 *)", "C:REQ-7"},
		{"Jinja", "{# Covers: REQ-7 #}", "C:REQ-7"},
		{"Fortran", "! Covers: REQ-7", "C:REQ-7"},
		{"batch", "REM Covers: REQ-7", "C:REQ-7"},
		{"m4", "dnl Covers: REQ-7", "C:REQ-7"},
		{"Visual Basic", "  ' Covers: REQ-7", "C:REQ-7"},
		{"Vim", `" Covers: REQ-7`, "C:REQ-7"},
		{"docstring", `    """Covers: REQ-7"""`, "C:REQ-7"},
		{"other docstring", `    '''Covers: REQ-7'''`, "C:REQ-7"},
		{"within a docstring", "    Covers: REQ-7", "C:REQ-7"},
		{"rst comment", ".. Covers: REQ-7", "C:REQ-7"},
		{"rst field", ":Covers: REQ-7", "C:REQ-7"},
		{"Markdown", "- **Covers:** REQ-7", "C:REQ-7"},
		{"Markdown, colon outside", "> **Covers**: `REQ-7`", "C:REQ-7"},
		{"behind code", "x := 1 // Covers: REQ-7", "C:REQ-7"},
		{"behind code, number sign", "x = 1  # Covers: REQ-7", "C:REQ-7"},
		{"behind code with strings", `x := "a\"b" + 'c' // Covers: REQ-7`, "C:REQ-7"},
		{"behind a lifetime", "fn f<'a>(x: &str) {} // Covers: REQ-7", "C:REQ-7"},
		{"behind a quote of Lisp", "'(a b) ; Covers: REQ-7", "C:REQ-7"},
		{"inside code", "f(x /* Covers: REQ-7 */, REQ_9)", "C:REQ-7"},
		{"behind a URL", "x = 'http://a/b' // Covers: REQ-7", "C:REQ-7"},
		{"in another comment", "a() // b # Covers: REQ-7", "C:REQ-7"},

		// Where none stands.
		{"in a string", `x := "// Covers: REQ-7"`, ""},
		{"in a string of ticks", "x := `# Covers: REQ-7`", ""},
		{"a string in its own line", `	"Covers: REQ-7",`, ""},
		{"a key of JSON", `"covers": "REQ-7"`, ""},
		{"later in a comment", "// This covers: REQ-7", ""},
		{"behind a sentence", "// Logs in. Covers: REQ-7", ""},
		{"part of a word", "// Discovers: REQ-7", ""},
		{"a part of another word", "// Covers2: REQ-7", ""},
		{"without colon", "// Covers REQ-7", ""},
		{"in code", "x.covers: REQ-7", ""},
		{"the second colon", "a: covers: REQ-7", ""},

		// Keywords.
		{"Implements", "// Implements: REQ-7", "I:REQ-7"},
		{"Verifies", "// VERIFIES: REQ-7", "V:REQ-7"},
		{"small", "// covers: REQ-7", "C:REQ-7"},
		{"no space", "//covers:REQ-7", "C:REQ-7"},
		{"no keyword", "// Tests: REQ-7", ""},

		// Lists.
		{"commas", "// Covers: REQ-7, REQ-8", "C:REQ-7 C:REQ-8"},
		{"spaces", "// Covers: REQ-7 REQ-8", "C:REQ-7 C:REQ-8"},
		{"and", "// Covers: REQ-7, FR1 and REQ-8.", "C:REQ-7 C:FR1 C:REQ-8"},
		{"semicolon, tab, slash", "// Covers: REQ-7;\tFR1/REQ-8", "C:REQ-7 C:FR1 C:REQ-8"},
		{"ends at a word", "// Covers: REQ-7 as REQ-8 says", "C:REQ-7"},
		{"ends at the sentence", "// Covers: REQ-7. REQ-8 comes later.", "C:REQ-7"},
		{"ends at a colon", "// Covers: REQ-7: log in as REQ-8", "C:REQ-7"},
		{"ends at a dash", "// Covers: REQ-7 — REQ-8", "C:REQ-7"},
		{"ends with the comment", "/* Covers: REQ-7 */ REQ_9 = 2", "C:REQ-7"},
		{"brackets", "// Covers: [REQ-7] (REQ-8)", "C:REQ-7 C:REQ-8"},
		{"ticks", "// Covers: `REQ-7`, `REQ-8`", "C:REQ-7 C:REQ-8"},
		{"no space at the end", "/* Covers: REQ-7*/", "C:REQ-7"},
		{"goes on after a comma", "// Covers: REQ-7,\n//   REQ-8\n// REQ-7", "C:REQ-7|C:REQ-8|"},
		{"goes on as a list", "# Covers:\n# - REQ-7\n# - REQ-8: out\n# REQ or so\n# REQ-7", "|C:REQ-7|C:REQ-8||"},
		{"goes on to nothing", "// Covers:\nfunc f() {}\n// REQ-7", "||"},
		{"does not go on behind its end", "/* Covers: REQ-7, */\nREQ_8()", "C:REQ-7|"},

		// Ids.
		{"the longest", "// Covers: REQ-7-1", "C:REQ-7-1"},
		{"with a point", "// Covers: REQ-007.1, REQ-7.", "C:REQ-007.1 C:REQ-7"},
		{"with tildes", "// Covers: req~log-in~1", "C:req~log-in~1"},
		{"of words", "// Covers: Log in", "C:Log in"},
		{"of words, the longest", "// Covers: Log in, then out, REQ-7", "C:Log in, then out C:REQ-7"},
		{"of words, but longer", "// Covers: Log inside", ""},
		{"not ASCII", "// Covers: größe-3", "C:größe-3"},
		{"a number", "// Covers: 12", "C:12"},

		// No requirement.
		{"unknown", "// Covers: REQ-9", "C:REQ-9?"},
		{"longer", "// Covers: REQ-71, REQ-7.2, REQ-7a", "C:REQ-71? C:REQ-7.2? C:REQ-7a?"},
		{"other case", "// Covers: req-7", "C:req-7?"},
		{"other separator", "// Covers: REQ_7, REQ7", "C:REQ_7? C:REQ7?"},
		{"other zeros", "// Covers: REQ-007", "C:REQ-007?"},
		{"other hyphen", "// Covers: REQ\u20117", "C:REQ\u20117?"},
		{"known start, no number", "// Covers: REQ-LOGOUT", "C:REQ-LOGOUT?"},
		{"shape of an id", "// Covers: ABC-12", "C:ABC-12?"},
		{"among known ones", "// Covers: REQ-7, REQ-99, REQ-8", "C:REQ-7 C:REQ-99? C:REQ-8"},
		{"invalid UTF-8", "// Covers: REQ-7\xff, REQ-8", "C:REQ-7\xff? C:REQ-8"},

		// Prose.
		{"a sentence", "// Covers: the case of REQ-7", ""},
		{"a number of things", "// Covers: 3 cases", ""},
		{"UTF-8", "// Covers: UTF-8 names", ""},
		{"HTTP", "// Covers: HTTP/2 and SHA-256", ""},
		{"a version", "// Covers: v1.2 and later", ""},
		{"an identifier", "// Covers: x1, int64", ""},
		{"a bucket", "// Covers: s3 buckets", ""},
		{"a URL", "// Covers: https://example.org/REQ-7", ""},
		{"nothing", "// Covers:", ""},
		{"nothing, then nothing", "// Covers:\n\n// REQ-7", "||"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, readMarks(c.text))
		})
	}
}

func TestSimilar(t *testing.T) {
	b := newBook([]string{"REQ-7", "REQ-007.1", "REQ-1-1", "REQ-11", "FR1", "REQ-A1", "größe-3", "X-0"}, nil)
	for word, want := range map[string][]string{
		"req-7": {"REQ-7"}, "REQ7": {"REQ-7"}, "REQ_007": {"REQ-7"}, "Req 7": {"REQ-7"}, "REQ\u20117": {"REQ-7"},
		"REQ-7.1": {"REQ-007.1"}, "REQ-1.1": {"REQ-1-1"}, "req011": {"REQ-11"}, "FR-01": {"FR1"}, "reqa-1": {"REQ-A1"}, "GRÖSSE-3": nil,
		"GRÖßE-3": {"größe-3"}, "REQ-70": nil, "EQ-7": nil, "X-00": {"X-0"}, "X-10": nil,
	} {
		require.Equal(t, want, b.similar(word), word)
	}
}

// Whatever stands in a line, what is found are ids that stand in it, or in an open list; nothing panics.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		"// Covers: REQ-7, REQ-8", "x := \"a\\\"b\" // Covers: `REQ-7`", "Covers:\n- REQ-7", "def test_req_7(): '''Covers: REQ-99'''", "/* Covers: REQ-7 */ \xff",
		"it('REQ-7 \\' logs in', () => {", "@Test void a() {}", "covers::REQ-7", "covers:,,,;``REQ-7*/", "'''\\", "#####:covers:",
	} {
		f.Add(seed)
	}
	book := newBook(someIDs, nil)
	f.Fuzz(func(t *testing.T, text string) {
		m, n := marks{ids: book}, make([]names, len(languages))
		for i := range n {
			n[i].in = &languages[i]
		}
		for line := range strings.Lines(text) {
			for _, h := range m.line(line) {
				require.Contains(t, line, h.id)
				require.NotEmpty(t, h.id)
				require.Contains(t, Keywords(), h.keyword)
				require.True(t, h.known == book.known[h.id] && (h.known || book.looksLikeID(h.id)))
			}
			for i := range n {
				for _, name := range n[i].line(line) {
					require.Contains(t, line, name)
				}
			}
		}
		require.True(t, utf8.ValidString(visible(text)))
	})
}
