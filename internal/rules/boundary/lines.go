package boundary

import (
	"strings"
	"unicode/utf8"
)

// MaxMessage is the most characters that a message has: clients cut longer ones, and models skim them.
const MaxMessage = 2000

// maxLine is the most characters of a line, so that every line finds its place.
const maxLine = 260

// examplePrefix begins the line with a call to make.
const examplePrefix = "Example: "

// fitting puts lines together. Where they are longer than a message, each gets its share, but for the example: one that
// is cut could not be called.
func fitting(lines []string) string {
	most := maxLine
	for {
		length, whole := len(lines)-1, 0
		for i, line := range lines {
			lines[i] = oneLine(line)
			n := utf8.RuneCountInString(line)
			if strings.HasPrefix(line, examplePrefix) && n <= 2*maxLine {
				whole += n
				continue
			}
			lines[i] = clip(lines[i], most)
			length += min(n, most)
		}
		if length+whole <= MaxMessage {
			return strings.Join(lines, "\n")
		}
		most = (MaxMessage - whole - len(lines) + 1) / len(lines)
	}
}

// joined makes a message of lines, each of which keeps to its length and stays one line.
func joined(lines []string, most int) string {
	for i, line := range lines {
		lines[i] = clip(oneLine(line), most)
	}
	return clip(strings.Join(lines, "\n"), MaxMessage)
}

// oneLine takes out what would break a line, or play with a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 &&
			r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff {
			return ' '
		}
		return r
	}, s)
}

func clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	return string(runes[:most-1]) + "…"
}
