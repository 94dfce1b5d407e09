package toolchain

// configured are programs that read settings where they run, which may name programs: a repository of git is any folder
// with files of the right names.
var configured = []string{"black", "bun", "cargo", "dotnet", "gh", "git", "go", "isort", "npm", "pip", "pip3", "pnpm",
	"prettier", "terraform", "tofu", "yarn"}

// ReadsSettings reports whether a program, even where it only reads, may run what settings in its folder name.
func ReadsSettings(program string) bool {
	return has(configured, program)
}
