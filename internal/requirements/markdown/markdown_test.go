package markdown

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark/ast"
)

func TestLinesAreThoseOfTheFile(t *testing.T) {
	for name, src := range map[string]string{
		"LF": "# A\n\ntext\nmore\n", "CRLF": "# A\r\n\r\ntext\r\nmore\r\n", "CR": "# A\r\rtext\rmore", "a byte order mark": "\ufeff# A\n\ntext\nmore",
	} {
		s, err := New([]byte(src))
		require.NoError(t, err, name)
		require.Equal(t, 4, s.Lines(), name)
		require.Equal(t, "text", s.LineText(3), name)
		require.Equal(t, 3, s.Line(s.LineStart(3)), name)
		require.Equal(t, 3, s.Line(s.LineEnd(3)-1), name)
		root, err := s.Parse()
		require.NoError(t, err, name)
		h, p := root.FirstChild(), root.LastChild()
		require.Equal(t, []ast.NodeKind{ast.KindHeading, ast.KindParagraph}, []ast.NodeKind{h.Kind(), p.Kind()}, name)
		text, start := s.Block(p)
		require.Equal(t, "text\nmore", text, name)
		require.Equal(t, s.LineStart(3), start, name)
		require.Equal(t, []int{1, 3}, []int{s.StartLine(h), s.StartLine(p)}, name)
		require.Equal(t, []int{2, 9}, []int{s.LastLine(h, 9), s.LastLine(p, 9)}, name)
	}
}

func TestUnderlined(t *testing.T) {
	s, err := New([]byte("# A\n\nB\n===\n\n ## C\n"))
	require.NoError(t, err)
	root, err := s.Parse()
	require.NoError(t, err)
	var got []bool
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		_, start := s.Block(n)
		got = append(got, s.Underlined(start))
	}
	require.Equal(t, []bool{false, true, false}, got)
}

func TestPlain(t *testing.T) {
	for line, want := range map[string]string{
		"A *fine* `title` [here](x)": "A fine title here", "&lt;T&gt; snake\\_case": "<T> snake_case", "~~old~~ new": "old new",
		"<https://a.example>": "https://a.example", "  a \t b ": "a b", "a_b_c * d": "a_b_c * d", "": "",
	} {
		require.Equal(t, want, Plain(line))
	}
	long := strings.Repeat("*a* ", 1000)
	require.Equal(t, strings.TrimSpace(long), Plain(long), "beyond any sensible title it stands as it is")
}

func TestFrontMatterIsNoText(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"YAML":                     {"---\ntitle: A\nreq:\n  - FR-1: b\n- FR-2: c\n# note\n---\n# D\n", strings.Repeat("\n", 7) + "# D\n"},
		"YAML that ends with dots": {"---\ntitle: A\n...\nb", "\n\n\nb"},
		"YAML with quoted keys":    {"---\n\"a b\": 1\n---\nb", "\n\n\nb"},
		"YAML below empty lines":   {"\n\n---\na: 1\n---\nb", "\n\n\n\n\nb"},
		"YAML and nothing else":    {"---\na: 1\n---", "\n\n"},
		"CRLF":                     {"---\r\na: 1\r\n---\r\nb", "\n\n\nb"},
		"a byte order mark":        {"\ufeff---\na: 1\n---\nb", "\n\n\nb"},
		"TOML":                     {"+++\na = 1\n[b]\nc = [\n  \"- FR-1: d\",\n]\n+++\ne", strings.Repeat("\n", 7) + "e"},
		"a rule and a heading":     {"---\n# A\n\n- FR-1: a\n\n---\n", "---\n# A\n\n- FR-1: a\n\n---\n"},
		"a rule and a sentence":    {"---\nNote: this.\nAnd so on\n---\n", "---\nNote: this.\nAnd so on\n---\n"},
		"a rule and a label":       {"---\n**Note**: this\n\n---\n", "---\n**Note**: this\n\n---\n"},
		"a status and a list":      {"---\nStatus: new\n# A\n- FR-1: a\n---\n", "---\nStatus: new\n# A\n- FR-1: a\n---\n"},
		"without an end":           {"---\na: 1\n\n- FR-1: a\n", "---\na: 1\n\n- FR-1: a\n"},
		"empty":                    {"---\n---\na", "---\n---\na"},
		"later in the document":    {"# A\n\n---\na: 1\n---\n", "# A\n\n---\na: 1\n---\n"},
	} {
		s, err := New([]byte(c.src))
		require.NoError(t, err, name)
		require.Equal(t, c.want, s.Text, name)
	}
}

// A document with LF line ends is in memory once, and one with others is left as it is.
func TestADocumentIsNotCopied(t *testing.T) {
	src := []byte("# One\n\nText.\n")
	s, err := New(src)
	require.NoError(t, err)
	require.Same(t, &src[0], unsafe.StringData(s.Text))

	src = []byte("# One\r\n\r\nText.\r\n")
	s, err = New(src)
	require.NoError(t, err)
	require.Equal(t, "# One\n\nText.\n", s.Text)
	require.Equal(t, "# One\r\n\r\nText.\r\n", string(src))
}
