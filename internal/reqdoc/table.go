package reqdoc

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// table is a table with a column of ids.
type table struct {
	line     int
	head     string // the names of its columns
	headedID bool   // the id column is named "ID", or something that ends so
	rows     []*candidate
}

func upper(s string) string { return strings.ToUpper(s) }

// addTable takes the rows of a table with a column of ids as candidates, and lists columns that nearly are.
func (c *collector) addTable(n *extast.Table, in scope) {
	head := c.cells(n.FirstChild())
	var rows []ast.Node
	var cells [][]string
	for row := n.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
		rows, cells = append(rows, row), append(cells, c.cells(row))
	}
	column, labels := idColumn(len(head), cells)
	if column < 0 {
		c.skipColumn(n, cells)
		return
	}
	name := strings.ToLower(plain(head[column]))
	t := &table{line: c.startLine(n), head: strings.Join(head, "|"), headedID: name == "id" || strings.HasSuffix(name, " id")}
	for i, row := range rows {
		line := c.line(row.Pos())
		cand := &candidate{label: labels[i], place: inRow, line: line, begin: line, limit: line, section: c.section,
			node: row, table: t, cells: arrange(cells[i], column)}
		if i == 0 {
			cand.begin = t.line
		}
		t.rows = append(t.rows, cand)
	}
	c.tables = append(c.tables, t)
	c.candidates = append(c.candidates, t.rows...)
}

// cells is the source of each cell of a row.
func (c *collector) cells(row ast.Node) []string {
	var cells []string
	for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
		text := ""
		if lines := cell.Lines(); lines.Len() > 0 {
			text = c.text[lines.At(0).Start:lines.At(0).Stop]
		}
		cells = append(cells, strings.TrimSpace(text))
	}
	return cells
}

// cellLabel reads a cell that holds an id and nothing else, bold or not.
func cellLabel(cell string) (label, bool) {
	l, ok := matchLabel(cell)
	return l, ok && l.flaw == "" && l.title == "" && l.rest == len(cell) && (l.bold || !l.mark)
}

// idColumn is the first column whose cells are all ids, and their labels; -1 if there is none.
func idColumn(columns int, rows [][]string) (int, []label) {
	for column := 0; column < columns && len(rows) > 0; column++ {
		var labels []label
		for _, row := range rows {
			l, ok := cellLabel(row[column])
			if !ok {
				break
			}
			labels = append(labels, l)
		}
		if len(labels) == len(rows) {
			return column, labels
		}
	}
	return -1, nil
}

// skipColumn lists the ids of a first column that holds other things too.
func (c *collector) skipColumn(n *extast.Table, rows [][]string) {
	row := n.FirstChild()
	for _, cells := range rows {
		row = row.NextSibling()
		if l, ok := cellLabel(cells[0]); ok {
			c.skip(c.line(row.Pos()), l.id, "not every cell of its column is an id",
				"give every row an id, or move the rows without one to another table")
		}
	}
}

// arrange puts the title, the next cell after the id that has letters, before the other cells.
func arrange(cells []string, column int) []string {
	title := column
	for i := column + 1; i < len(cells) && title == column; i++ {
		if strings.ContainsFunc(cells[i], unicode.IsLetter) {
			title = i
		}
	}
	arranged := []string{""}
	if title != column {
		arranged[0] = cells[title]
	}
	for i, cell := range cells {
		if i != column && i != title {
			arranged = append(arranged, cell)
		}
	}
	return arranged
}

// decideTable accepts all rows of a table or none, and adds their ids to those that are defined.
func (c *collector) decideTable(t *table, number int, series map[string]bool, defined map[string]int) []*candidate {
	reference, counts := true, false
	for _, row := range t.rows {
		earlier, known := defined[row.id]
		reference = reference && known && (earlier == 0 || c.tables[earlier-1].head != t.head)
		counts = counts || series[row.form.family]
	}
	first := t.rows[0]
	if reference {
		c.skip(t.line, first.id, "all ids of its table are defined elsewhere", "no need to act if the table only refers to them")
		return nil
	}
	for _, row := range t.rows {
		if why, fix := unlikely(row, counts); why != "" {
			c.skip(row.line, row.id, fmt.Sprintf("%s, so the table from line %d is not read", why, t.line), fix)
			c.refused = append(c.refused, t.rows...)
			return nil
		}
	}
	for _, row := range t.rows {
		if _, known := defined[row.id]; !known {
			defined[row.id] = number
		}
	}
	return t.rows
}
