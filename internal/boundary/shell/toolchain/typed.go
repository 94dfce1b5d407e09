package toolchain

// quiet are programs that neither run what is typed into them nor start a program that does, such as a pager, an editor
// or a test runner that watches: all that a session may run in a terminal that it can type into.
var quiet = []string{":", "[", "arch", "b2sum", "base32", "base64", "basename", "cal", "cat", "cd", "cksum", "cmp",
	"comm", "cut", "date", "df", "diff", "dir", "dirname", "du", "echo", "egrep", "exit", "expand", "expr", "false",
	"fgrep", "file", "find", "fmt", "fold", "free", "go", "gofmt", "grep", "groups", "head", "hexdump", "hostname",
	"id", "jq", "ls", "lsof", "md5sum", "nl", "nproc", "od", "paste", "printenv", "printf", "ps", "pwd", "readlink",
	"realpath",
	"rev", "seq", "sha1sum", "sha256sum", "sha512sum", "shasum", "sleep", "sort", "stat", "strings", "tac", "tail",
	"test", "tr", "true", "type", "uname", "uniq", "uptime", "wc", "which", "who", "whoami", "xxd"}

// Quiet reports whether a session may type into a program: nothing that it types is run.
func Quiet(program string) bool { return has(quiet, program) }

// configured are programs that read settings where they run, which may name programs: a repository of git is any folder
// with files of the right names.
var configured = []string{"black", "bun", "cargo", "dotnet", "git", "go", "isort", "npm", "pip", "pip3", "pnpm",
	"prettier", "terraform", "tofu", "yarn"}

// ReadsSettings reports whether a program, even where it only reads, may run what settings in its folder name.
func ReadsSettings(program string) bool {
	return has(configured, program)
}
