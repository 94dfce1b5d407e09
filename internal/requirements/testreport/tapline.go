package testreport

import (
	"strconv"
	"strings"
)

// tapLine is the line of a test: "not ok 3 - name # TODO why".
type tapLine struct {
	number int // -1 when it has none
	name   string
	result string
}

var unescape = strings.NewReplacer(`\\`, `\`, `\#`, `#`)

func pointOf(line string) (tapLine, bool) {
	p := tapLine{number: -1, result: Pass}
	rest, failed := strings.CutPrefix(line, "not ok")
	if failed {
		p.result = Fail
	} else if rest, failed = strings.CutPrefix(line, "ok"); !failed {
		return tapLine{}, false
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return tapLine{}, false
	}
	rest = strings.TrimSpace(rest)
	if number, after, _ := strings.Cut(rest, " "); isNumber(number) {
		p.number, _ = strconv.Atoi(number)
		rest = strings.TrimSpace(after)
	}
	if rest == "-" || strings.HasPrefix(rest, "- ") {
		rest = strings.TrimSpace(rest[1:])
	}
	name, directive := cutDirective(rest)
	p.name = unescape.Replace(name)
	switch {
	case directive == "SKIP" && p.result == Pass, directive == "TODO":
		p.result = Skip
	}
	return p, true
}

func isNumber(s string) bool {
	return s != "" && len(s) <= 9 && strings.Trim(s, "0123456789") == ""
}

// cutDirective separates a name from the first "# SKIP" or "# TODO" behind it, in capitals or not.
func cutDirective(s string) (name, directive string) {
	for at := 0; at < len(s); at++ {
		switch {
		case s[at] == '\\':
			at++ // the next character is meant as itself
		case s[at] == '#' && (at == 0 || s[at-1] == ' ' || s[at-1] == '\t'):
			word := strings.TrimLeft(s[at+1:], " \t")
			for _, d := range []string{"SKIP", "TODO"} {
				if len(word) >= len(d) && strings.EqualFold(word[:len(d)], d) && !goesOn(d, word[len(d):]) {
					return strings.TrimSpace(s[:at]), d
				}
			}
		}
	}
	return s, ""
}

// goesOn reports that a directive is the start of another word; "SKIPPED" means SKIP too.
func goesOn(directive, rest string) bool {
	if directive == "SKIP" && len(rest) >= 3 && strings.EqualFold(rest[:3], "ped") {
		rest = rest[3:]
	}
	return rest != "" && (rest[0] >= '0' && rest[0] <= '9' || rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z' ||
		rest[0] == '_')
}
