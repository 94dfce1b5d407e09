package trace

import "strings"

// Keywords begin a mark, in any case. They say what the marked place does for the requirement: cover it somehow,
// implement it, or verify it, as a test does.
func Keywords() []string { return []string{covers, implements, verifies} }

const (
	covers     = "Covers"
	implements = "Implements"
	verifies   = "Verifies"
)

// hit is one id that a line names.
type hit struct {
	named

	keyword string // of a mark
	name    string // of a test
}

// marks reads the marks in the lines of a file, one after the other.
type marks struct {
	ids  *book
	open string // the keyword of a list that goes on in the next line, or ""
	each bool   // it goes on as long as lines begin with ids, since its keyword stood alone
}

// line returns the ids that the marks of the next line name.
func (m *marks) line(s string) (hits []hit) {
	keyword, list := findKeyword(s)
	if keyword != "" {
		m.each = strings.Trim(list, leadRun) == ""
	} else if m.open != "" {
		keyword, list = m.open, strings.TrimLeft(s, leadRun)
	} else {
		return nil
	}
	list, closed := untilClosed(list)
	ids, comma := m.ids.list(list)
	alone := m.each && (m.open == "" || len(ids) > 0)
	if m.open = ""; !closed && (comma || alone) {
		m.open = keyword
	}
	for _, id := range ids {
		hits = append(hits, hit{named: id, keyword: keyword})
	}
	return hits
}

// emphasis may stand round a keyword or its colon: **Covers:** REQ-7.
const emphasis = "*_"

// findKeyword returns the keyword of the mark in a line, and what follows its colon; "" where there is no mark.
func findKeyword(s string) (keyword, list string) {
	for at := 0; ; at++ {
		colon := strings.IndexByte(s[at:], ':')
		if colon < 0 {
			return "", ""
		}
		at += colon
		before := strings.TrimRight(s[:at], emphasis)
		for _, keyword := range Keywords() {
			if start := len(before) - len(keyword); start >= 0 && strings.EqualFold(before[start:], keyword) && inComment(s, start) {
				return keyword, s[at+1:]
			}
		}
	}
}

const (
	// leadRun holds what may stand in front of the first word of a line of comment, or of a document: the signs that
	// begin comments, and those of lists, quotes and emphasis.
	leadRun = " \t/*#-;%!<>.|=([:+~_"
	quotes  = "\"'`"
)

// leads begin a comment behind code, or are words that begin one.
var leads = []string{"//", "/*", "#", "--", ";", "%", "!", `"""`, "'''", "(*", "{-"}

// words begin a comment at the start of a line, before white space.
var words = []string{"rem", "@rem", "dnl"}

// inComment says whether the word at start is the first one of a line, but for signs, or of a comment behind code. A
// sign inside a string begins no comment. Not knowing the language, it takes the signs of all.
func inComment(s string, start int) bool {
	before := strings.TrimLeft(s[:start], leadRun)
	if before == "" {
		return true
	}
	for _, word := range words {
		if strings.EqualFold(strings.TrimSpace(s[:start]), word) {
			return true
		}
	}
	for i := 0; i < start; {
		if n := leadAt(s[i:start]); n > 0 {
			run := i + n + len(s[i+n:start]) - len(strings.TrimLeft(s[i+n:start], leadRun))
			if run == start {
				return true
			}
			i = run
			continue
		}
		if strings.IndexByte(quotes, s[i]) >= 0 {
			end := closing(s, i)
			if end < 0 && strings.TrimSpace(s[:i]) == "" && strings.Trim(s[i+1:start], leadRun) == "" {
				return true // Visual Basic and Vim: a quote that nothing closes
			}
			i = max(i, end)
		} else if s[i] == '\\' {
			i++
		}
		i++
	}
	return false
}

// leadAt is the length of the lead at the start of s, or 0.
func leadAt(s string) int {
	for _, lead := range leads {
		if strings.HasPrefix(s, lead) {
			return len(lead)
		}
	}
	return 0
}

// closing is where the string that begins at i ends in this line, or -1.
func closing(s string, i int) int {
	for end := i + 1; end < len(s); end++ {
		switch s[end] {
		case '\\':
			end++
		case s[i]:
			return end
		}
	}
	return -1
}

// untilClosed cuts a list where the comment that it stands in ends.
func untilClosed(s string) (list string, closed bool) {
	end := len(s)
	for _, mark := range []string{"*/", "-->", `"""`, "'''", "*)", "-}", "%>", "#}"} {
		if at := strings.Index(s, mark); at >= 0 && at < end {
			end, closed = at, true
		}
	}
	return s[:end], closed
}
