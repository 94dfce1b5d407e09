package render

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// clean makes what others wrote one line of visible text: white space becomes a space, and control, format (so also
// bidirectional and zero-width) and unassigned private characters are taken out.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return visible(r)
	}, strings.ToValidUTF8(s, "�")))
}

// cleanLines cleans text of several lines; line breaks and tabs stay.
func cleanLines(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == '\u2028' || r == '\u2029' || r == '\r' {
			return '\n'
		}
		return visible(r)
	}, s)
}

// visible returns the rune, or -1 for one that shows nothing or steers the terminal.
func visible(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) || r&0xFFFE == 0xFFFE {
		return -1
	}
	return r
}

// noCommand keeps a line of output from being obeyed by a runner of GitHub Actions, which reads commands from logs,
// indented ones too.
func noCommand(line string) string {
	line = strings.ReplaceAll(line, "##[", "# #[")
	if text := strings.TrimLeft(line, " \t"); strings.HasPrefix(text, "::") {
		return line[:len(line)-len(text)] + `\` + text
	}
	return line
}

// noCommands applies noCommand to several lines.
func noCommands(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString(noCommand(line))
	}
	return b.String()
}

// place returns path:line, or the path alone.
func place(path string, line int) string {
	if line <= 0 {
		return clean(path)
	}
	return fmt.Sprintf("%s:%d", clean(path), line)
}

// inBrackets returns a place behind a message, or nothing.
func inBrackets(path string, line int) string {
	if path == "" {
		return ""
	}
	return " [" + place(path, line) + "]"
}

// moment returns a time for people, or "".
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// day returns the date alone, where there is little room.
func day(t time.Time) string { return moment(t)[:min(len(moment(t)), len(time.DateOnly))] }

// since returns " since" and when, or "" for a time that is not known.
func since(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " since " + moment(t)
}

// wide are the runes that take two columns of a terminal, near enough.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115F, 1}, {0x2E80, 0x303E, 1}, {0x3041, 0x33FF, 1}, {0x3400, 0x4DBF, 1}, {0x4E00, 0x9FFF, 1},
		{0xA000, 0xA4CF, 1}, {0xAC00, 0xD7A3, 1}, {0xF900, 0xFAFF, 1}, {0xFE30, 0xFE6F, 1}, {0xFF00, 0xFF60, 1}, {0xFFE0, 0xFFE6, 1},
	},
	R32: []unicode.Range32{{0x1F300, 0x1F64F, 1}, {0x1F680, 0x1F6FF, 1}, {0x1F900, 0x1F9FF, 1}, {0x20000, 0x3FFFD, 1}},
}

func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// width returns how many columns a cleaned text takes.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// wrap breaks a cleaned text into lines of that many columns, 2 at least, between words where it can.
func wrap(s string, columns int) []string {
	var lines []string
	for width(s) > columns {
		end, space, n := 0, 0, 0
		for i, r := range s {
			if n += runeWidth(r); n > columns {
				end = i
				break
			}
			if r == ' ' {
				space = i
			}
		}
		if s[end] == ' ' || space == 0 {
			space = end
		}
		lines = append(lines, s[:space])
		s = strings.TrimLeft(s[space:], " ")
	}
	return append(lines, s)
}

// missingWords returns what a line of a review lacks, by whom; or whose move is next.
func missingWords(r review.Requirement) string {
	var words []string
	for _, m := range r.Missing {
		words = append(words, fmt.Sprintf("%s (%s)", m.Gate, m.By))
	}
	return strings.Join(words, ", ")
}

// findingWords returns what is to be said of a requirement beside what it lacks.
func findingWords(r review.Requirement) string {
	var words []string
	add := func(there bool, format string, args ...any) {
		if there {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(r.Has(review.CodeRetiredWithWork), "retired with work")
	add(r.Retired && !r.Has(review.CodeRetiredWithWork), "retired")
	if r.Held != nil {
		add(true, "%s%s: %s", r.Status, since(r.Held.Since), r.Held.Reason)
	}
	add(r.Has(review.CodeDeadEnd), "dead end")
	done := r.Status == lifecycle.Done
	add(r.Complete, "%s", finished.Words)
	add(r.Tick == reqdoc.TickOpen && done && !r.Retired, "the document says that it is open")
	add(len(r.Stale) > 0, "stale: %s", review.StaleWords(r.Stale))
	add(r.Suspect, "suspect%s", since(r.SuspectSince))
	for _, d := range r.Deviations {
		add(true, "deviation %s is open", d.ID)
	}
	for _, m := range r.Moved {
		add(true, "evidence moved to %s", m.To)
	}
	add(r.Covered != nil && !*r.Covered, "no cited test names it")
	add(len(r.Dirty) > 0, "uncommitted changes in %s", review.Joined(r.Dirty))
	add(r.Rules != 0 && r.Rules != lifecycle.LatestRules, "decided by rules %d%s", r.Rules, byLatestWords(r.ByLatest))
	return strings.Join(words, "; ")
}

// byLatestWords returns what the latest rules hold against a requirement.
func byLatestWords(latest *review.ByLatest) string {
	if latest == nil {
		return ""
	}
	var words []string
	for _, m := range latest.Missing {
		words = append(words, m.Gate)
	}
	if len(latest.Stale) > 0 {
		words = append(words, review.StaleWords(latest.Stale))
	}
	return " (the latest ask for " + strings.Join(words, ", ") + ")"
}
