package toolchain

import "slices"

// takers are programs that run what is typed into them: pagers and viewers, those that start one, or an editor, where
// they have a terminal, and orchestrator, whose questions are a person's to answer.
var takers = []string{"bat", "gh", "git", "journalctl", "less", "more", "most", "nslookup", "orchestrator", "systemctl",
	"top"}

// TakesCommands reports whether a program runs what is typed into it, or starts one that does.
func TakesCommands(program string) bool {
	_, found := slices.BinarySearch(takers, program)
	return found
}
