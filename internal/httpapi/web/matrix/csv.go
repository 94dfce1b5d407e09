package matrix

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/httpapi/web/page"
)

// CSV returns the page that is the matrix as a file: all rows of a choice, in the form of RFC 4180.
func CSV() page.Page {
	return page.Page{Pattern: path + ".csv", Nav: "Matrix", Template: page.Parse(files), Show: table}
}

// Implements: ORC-336
func table(v *page.Visit) (page.View, error) {
	p, err := projectOf(v)
	if err != nil {
		return page.View{}, err
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	_ = w.Write([]string{"id", "title", "status", "since", "design", "code", "tests", "result", "approval", "suspect",
		"retired", "waiting_for", "lacks", "stale", "path", "line"}) // a buffer takes all
	for _, s := range p.chosen(choiceOf(v.Query)) {
		l, err := s.read()
		if err != nil {
			return page.View{}, err
		}
		_ = w.Write(cellsOf(l, p.Evidence))
	}
	w.Flush()
	name := "requirements-" + v.Now.UTC().Format("2006-01-02") + ".csv"
	return page.View{
		File: &page.File{Name: name, Type: "text/csv; charset=utf-8; header=present", Body: b.Bytes()},
	}, nil
}

func cellsOf(l line, evidence string) []string {
	since := ""
	if !l.Since.IsZero() {
		since = l.Since.UTC().Format(time.RFC3339)
	}
	cells := []string{l.ID, l.Title, string(l.Status), since}
	for _, c := range rowOf(l, evidence).Cells {
		cells = append(cells, c.Word)
	}
	cells = append(cells, strconv.FormatBool(l.Suspect), strconv.FormatBool(l.Retired))
	var parties, lacks, stale []string
	for _, p := range l.WaitingFor {
		parties = append(parties, string(p))
	}
	for _, m := range l.Missing {
		lacks = append(lacks, fmt.Sprintf("%s: %s (%s)", m.Gate, m.Detail, m.By))
	}
	for _, s := range l.Stale {
		stale = append(stale, s.Pointer+": "+s.Detail)
	}
	cells = append(cells, strings.Join(parties, " "), strings.Join(lacks, "; "), strings.Join(stale, "; "), l.Path,
		strconv.Itoa(l.Line))
	for i, c := range cells {
		cells[i] = harmless(c)
	}
	return cells
}

// harmless returns a cell in which no program for tables sees a formula: ' stands before what could begin one, where the
// cell begins, and where one would begin for a program that divides cells elsewhere than at commas.
func harmless(cell string) string {
	var b strings.Builder
	begins := true
	for i, r := range cell {
		if begins && strings.ContainsRune("=+-@\uFF1D\uFF0B\uFF0D\uFF20", r) ||
			i == 0 && strings.ContainsRune("\t\r\n", r) {
			b.WriteByte('\'')
		}
		b.WriteRune(r)
		begins = strings.ContainsRune(";\t\r\n", r)
	}
	return b.String()
}
