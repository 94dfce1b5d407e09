package boundary

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxReminder is the most characters that Unfinished returns.
const MaxReminder = 1000

// Lack is what a session has still to do for a requirement that it has claimed.
type Lack struct {
	Requirement string
	Status      string
	Do          []string // what is lacking, each with the command that supplies it; the first is the most urgent
}

// Unfinished returns the reminder for a session that wants to end while requirements that it has claimed are incomplete.
// Each requirement gets its share of the room; of many, the last are left to the command that lists them.
func Unfinished(lacks []Lack) string {
	const (
		most  = 5
		begin = "ORCHESTRATOR: not done yet. What you have claimed still lacks something:"
		end   = "Do it now, or give the claim up: orchestrator claim ID --release. If neither can be done, say why. " +
			"You are told this once."
	)
	var lines []string
	for i, one := range lacks {
		line := "- " + one.Requirement + " (" + one.Status + "): " + strings.Join(one.Do, "; ")
		if i == most-1 && len(lacks) > most {
			lines = append(lines, fmt.Sprintf("- and %d more: orchestrator next", len(lacks)-i))
			break
		}
		lines = append(lines, oneLine(line))
	}
	room := MaxReminder - utf8.RuneCountInString(begin+end) - 1
	for i, line := range lines {
		lines[i] = clip(line, room/len(lines)-1)
	}
	return begin + "\n" + strings.Join(append(lines, end), "\n")
}
