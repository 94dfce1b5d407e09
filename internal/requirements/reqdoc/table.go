package reqdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/placeholder"
	"orchestrator/internal/requirements/vocabulary"
)

// table is a table with a column of ids.
type table struct {
	line     int
	head     string // the names of its columns
	roles    []role // of each column
	id       int    // its column of ids
	headedID bool   // that column is named "ID", or something that ends so
	defines  bool   // its columns or its heading say that it lists requirements, so that an id may look like P1
	title    int    // the column that says what is required; -1 where no name tells
	traces   bool   // its section or a column says that it refers to requirements
	rows     []*candidate
}

// addTable takes the rows of a table with a column of ids as candidates, and lists columns that nearly are. Rows that
// name a group, with nothing but their first cell, and empty ones are passed over. A family with a mark of its own has
// no tables.
func (c *collector) addTable(n *extast.Table, in scope) {
	if !c.readsPlain() {
		return
	}
	head := c.cells(n.FirstChild())
	var rows []ast.Node
	var cells [][]string
	for row := n.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
		texts := c.cells(row)
		if id, hollow := hollowRow(texts); hollow {
			c.pass(ReasonPlaceholder, c.Line(row.Pos()), id, "it is a placeholder of a template",
				"write what is required in its place")
			continue
		}
		if filled(texts) > 1 || filled(texts) == 1 && (len(texts) == 1 || texts[0] == "") {
			rows, cells = append(rows, row), append(cells, texts)
		}
	}
	column, labels := idColumn(head, cells)
	if column < 0 {
		c.skipColumn(head, rows, cells)
		c.rowsWithoutID(rows, cells)
		return
	}
	t := c.newTable(n, head, column)
	t.defines = t.hasIDs(columnName(head[column]), labels) &&
		(c.ofRequirements(c.section) || t.isOfRequirements(head, cells)) && !c.section.mayRefer()
	for i, row := range rows {
		line := c.Line(row.Pos())
		cand := &candidate{label: labels[i], place: inRow, line: line, begin: line, limit: line, section: c.section,
			node: row, table: t, row: cells[i]}
		if i == 0 {
			cand.begin = t.line
		}
		t.rows = append(t.rows, cand)
	}
	c.tables = append(c.tables, t)
	c.candidates = append(c.candidates, t.rows...)
}

// role is what a column of a table says of its rows.
type role int

const (
	roleText role = iota
	roleID
	roleCriteria
	rolePriority
	roleStatus
)

func (c *collector) newTable(n *extast.Table, head []string, column int) *table {
	t := &table{line: c.StartLine(n), head: strings.Join(head, "|"), roles: make([]role, len(head)), id: column,
		title: -1}
	tracing := false
	for i, name := range head {
		name = columnName(name)
		t.headedID = t.headedID || i == column && (name == "id" || strings.HasSuffix(name, " id"))
		switch {
		case i == column:
			t.roles[i] = roleID
		case vocabulary.IsPriority(name):
			t.roles[i] = rolePriority
		case vocabulary.CriterionKind(name) != "":
			t.roles[i] = roleCriteria
		case vocabulary.IsStatus(name):
			t.roles[i] = roleStatus
		case t.title < 0 && vocabulary.IsTitle(name):
			t.title = i
		case vocabulary.Refers(name):
			tracing = true
		}
	}
	t.traces = c.section.isTrace() || tracing && t.title < 0
	return t
}

// hollowRow reports a row whose cells are all to be filled in, or whose id is, and what stands for the id.
func hollowRow(cells []string) (id string, hollow bool) {
	open := 0
	for _, cell := range cells {
		id = cmp.Or(id, placeholder.ID(cell))
		if cell == "" || placeholder.Is(cell) {
			open++
		}
	}
	if id == "" && (open < len(cells) || filled(cells) == 0) {
		return "", false
	}
	return cmp.Or(id, cells[0], "the row"), true
}

func filled(cells []string) int {
	n := 0
	for _, cell := range cells {
		if cell != "" {
			n++
		}
	}
	return n
}

