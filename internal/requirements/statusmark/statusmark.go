// Package statusmark takes marks of status, such as ✓ and "✅ Done", off the ends of a line. It does no I/O.
package statusmark

import (
	"strings"
	"unicode/utf8"
)

// Claim is what a mark says of the work on something.
type Claim int

// The claims. A mark such as 🚧 or ❌ says neither that something is done nor that nothing was begun.
const (
	None Claim = iota
	Open
	Done
	Other
)

// marks are the marks of status by what they claim.
var marks = claims(map[Claim]string{
	Done:  "✓✔☑✅🗸🗹",
	Open:  "☐⬜□▢🔲",
	Other: "✗✘✖❌❎☒🚧⏳⌛🔄🔜⏸⏭🛑⛔🚫🟢🟡🟠🔴🔵🟣⚪⚫🟤🟩🟨🟧🟥",
})

func claims(of map[Claim]string) map[rune]Claim {
	by := map[rune]Claim{}
	for claim, marks := range of {
		for _, r := range marks {
			by[r] = claim
		}
	}
	return by
}

// words may follow a mark at the end of a line, by whether they say that something is done.
var words = map[string]bool{
	"done": true, "complete": true, "completed": true, "implemented": true, "verified": true, "shipped": true,
	"finished": true, "delivered": true, "passed": true, "passing": true, "tested": true, "validated": true,
	"fixed": true, "closed": true, "ok": true, "ready": true, "satisfied": true, "met": true,
	"已完成": true, "完成": true, "已实现": true, "已實現": true, "完了": true, "実装済み": true, "実装済": true, "済": true, "완료": true,
	"구현": true, "hecho": true, "completado": true, "implementado": true, "concluído": true, "feito": true, "fait": true,
	"terminé": true, "fertig": true, "erledigt": true, "umgesetzt": true, "готово": true, "выполнено": true,
	"fully": true, "and": true,
	"partial": false, "partially": false, "in": false, "progress": false, "wip": false, "planned": false,
	"pending": false, "todo": false, "to": false, "do": false, "blocked": false, "failed": false, "failing": false,
	"missing": false, "not": false, "started": false, "deferred": false, "open": false, "draft": false,
	"进行中": false, "進行中": false, "未着手": false, "待开发": false, "진행": false, "진행중": false,
}

// Cut returns a line without the marks at its ends, what stands between them, and what the first of them claims.
func Cut(line string) (rest string, claim Claim) {
	rest, claim = CutStart(line)
	for range 4 { // more marks are an ornament
		shorter, other, found := cutEnd(rest)
		if !found {
			break
		}
		if rest = shorter; claim == None {
			claim = other
		}
	}
	return rest, claim
}

// Leads returns what the first mark in front of a line claims.
func Leads(line string) Claim {
	_, claim := CutStart(strings.TrimLeft(line, " \t#*+-_|0123456789.)"))
	return claim
}

// CutStart cuts at the start of a line alone.
func CutStart(line string) (rest string, claim Claim) {
	rest = strings.TrimLeft(line, " \t")
	for {
		r, size := utf8.DecodeRuneInString(rest)
		of, mark := marks[r]
		if !mark {
			break
		}
		if claim == None {
			claim = of
		}
		rest = strings.TrimLeft(rest[size:], "\ufe0f\u200d \t")
	}
	if claim == None {
		return line, None
	}
	if done, said := status(rest); said {
		if claim == Done && !done {
			claim = Other
		}
		return "", claim
	}
	return strings.TrimLeft(rest, ":：-–— \t"), claim
}

// maxTail is how many bytes a mark at the end of a line may take with its words.
const maxTail = 200

// cutEnd cuts at the last mark if nothing but words of status follows it, and white space or an opening bracket stands
// before it.
func cutEnd(line string) (rest string, claim Claim, found bool) {
	from := max(0, len(line)-maxTail)
	at := from + strings.LastIndexFunc(line[from:], func(r rune) bool { return marks[r] != None })
	if at < from {
		return line, None, false
	}
	r, size := utf8.DecodeRuneInString(line[at:])
	tail := strings.TrimSpace(strings.TrimLeft(line[at+size:], "\ufe0f\u200d"))
	done, said := status(tail)
	if tail != "" && strings.Trim(tail, ".!)]） ") != "" && !said {
		return line, None, false
	}
	if claim = marks[r]; claim == Done && said && !done {
		claim = Other
	}
	head := line[:at]
	if head != "" && !strings.ContainsAny(head[len(head)-1:], " \t([") && !strings.HasSuffix(head, "（") {
		if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(head, "\ufe0f\u200d")); marks[r] == None {
			return line, None, false
		}
	}
	return strings.TrimRight(head, " \t([（–—-:：|·,;"), claim, true
}

// status reports whether a text is nothing but a few words of status, and whether all say that something is done.
func status(text string) (done, found bool) {
	fields := strings.Fields(strings.ToLower(strings.Trim(text, "*_.!)]）:： ")))
	if len(fields) == 0 || len(fields) > 4 {
		return false, false
	}
	done = true
	for _, word := range fields {
		says, known := words[strings.Trim(word, "*_,")]
		if !known {
			return false, false
		}
		done = done && says
	}
	return done, true
}
