package toolchain

// ReadsSettings reports whether a program, even where it only reads, may run what settings in its folder name: a
// repository of git is any folder with files of the right names.
func ReadsSettings(program string) bool {
	switch program {
	case "black", "bun", "cargo", "dotnet", "gh", "git", "go", "isort", "npm", "pip", "pip3", "pnpm", "prettier",
		"terraform", "tofu", "yarn":
		return true
	}
	return false
}
