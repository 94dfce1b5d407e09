package report

import (
	"fmt"
	"io"
	"strings"
)

// columns are the columns of the table in docs/performance.md.
var columns = []string{"figure", "command", "floor", "product", "ratio", "spread", "goal", ""}

// MarkdownHead is the head of the table that WriteMarkdown writes.
var MarkdownHead = markdownRow(columns) + markdownRow([]string{"---", "---", "--:", "--:", "--:", "---", "---", "---"})

// WriteMarkdown writes the report as docs/performance.md shows it.
func (r *Report) WriteMarkdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s.\n\n%s", r.conditions(), MarkdownHead)
	for _, row := range r.Rows {
		b.WriteString(markdownRow(append([]string{escape(row.Name), "`--only " + row.Section + "`"}, row.cells()...)))
	}
	if len(r.Skipped)+len(r.Failed) > 0 {
		b.WriteByte('\n')
		r.writeRest(&b)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func markdownRow(cells []string) string {
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// special are the characters that would end a cell or mark up its text.
var special = strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`,
	"\n", " ", "\r", " ")

// escape returns a text as it stands in a cell of a table.
func escape(text string) string { return special.Replace(text) }
