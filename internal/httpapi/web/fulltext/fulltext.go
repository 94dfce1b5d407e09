// Package fulltext shows the text of one requirement, however long it is, piece by piece.
package fulltext

import (
	"embed"
	"net/url"
	"strconv"
	"unicode/utf8"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: "/requirements/{id}/text", Nav: "Board", Template: page.Parse(files), Show: show}
}

// maxPiece is how many bytes of a text one page shows.
const maxPiece = 64 << 10

// data is what the page shows.
type data struct {
	ID, Title string
	Said      string
	Text      string
	Back      string // the address of the requirement
	Next      string // the address of the next piece, or ""
	First     string // the address of the first piece, or ""
}

func show(v *page.Visit) (page.View, error) {
	var req lifecycle.Requirement
	query := url.Values{"fields": {"id,title,text"}}
	if err := v.API.Get("/requirements/"+url.PathEscape(v.ID), query, &req); err != nil {
		return page.View{}, err
	}
	here, back := page.To("requirements", req.ID, "text"), page.To("requirements", req.ID)
	from, to := piece(req.Text, v.Query.Get("from"))
	d := data{ID: req.ID, Title: req.Title, Text: req.Text[from:to], Back: back}
	d.Said = words.Number(len(req.Text)) + " bytes"
	if to-from < len(req.Text) {
		d.Said = "Bytes " + words.Number(from+1) + "-" + words.Number(to) + " of " + words.Number(len(req.Text))
	}
	if to < len(req.Text) {
		d.Next = here + "?from=" + strconv.Itoa(to)
	}
	if from > 0 {
		d.First = here
	}
	return page.View{Title: "The text of " + req.ID, Live: req.ID, Data: d}, nil
}

// piece returns where the piece begins that an address asks for, and where it ends. Neither is within a character.
func piece(text, asked string) (from, to int) {
	n, err := strconv.Atoi(asked)
	if err == nil && n > 0 && n < len(text) {
		from = boundary(text, n)
	}
	return from, boundary(text, min(from+maxPiece, len(text)))
}

// boundary returns the beginning of the character at a place.
func boundary(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
