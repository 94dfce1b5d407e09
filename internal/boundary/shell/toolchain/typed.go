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

// configured are programs that read settings where they run, which may name programs: a repository of git is any folder
// with files of the right names.
var configured = []string{"black", "bun", "cargo", "dotnet", "git", "go", "isort", "npm", "pip", "pip3", "pnpm",
	"prettier", "terraform", "tofu", "yarn"}

// ReadsSettings reports whether a program, even where it only reads, may run what settings in its folder name.
func ReadsSettings(program string) bool {
	_, found := slices.BinarySearch(configured, program)
	return found
}
