package render

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/system/lazyregexp"
)

// markdown writes GitHub-flavoured Markdown. What others wrote stands in cells, behind a bullet or in a fence.
func (s sheet) markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# " + escape(s.title) + "\n")
	for _, block := range s.blocks {
		if block.empty() {
			continue
		}
		if block.heading != "" {
			b.WriteString("\n## " + escape(block.heading) + "\n")
		}
		b.WriteByte('\n')
		for _, line := range block.lines {
			b.WriteString("- " + noBlock(escape(line)) + "\n")
		}
		if len(block.lines) > 0 && len(block.rows) > 0 {
			b.WriteByte('\n')
		}
		writeRows(&b, block.heads, block.rows)
		for i, text := range block.texts {
			if i > 0 || len(block.lines)+len(block.rows) > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(fenced(text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRows(b *strings.Builder, heads []string, rows [][]cell) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat(" --- |", len(heads)))
	for _, row := range rows {
		for _, c := range row {
			text := escape(c.text)
			if c.name {
				text = code(c.text)
			}
			b.WriteString("| " + text + " ")
		}
		b.WriteString("|\n")
	}
}

// fenced shows text as it is, in a fence that is longer than any within.
func fenced(s string) string {
	s = strings.TrimRight(cleanLines(s), "\n")
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "text\n" + s + "\n" + fence + "\n"
}

// plain is what may stand between two backquotes, also in a table.
var plain = lazyregexp.New(`^[\pL\pN/.](?:[\pL\pN\pM _.,:;/()#@+=-]*[\pL\pN\pM)=])?$`)

// code shows a name: nothing in it is markup, a mention or a link.
func code(s string) string {
	s = clean(s)
	switch {
	case s == "":
		return ""
	case plain().MatchString(s):
		return "`" + s + "`"
	}
	return "<code>" + references(s) + "</code>"
}

// references writes every character of ASCII but letters, digits and spaces as a reference: those are never markup.
func references(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '@':
			b.WriteString("&#64;" + nothing)
		case r > ' ' && r < '0', r > '9' && r < 'A', r > 'Z' && r < 'a', r > 'z' && r < 0x7F:
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// nothing is a comment. GitHub makes mentions, links to issues and to mail addresses after the Markdown is read, where
// no escape helps: the comment parts their characters.
const nothing = "<!-- -->"

var escapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "[", `\[`, "]", `\]`, "~", `\~`, "$", `\$`, "&", "&amp;", "<", "&lt;", ">",
	"&gt;", "|", "&#124;",
	"@", "@"+nothing, "#", "#"+nothing, "://", "&#58;//",
)

var (
	host  = lazyregexp.New(`(?i)(www)\.`)
	issue = lazyregexp.New(`(?i)(gh)-`)
)

// escape shows prose as one line: nothing in it is markup, a mention or a link.
func escape(s string) string {
	s = escapes.Replace(clean(s))
	if strings.Contains(s, "_") {
		s = underscores(s)
	}
	if strings.Contains(s, ".") {
		s = host().ReplaceAllString(s, "$1&#46;")
	}
	if strings.Contains(s, "-") {
		s = issue().ReplaceAllString(s, "$1-"+nothing)
	}
	return s
}

// underscores escapes those at the ends of words; within a word, as in not_started, they are no markup.
func underscores(s string) string {
	var b strings.Builder
	for i, r := range s {
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if r == '_' && !(alphanumeric(before) && alphanumeric(after)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// blockStart is what would begin a list or a heading behind a bullet.
var blockStart = lazyregexp.New(`^([-+=]|[0-9]+[.)])`)

func noBlock(escaped string) string {
	return blockStart().ReplaceAllStringFunc(escaped, func(m string) string {
		return m[:len(m)-1] + `\` + m[len(m)-1:]
	})
}
