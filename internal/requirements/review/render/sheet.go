package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// sheet is what is shown, before it is Markdown or a table for terminals. Whoever fills it need not escape anything.
type sheet struct {
	title  string
	shade  shade // of the title
	blocks []block
}

// block has lines, then a table, then texts shown as they are. One that has none of them is left out.
type block struct {
	heading string
	lines   []string
	heads   []string
	rows    [][]cell
	texts   []string
}

// cell is one line of text.
type cell struct {
	text  string
	name  bool // an id, path or the like
	shade shade
}

func name(s string) cell                         { return cell{text: s, name: true} }
func prose(s string) cell                        { return cell{text: s} }
func number(n int) cell                          { return cell{text: strconv.Itoa(n)} }
func prosef(format string, args ...any) cell     { return prose(fmt.Sprintf(format, args...)) }
func (b block) empty() bool                      { return len(b.lines)+len(b.rows)+len(b.texts) == 0 }
func (s *sheet) add(b block)                     { s.blocks = append(s.blocks, b) }
func (s *sheet) list(heading string, l []string) { s.add(block{heading: heading, lines: l}) }

// shade is a colour of the terminal; Markdown has none.
type shade string

const (
	unshaded shade = ""
	good     shade = "\x1b[32m"
	warn     shade = "\x1b[33m"
	bad      shade = "\x1b[31m"
	strong   shade = "\x1b[1m"
	reset          = "\x1b[0m"
)

// Style is how a table for terminals looks.
type Style struct {
	Width int // columns, to which tables are wrapped; 0 wraps nothing
	Color bool
}

func (s Style) paint(c shade, text string) string {
	if !s.Color || c == unshaded || text == "" {
		return text
	}
	return string(c) + text + reset
}

func (s sheet) terminal(w io.Writer, style Style) error {
	var b strings.Builder
	style.line(&b, 0, clean(s.title), s.shade)
	for _, block := range s.blocks {
		if block.empty() {
			continue
		}
		b.WriteByte('\n')
		if block.heading != "" {
			style.line(&b, 0, clean(block.heading), strong)
		}
		for _, line := range block.lines {
			style.line(&b, 2, clean(line), unshaded)
		}
		style.grid(&b, block.heads, block.rows)
		for _, text := range block.texts {
			fmt.Fprintln(&b, "  "+strings.ReplaceAll(strings.TrimRight(cleanLines(text), "\n"), "\n", "\n  "))
		}
	}
	_, err := io.WriteString(w, noCommands(b.String()))
	return err
}

// line writes a cleaned text, indented, on as many lines as it needs; those behind the first stand further in.
func (s Style) line(b *strings.Builder, indent int, text string, c shade) {
	lines := []string{text}
	if s.Width > 0 {
		lines = wrap(text, max(narrowest, s.Width-indent-2))
	}
	for i, line := range lines {
		fmt.Fprintln(b, strings.Repeat(" ", indent+2*min(i, 1))+s.paint(c, line))
	}
}

// stack writes each row of a table for which there is no room as lines of its own, without its empty cells.
func (s Style) stack(b *strings.Builder, heads []string, rows [][]cell) {
	for _, row := range rows {
		indent := 2
		for i, c := range row {
			if text := clean(c.text); text != "" {
				s.line(b, indent, heads[i]+": "+text, c.shade)
				indent = 4
			}
		}
	}
}

// narrowest is the least that a column of a table is wrapped to.
const narrowest = 12

// grid writes a table with columns as wide as they need, or as there is room for; or, where there is none, its stacked
// rows.
func (s Style) grid(b *strings.Builder, heads []string, rows [][]cell) {
	if len(rows) == 0 {
		return
	}
	lines := make([][]cell, 0, len(rows)+1)
	head := make([]cell, len(heads))
	for i, h := range heads {
		head[i] = cell{text: strings.ToUpper(h), shade: strong}
	}
	widths := make([]int, len(heads))
	for _, row := range append(append(lines, head), rows...) {
		cleaned := make([]cell, len(row))
		for i, c := range row {
			c.text = clean(c.text)
			cleaned[i] = c
			widths[i] = max(widths[i], width(c.text))
		}
		lines = append(lines, cleaned)
	}
	if !s.fit(widths) {
		s.stack(b, heads, rows)
		return
	}
	for _, row := range lines {
		s.row(b, row, widths)
	}
}

// row writes one row of a table, on as many lines as its longest cell needs.
func (s Style) row(b *strings.Builder, row []cell, widths []int) {
	cells, most := make([][]string, len(row)), 0
	for i, c := range row {
		cells[i] = wrap(c.text, widths[i])
		most = max(most, len(cells[i]))
	}
	for n := range most {
		var line strings.Builder
		for i, c := range row {
			shown := ""
			if n < len(cells[i]) {
				shown = cells[i][n]
			}
			line.WriteString("  " + s.paint(c.shade, shown) + strings.Repeat(" ", max(0, widths[i]-width(shown))))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// fit takes from the widest column until all fit, and reports whether they do.
func (s Style) fit(widths []int) bool {
	room := s.Width
	for _, n := range widths {
		room -= n + 2
	}
	for ; s.Width > 0 && room < 0; room++ {
		widest := 0
		for i, n := range widths {
			if n > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= narrowest {
			return false
		}
		widths[widest]--
	}
	return true
}
