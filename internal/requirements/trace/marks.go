package trace

import (
	"slices"
	"strings"
	"unicode"
)

// Keywords returns the words that begin a mark, in any case. They say what the marked place does for the requirement:
// cover it somehow, implement it, or verify it, as a test does.
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

// findKeyword returns the keyword of the mark in a line, and what follows its colon; "" where there is no mark. The
// keyword is the first word of the line, but for signs, or of a comment behind code. A sign inside a string begins no
// comment. Not knowing the language, it takes the signs of all.
func findKeyword(s string) (keyword, list string) {
	if !mayHoldKeyword(s) {
		return "", ""
	}
	first := true // nothing but signs stands between here and the start of the line, or of a comment
	for i := 0; i < len(s); {
		if keyword, list = keywordAt(s[i:]); first && keyword != "" {
			return keyword, list
		}
		lead := leadAt(s[i:])
		switch {
		case lead > 0:
			i, first = i+lead, true
		case first && strings.IndexByte(leadRun, s[i]) >= 0:
			i++
		case strings.IndexByte(quotes, s[i]) >= 0:
			end := closing(s, i)
			first = end < 0 && strings.TrimSpace(s[:i]) == "" // a comment of Visual Basic or Vim
			i = max(i, end) + 1
		case s[i] == '\\':
			i, first = i+2, false
		default:
			n := wordAt(s[i:])
			first = strings.TrimSpace(s[:i]) == "" && slices.Contains(words, strings.ToLower(s[i:i+n]))
			i += n
		}
	}
	return "", ""
}

// mayHoldKeyword reports whether a line may hold a keyword. It is quick, and right when it says no.
func mayHoldKeyword(s string) bool {
	for {
		before, after, found := strings.Cut(s, ":")
		if !found {
			return false
		}
		before = strings.TrimRight(before, emphasis)
		if n := len(before); n > 0 && strings.IndexByte("sS", before[n-1]) >= 0 {
			return true
		}
		s = after
	}
}

// keywordAt returns the keyword at the start of s, if a colon follows, and what follows that.
func keywordAt(s string) (keyword, list string) {
	for _, keyword := range Keywords() {
		if len(s) > len(keyword) && strings.EqualFold(s[:len(keyword)], keyword) {
			list, found := strings.CutPrefix(strings.TrimLeft(s[len(keyword):], emphasis), ":")
			if found {
				return keyword, list
			}
		}
	}
	return "", ""
}

// wordAt returns the length of the word at the start of s, and at least 1.
func wordAt(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '@' && r != '_' && !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	})
	if end < 0 {
		return len(s)
	}
	return max(end, 1)
}

const (
	// leadRun holds what may stand in front of the first word of a line of comment, or of a document: the signs that
	// begin comments, and those of lists, quotes and emphasis.
	leadRun = " \t/*#-;%!<>.|=([:+~_"
	quotes  = "\"'`"
)

// leads begin a comment behind code.
var leads = []string{"//", "/*", "#", "--", ";", "%", "!", `"""`, "'''", "(*", "{-"}

// words begin a comment at the start of a line.
var words = []string{"rem", "@rem", "dnl"}

// leadAt returns the length of the lead at the start of s, or 0.
func leadAt(s string) int {
	for _, lead := range leads {
		if strings.HasPrefix(s, lead) {
			return len(lead)
		}
	}
	return 0
}

// closing returns where the string that begins at i ends in this line, or -1.
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
