package reqdoc

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/requirements/vocabulary"
)

// label is an id at the start of a block, and how it is set off from what follows.
type label struct {
	id     string // canonical
	token  string // as written; differs from id if that is illegal
	form   reqid.Form
	bold   bool
	spaced bool   // followed by white space or nothing, which is mark enough in a heading
	mark   bool   // bold, or followed by a delimiter
	named  bool   // its place says that it is an id
	weak   bool   // it may be a reference: it counts only where nothing else defines the id
	title  string // source of the bold text after the id
	at     int    // offset of the id in the block
	rest   int    // offset in the block of what follows label and delimiter
	flaw   string // why it can be no definition, whatever stands around it
	fix    string
	reason string // of the flaw; "" for a near miss

	// What a family that has its own mark knows.
	family   string
	certain  bool   // the mark cannot be mistaken: no other ids need to continue its numbers
	kind     string // if the family tells
	unnamed  bool   // what stands for the id is a name that was not meant as one
	assigned bool
	change   string // of a delta
	begin    int    // line of the heading that belongs to it; 0 if none does
}

const fixBold = "write it as **ID**: text"

// matchLabel reads the label at the start of a block's source. Symbols such as a tick or a light before it are passed
// over.
func matchLabel(block string) (label, bool) {
	start := len(block) - len(vocabulary.CutSymbols(strings.TrimLeft(block, " \t\n")))
	opener := block[start : len(block)-len(strings.TrimLeft(block[start:], "*_`[(~"))]
	at := start + len(opener)
	l := label{token: reqid.Scan(block[at:]), at: at, rest: at}
	l.id = reqid.Canonical(l.token)
	var ok bool
	if l.form, ok = reqid.FormOf(l.id); !ok {
		return label{}, false
	}
	after := at + len(l.token)
	switch closer := closerOf(opener); {
	case strings.Contains(opener, "~"):
		l.flaw, l.fix = "it is struck out", "take it out of the document"
		l.reason = ReasonUnrelated
	case opener == "**" || opener == "__":
		l.closeBold(block, after, opener)
	case closer != "" && strings.HasPrefix(block[after:], closer):
		l.enclosed(block, after+len(closer), opener)
	case opener != "":
		l.flaw, l.fix = "it stands in code, a link or light emphasis", fixBold
	default:
		n, delimited := cutDelimiter(block[after:])
		l.mark, l.rest = delimited, after+n
		l.spaced = open(block[after:])
	}
	if l.flaw == "" && l.namesAnother(block[after:]) {
		l.flaw, l.fix = "the label names several ids",
			"define each id on its own"
		l.reason = ReasonReference
	}
	return l, true
}

// closerOf returns what ends a label in brackets, as in "[ID]" and "**(ID)**"; "" for other openers. Code defines
// nothing.
func closerOf(opener string) string {
	switch opener {
	case "[":
		return "]"
	case "(":
		return ")"
	case "**[":
		return "]**"
	case "**(":
		return ")**"
	}
	return ""
}

// enclosed reads what follows an id in brackets, which may be a reference: it is weak.
func (l *label) enclosed(block string, after int, opener string) {
	behind := block[after:]
	if strings.HasSuffix(opener, "[") && (strings.HasPrefix(behind, "(") || strings.HasPrefix(behind, "[")) {
		l.flaw, l.fix, l.reason = "it is a link", fixBold, ReasonReference
		return
	}
	n, delimited := cutDelimiter(behind)
	if !delimited && !open(behind) {
		l.flaw, l.fix = "something else than white space or a delimiter follows it", fixBold
		return
	}
	l.bold, l.mark, l.weak, l.rest = strings.HasPrefix(opener, "**"), true, true, after+n
}

// closeBold reads the end of the bold text that an id begins, and the delimiter behind it: "**ID**", "**ID: title**",
// "**ID title:**" and "**ID (tag)**"; "**ID title**" where the line ends with it.
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
	l.rest = after + end + len(opener)
	behind := block[l.rest:]
	n, colon := cutDelimiter(behind)
	if l.title != "" && l.title != "." && !delimited && !colon && !isName(inner, behind) {
		l.flaw, l.fix = "the bold text is more than the id, without a delimiter after the id",
			"write **ID: title** text"
		return
	}
	if !colon && !open(behind) {
		l.flaw, l.fix = "something else than white space or a delimiter follows the bold text", fixBold
		return
	}
	l.title = strings.TrimRight(unwrap(l.title), ":：. ")
	l.rest += n
	l.cutTag(block)
}

// cutTag takes a priority in brackets behind the label, as in "**FR-1** (P1): text", for its title, where priorities
// are looked for.
func (l *label) cutTag(block string) {
	rest := strings.TrimLeft(block[l.rest:], " ")
	if l.title != "" || rest == "" || !strings.ContainsAny(rest[:1], "([") {
		return
	}
	shut := strings.IndexAny(rest, ")]")
	if shut < 0 || !vocabulary.IsPriorityValue(rest[1:shut]) {
		return
	}
	l.title = rest[1:shut]
	behind := rest[shut+1:]
	n, _ := cutDelimiter(behind)
	l.rest = len(block) - len(behind) + n
}

// isName reports whether bold text is the name of a requirement and not a sentence: it ends with a colon, stands in
// brackets, or has the line for itself and is no sentence.
func isName(inner, behind string) bool {
	inner = strings.TrimSpace(inner)
	line, _, _ := strings.Cut(behind, "\n")
	switch {
	case strings.HasSuffix(inner, ":") || strings.HasSuffix(inner, "："):
		return true
	case strings.HasPrefix(inner, "(") && strings.IndexByte(inner, ')') == len(inner)-1,
		strings.HasPrefix(inner, "[") && strings.IndexByte(inner, ']') == len(inner)-1:
		return true
	}
	return strings.TrimSpace(line) == "" && !strings.HasSuffix(inner, ".")
}

// unwrap takes brackets around a whole title away.
func unwrap(title string) string {
	bare := strings.TrimRight(title, ":：. ")
	for _, pair := range []string{"()", "[]"} {
		if n := len(bare); n > 1 && bare[0] == pair[0] && strings.IndexByte(bare, pair[1]) == n-1 {
			return strings.TrimSpace(bare[1 : n-1])
		}
	}
	return title
}

// cutDelimiter returns the length of a delimiter and the white space around it at the start of s: ':' (wide or
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
			f, ok := reqid.FormOf(reqid.Canonical(reqid.Scan(strings.TrimLeft(tail, markup))))
			return ok && f.Letters() == l.form.Letters()
		}
	}
	return false
}
