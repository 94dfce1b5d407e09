package reqdoc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// label is an id at the start of a block, and how it is set off from what follows.
type label struct {
	id     string // canonical
	token  string // as written; differs from id if that is illegal
	form   form
	bold   bool
	spaced bool   // followed by white space or nothing, which is mark enough in a heading
	mark   bool   // bold, or followed by a delimiter
	title  string // source of the bold text after the id
	at     int    // offset of the id in the block
	rest   int    // offset in the block of what follows label and delimiter
	flaw   string // why it can be no definition, whatever stands around it
	fix    string
}

const fixBold = "write it as **ID**: text"

// matchLabel reads the label at the start of a block's source.
func matchLabel(block string) (label, bool) {
	start := len(block) - len(strings.TrimLeft(block, " \t\n"))
	opener := block[start : len(block)-len(strings.TrimLeft(block[start:], "*_`["))]
	at := start + len(opener)
	l := label{token: scanToken(block[at:]), at: at, rest: at}
	l.id = canonical(l.token)
	var ok bool
	if l.form, ok = formOf(l.id); !ok {
		return label{}, false
	}
	after := at + len(l.token)
	switch {
	case opener == "**" || opener == "__":
		l.closeBold(block, after, opener)
	case opener != "":
		l.flaw, l.fix = "it stands in code, a link or light emphasis", fixBold
	default:
		n, delimited := cutDelimiter(block[after:])
		l.mark, l.rest = delimited, after+n
		l.spaced = open(block[after:])
	}
	if l.flaw == "" && l.namesAnother(block[after:]) {
		l.flaw, l.fix = "the label names several ids", "define each id on its own; a reference should not begin with an id"
	}
	return l, true
}

// closeBold reads "**", or ": title**", after a bold id, and the delimiter behind it.
func (l *label) closeBold(block string, after int, opener string) {
	l.bold, l.mark = true, true
	end := strings.Index(block[after:], opener)
	if end < 0 {
		l.flaw, l.fix = "its bold mark is not closed", fixBold
		return
	}
	inner := block[after : after+end]
	n, delimited := cutDelimiter(inner)
	l.title = strings.TrimSpace(inner[n:])
	if l.title != "" && !delimited {
		l.flaw, l.fix = "the bold text is more than the id, without a delimiter after the id", "write **ID: title** text, or **ID** text"
		return
	}
	l.rest = after + end + len(opener)
	behind := block[l.rest:]
	n, delimited = cutDelimiter(behind)
	if !delimited && !open(behind) {
		l.flaw, l.fix = "something else than white space or a delimiter follows the bold text", fixBold
		return
	}
	l.rest += n
}

// cutDelimiter is the length of a delimiter and the white space around it at the start of s: ':' (wide or
// not), '.' before white space, a dash before white space, or a long dash.
func cutDelimiter(s string) (length int, found bool) {
	body := strings.TrimLeft(s, " \t")
	r, size := utf8.DecodeRuneInString(body)
	next := body[size:]
	gap := len(body) < len(s)
	switch {
	case r == '：', r == ':' && (open(next) || !strings.ContainsAny(next[:1], ":/0123456789")):
	case r == '.' && open(next) && !gap && next != "":
	case r == '-' && open(next) && gap, r >= '\u2012' && r <= '\u2015' && (open(next) || !gap):
	default:
		return 0, false
	}
	return len(s) - len(strings.TrimLeft(next, " \t")), true
}

// open reports that white space or nothing follows.
func open(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size == 0 || unicode.IsSpace(r)
}

// connectives join the ids of a range or an enumeration.
var connectives = []string{"-", "–", "—", "‑", ",", "/", "&", "+", "..", "…", "and ", "or ", "to ", "through "}

// namesAnother reports that a second id of its kind follows, as in "FR-001 – FR-010" or "FR-001, FR-002".
func (l *label) namesAnother(after string) bool {
	const markup = "*_`[] \t"
	rest := strings.TrimLeft(after, markup)
	for _, word := range connectives {
		if tail, found := strings.CutPrefix(rest, word); found {
			f, ok := formOf(canonical(scanToken(strings.TrimLeft(tail, markup))))
			return ok && f.letters() == l.form.letters()
		}
	}
	return false
}
