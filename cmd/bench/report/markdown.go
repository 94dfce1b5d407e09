package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// MarkdownHead is the head of the first table that WriteMarkdown writes.
const MarkdownHead = "| figure | command | floor | product | ratio | spread | goal |\n" +
	"| --- | --- | --: | --: | --: | --- | --- |\n"

// WriteMarkdown writes the report as docs/performance.md shows it: one table, and one of the curves.
func (r *Report) WriteMarkdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s.\n\n%s", r.conditions(), MarkdownHead)
	var curves []Row
	for _, row := range r.Rows {
		if row.At > 0 {
			curves = append(curves, row)
			continue
		}
		cells := append([]string{escape(row.Name), command(row.Section)}, row.cells()...)
		if row.Verdict == misses {
			cells[len(cells)-1] += ", " + misses
		}
		b.WriteString(markdownRow(cells))
	}
	writeCurves(&b, curves)
	if len(r.Skipped)+len(r.Failed) > 0 {
		b.WriteByte('\n')
		r.writeRest(&b)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// writeCurves writes a table with a line for each curve and a column for each number of requirements.
func writeCurves(b *strings.Builder, points []Row) {
	var sizes []int
	var names []string
	cells := map[string][]string{}
	for _, p := range points {
		if !slices.Contains(sizes, p.At) {
			sizes = append(sizes, p.At)
		}
		if cells[p.Name] == nil {
			names = append(names, p.Name)
			cells[p.Name] = []string{escape(p.Name), command(p.Section)}
		}
		cells[p.Name] = append(cells[p.Name], Number(p.Value, p.Unit)+" "+p.spread())
	}
	if len(points) == 0 {
		return
	}
	head, rule := []string{"by the number of requirements", "command"}, []string{"---", "---"}
	for _, size := range sizes {
		head, rule = append(head, fmt.Sprint(size)), append(rule, "---")
	}
	b.WriteString("\n" + markdownRow(head) + markdownRow(rule))
	for _, name := range names {
		b.WriteString(markdownRow(cells[name]))
	}
}

// command returns the flags with which a figure is measured again.
func command(section string) string { return "`--only " + section + "`" }

// markdownRow returns a line of a table.
func markdownRow(cells []string) string {
	var b strings.Builder
	for _, cell := range cells {
		b.WriteString("|")
		if cell != "" {
			b.WriteString(" " + cell)
		}
		b.WriteString(" ")
	}
	return b.String() + "|\n"
}

// special are the characters that would end a cell or mark up its text.
var special = strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`,
	"\n", " ", "\r", " ")

// escape returns a text as it stands in a cell of a table.
func escape(text string) string { return special.Replace(text) }
