package placeholder

import (
	"strings"

	"orchestrator/internal/requirements/reqid"
)

// ID returns an id that is yet to be given, such as FR-XXX, REQ-###, [AREA]-01 and {ID}, at the start of a text; or "".
func ID(text string) string {
	text = strings.TrimLeft(text, " \t*_`")
	end, parts, hollow, letters := 0, 0, false, false
	for ; end < len(text); parts++ {
		length, open, named := idPart(text[end:], end == 0)
		if length == 0 {
			break
		}
		hollow, letters = hollow || open, letters || named
		if end += length; strings.IndexAny(text[end:], "-_.") != 0 {
			break
		}
		end++
	}
	id := text[:end]
	behind := strings.TrimLeft(text[end:], "*_`")
	marked := behind == "" || len(behind) < len(text)-end || strings.ContainsAny(behind[:1], ":：")
	if !hollow || !letters || !marked && !strings.HasPrefix(behind, " ") || strings.HasPrefix(behind, "(") {
		return ""
	}
	if parts > 0 {
		return id
	}
	if inner, length := Bracketed(id); length == len(id) && strings.EqualFold(lastWord(inner), "id") {
		return id
	}
	return ""
}

func lastWord(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" _-{}", r) })
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// idPart returns the length of the first part of such an id, whether it is open, and whether it has letters: a word in
// capitals, a number, or what stands for either of them. XXX and NNN stand for a number, so not at the start.
func idPart(s string, first bool) (length int, open, letters bool) {
	if strings.ContainsAny(s[:1], "[{<") {
		inner, length := Bracketed(s)
		inner = strings.Trim(inner, "{} ")
		if _, written := reqid.FormOf(inner); inner == "" || len(inner) > 30 || written || strings.ContainsAny(inner, "/=@:!?()\"") {
			return 0, false, false
		}
		return length, true, true
	}
	for _, class := range []string{"#", "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		if n := len(s) - len(strings.TrimLeft(s, class)); n > 0 {
			part := s[:n]
			return n, class == "#" || !first && (strings.Trim(part, "X") == "" || strings.Trim(part, "N") == ""),
				class[0] == 'A'
		}
	}
	return 0, false, false
}
