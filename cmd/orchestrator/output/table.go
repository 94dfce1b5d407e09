package output

import (
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// Columns returns how wide what is written to out may be: 80, or as wide as a wider terminal.
func Columns(out io.Writer) int {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			return max(columns, 80)
		}
	}
	return 80
}

// Width returns how many columns of a terminal a text takes.
func Width(text string) (n int) {
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Cut returns the beginning of a text that takes at most so many columns; "…" stands for the rest.
func Cut(text string, columns int) string {
	if Width(text) <= columns {
		return text
	}
	n := 0
	for i, r := range text {
		if n += runeWidth(r); n > columns-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// Wrap breaks a text into lines of at most so many columns, between words where it can.
func Wrap(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= columns:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
		for Width(line) > columns {
			head := strings.TrimSuffix(Cut(line, columns+1), "…")
			if head == "" {
				break
			}
			lines, line = append(lines, head), line[len(head):]
		}
	}
	return append(lines, line)
}

// Table writes rows below heads, in columns that together take at most so many. What is too long is cut in the last
// column first, and then in the widest. The cells are escaped.
func (p *Printer) Table(columns int, heads []string, rows [][]string) {
	p.table(columns, heads, rows, func(cell string, width int) []string { return []string{Cut(cell, width)} })
}

// Whole writes rows as Table does, and cuts nothing: what is too long goes on below, in its column.
func (p *Printer) Whole(columns int, heads []string, rows [][]string) {
	p.table(columns, heads, rows, Wrap)
}

// table writes rows whose cells are brought into the width of their column.
func (p *Printer) table(columns int, heads []string, rows [][]string, into func(cell string, width int) []string) {
	all := [][]string{heads}
	for _, row := range rows {
		escaped := make([]string, len(row))
		for i, cell := range row {
			escaped[i] = Printable(cell)
		}
		all = append(all, escaped)
	}
	widths := make([]int, len(heads))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	fit(widths, columns)
	for _, row := range all {
		cells := make([][]string, len(row))
		for i, cell := range row {
			cells[i] = into(cell, widths[i])
		}
		p.row(widths, cells)
	}
}

// row writes a row on as many lines as its longest cell has.
func (p *Printer) row(widths []int, cells [][]string) {
	for n, more := 0, true; more; n++ {
		var line strings.Builder
		more = false
		for i, cell := range cells {
			part := ""
			if n < len(cell) {
				part = cell[n]
			}
			more = more || n+1 < len(cell)
			line.WriteString(part + strings.Repeat(" ", max(0, widths[i]-Width(part))+2))
		}
		p.Line("%s", strings.TrimRight(line.String(), " "))
	}
}

// narrowest is the least that a column is cut to.
const narrowest = 8

// fit takes from the last column, and then from the widest, until all fit.
func fit(widths []int, columns int) {
	room := columns + 2
	for _, w := range widths {
		room -= w + 2
	}
	last := len(widths) - 1
	if take := min(-room, widths[last]-3*narrowest); take > 0 {
		widths[last] -= take
		room += take
	}
	for ; room < 0; room++ {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= narrowest {
			return
		}
		widths[widest]--
	}
}