// cells returns the source of each cell of a row.
func (c *collector) cells(row ast.Node) []string {
	var cells []string
	for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
		text := ""
		if lines := cell.Lines(); lines.Len() > 0 {
			text = c.Text[lines.At(0).Start:lines.At(0).Stop]
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

// columnName returns the name of a column in small letters and without markup.
func columnName(head string) string {
	return strings.ToLower(markdown.Plain(head[:min(len(head), maxHeading)]))
}

// idColumn returns the first column whose cells are all ids, and their labels; -1 if there is none. A column of
// priorities is none, and one of levels is one only where no other is.
func idColumn(head []string, rows [][]string) (int, []label) {
	found, of := -1, []label(nil)
	for column := 0; column < len(head) && len(rows) > 0; column++ {
		name := columnName(head[column])
		if vocabulary.IsPriority(name) || found >= 0 && vocabulary.IsLevel(name) {
			continue
		}
		labels := idsOf(rows, column)
		if labels == nil {
			continue
		}
		if found, of = column, labels; !vocabulary.IsLevel(name) {
			break
		}
	}
	return found, of
}

// idsOf returns the labels of a column whose cells are all ids, or nil.
func idsOf(rows [][]string, column int) []label {
	var labels []label
	for _, row := range rows {
		l, ok := cellLabel(row[column])
		if !ok {
			return nil
		}
		labels = append(labels, l)
	}
	return labels
}

// hasIDs reports whether the column of ids is named as one, and has another id in each row.
func (t *table) hasIDs(name string, labels []label) bool {
	if !vocabulary.IsID(name) || t.traces {
		return false
	}
	seen := make(map[string]bool, len(labels))
	for _, l := range labels {
		if seen[l.id] {
			return false
		}
		seen[l.id] = true
	}
	return true
}

// isOfRequirements reports whether a column is named as what is required, or as its priority.
func (t *table) isOfRequirements(head []string, rows [][]string) bool {
	required := t.title >= 0 && vocabulary.NamesRequirement(columnName(head[t.title])) && idsOf(rows, t.title) == nil
	return required || slices.Contains(t.roles, rolePriority)
}

// skipColumn lists the ids of the first column that holds some and other things too.
func (c *collector) skipColumn(head []string, rows []ast.Node, cells [][]string) {
	for column, found := 0, false; column < len(head) && !found; column++ {
		if vocabulary.IsPriority(columnName(head[column])) {
			continue
		}
		for i, row := range rows {
			if l, ok := cellLabel(cells[i][column]); ok {
				found = true
				c.skip(c.Line(row.Pos()), l.id, "not every cell of its column is an id",
					"give every row an id")
			}
		}
	}
}

// rowsWithoutID keeps the rows of a table as what their section makes of them.
func (c *collector) rowsWithoutID(rows []ast.Node, cells [][]string) {
	kind := c.section.kindOf()
	for i, row := range rows {
		if title := markdown.Plain(cells[i][0]); kind != "" && kind != KindStory && kind != KindAcceptance &&
			title != "" {
			c.entries = append(c.entries, Entry{Place{Line: c.Line(row.Pos())}, "", kind, title})
		}
	}
}

// rowParts returns what the cells of a row say: the title, the text and the criteria. Without a column that is named as
// what is required, the title is the next cell after the id that has letters and is neither priority nor status.
func (cand *candidate) rowParts() (title string, text []string, criteria []string) {
	t := cand.table
	at := t.title
	for i := t.id + 1; i < len(cand.row) && at < 0; i++ {
		if t.roles[i] == roleText && strings.ContainsFunc(cand.row[i], unicode.IsLetter) {
			at = i
		}
	}
	for i, cell := range cand.row {
		switch {
		case i == at:
			title = cell
		case t.roles[i] == roleCriteria:
			criteria = append(criteria, cellCriteria(cell)...)
		case t.roles[i] == roleText && cell != "":
			text = append(text, cell)
		}
	}
	return title, text, criteria
}

var lineBreaks = strings.NewReplacer("<br/>", "<br>", "<br />", "<br>")

// cellCriteria returns the criteria of a cell, which line breaks part.
func cellCriteria(cell string) []string {
	var criteria []string
	for part := range strings.SplitSeq(lineBreaks.Replace(cell), "<br>") {
		part = markdown.Fold(strings.TrimLeft(vocabulary.CutNumber(part), " -•*"))
		if strings.ContainsFunc(part, unicode.IsLetter) && !strings.EqualFold(part, "n/a") {
			criteria = append(criteria, part)
		}
	}
	return criteria
}

// decideTable accepts the rows of a table that define, or none where one of them is unlikely, and adds their ids to
// those that are defined. A row refers if its id is defined outside of tables, or in another table with other columns;
// in a table that traces, every row does as soon as one is known.
func (c *collector) decideTable(t *table, number int, defined map[string]int) []*candidate {
	known := func(row *candidate) bool {
		earlier, found := defined[row.id]
		return found && (earlier == 0 || c.tables[earlier-1].head != t.head)
	}
	referring, counts := 0, false
	for _, row := range t.rows {
		if known(row) {
			referring++
		}
		counts = counts || c.series[row.form.Stem]
	}
	switch first := t.rows[0]; {
	case referring == len(t.rows) || t.traces && referring > 0:
		c.pass(ReasonReference, t.line, first.id, "all ids of its table are defined elsewhere",
			"no need to act if the table only refers to them")
		c.skipUnknown(t, known)
		return nil
	case first.section.isRegister() && len(defined) > 0 && !c.outside[first.form.Stem]:
		c.pass(ReasonUnrelated, t.line, first.id,
			fmt.Sprintf("its table stands in the section %q, which is not of requirements", first.section.name()),
			"move the table to another section if it holds requirements")
		return nil
	}
	if first := t.rows[0]; len(t.rows) == 1 && !t.headedID && len(defined) > 0 && !hasSibling(c.candidates, first) {
		c.skip(t.line, first.id, "its table has one row, and no other id is like it",
			"name its column ID if it defines a requirement")
		return nil
	}
	for _, row := range t.rows {
		if why, fix := c.unlikely(row, counts); why != "" {
			c.refuseTable(t, row.reasonToDoubt(), fmt.Sprintf("%s, so the table from line %d is not read", why, t.line), fix)
			return nil
		}
	}
	var rows []*candidate
	for _, row := range t.rows {
		if known(row) {
			continue
		}
		rows = append(rows, row)
		if _, found := defined[row.id]; !found {
			defined[row.id] = number
		}
	}
	return rows
}

// refuseTable lists every row of a table that is not read.
func (c *collector) refuseTable(t *table, reason, why, fix string) {
	for _, row := range t.rows {
		c.pass(reason, row.line, row.id, why, fix)
	}
	c.refused = append(c.refused, t.rows...)
}

// hasSibling reports whether another candidate has an id like this one.
func hasSibling(all []*candidate, cand *candidate) bool {
	return slices.ContainsFunc(all, func(other *candidate) bool {
		return other != cand &&
			other.form.Stem == cand.form.Stem
	})
}

// skipUnknown lists the rows of a table of references that refer to nothing.
func (c *collector) skipUnknown(t *table, known func(*candidate) bool) {
	for _, row := range t.rows {
		if !known(row) {
			c.skip(row.line, row.id, "its table refers to requirements, and nothing defines this one",
				"define it")
		}
	}
}
