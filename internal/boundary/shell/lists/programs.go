package lists

// The lists that every program is looked up in are switches, which the compiler makes a jump and a comparison or two.

// ReadsPlainly reports whether a program writes nothing, whatever its options and operands are.
func ReadsPlainly(program string) bool {
	switch program {
	case ":", "apropos", "arch", "b2sum", "b3sum", "base32", "basename", "basenc", "bc", "bg", "break", "bzcat",
		"cal", "cat", "cksum", "clear", "cmp", "colordiff", "column", "comm", "continue", "crc32", "cut", "df",
		"diff", "dig", "dir", "dirname", "dirs", "disown", "du", "echo", "egrep", "exit", "expand", "expr", "factor",
		"false", "fg", "fgrep", "fmt", "fold", "free", "getconf", "getent", "getfacl", "getfattr", "ggrep", "gojq",
		"grep", "groups", "gzcat", "hadolint", "hd", "head", "hexdump", "host", "id", "iostat", "jobs", "join",
		"locale", "locate", "logname", "look", "ls", "lsattr", "lsblk", "lscpu", "lsmod", "lsof", "lspci", "lsusb",
		"md5", "md5sum", "most", "namei", "ncal", "netstat", "nl", "nproc", "nslookup", "numfmt", "objdump", "od",
		"paste", "pathchk", "pgrep", "ping", "ping6", "plocate", "pr", "printenv", "ps", "pwd", "readelf", "readlink",
		"realpath", "return", "rev", "seq", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum",
		"shellcheck", "shift", "size", "sleep", "stat", "strings", "sum", "tac", "tail", "test", "times", "tldr",
		"tokei", "tput", "tr", "traceroute", "true", "tsort", "tty", "type", "ulimit", "umask", "uname", "unexpand",
		"uptime", "users", "vdir", "vmstat", "w", "wc", "whatis", "whereis", "which", "who", "whoami", "xzcat",
		"yamllint", "yes", "zcat", "zdiff", "zgrep", "zipinfo", "zstdcat":
		return true
	}
	return false
}

// Wraps reports whether a program runs the command in its words: whether there is a row of it among those of wrappers.
func Wraps(program string) bool {
	switch program {
	case "builtin", "bunx", "busybox", "caffeinate", "chronic", "chrt", "command", "doas", "exec", "gtimeout", "ionice",
		"nice", "nohup", "npx", "setsid", "stdbuf", "sudo", "taskset", "time", "timeout", "toybox", "unbuffer", "uvx":
		return true
	}
	return false
}

// Contentless reports whether a program names, moves or removes files, and shows nothing of what is in them.
func Contentless(program string) bool {
	switch program {
	case "[", "basename", "cd", "chgrp", "chmod", "chown", "df", "dir", "dirname", "du", "echo", "exit", "export",
		"fd", "fdfind", "find", "getfacl", "ls", "lsattr", "mkdir", "namei", "orchestrator-hook", "popd", "printf",
		"pushd", "pwd", "read", "readlink", "realpath", "return", "rm", "rmdir", "set", "shift", "stat", "test",
		"touch", "tree", "true", "type", "unlink", "vdir", "which":
		return true
	}
	return false
}

// Searches reports whether a program takes a pattern or a program first, and files only then.
func Searches(program string) bool {
	switch program {
	case "ack", "ag", "awk", "egrep", "fgrep", "gawk", "ggrep", "gojq", "grep", "gsed", "jq", "mawk", "nawk", "rg",
		"sed", "zgrep":
		return true
	}
	return false
}

// Leaves reports whether the value of an option names what is left out, or a pattern.
func Leaves(option string) bool {
	switch option {
	case "--exclude", "--exclude-dir", "--exclude-from", "--expression", "--glob", "--iglob", "--ignore",
		"--ignore-dir", "--ignore-file", "--regexp", "-e", "-g", "-m", "-x":
		return true
	}
	return false
}

// ContentlessGit reports whether a subcommand of git shows and stores no content.
func ContentlessGit(subcommand string) bool {
	switch subcommand {
	case "branch", "check-attr", "check-ignore", "clean", "commit", "config", "ls-files", "ls-tree", "merge-base",
		"reset", "rev-list", "rev-parse", "rm", "status", "switch", "tag":
		return true
	}
	return false
}

// TakesGoFlags reports whether --w is -w to a program.
func TakesGoFlags(program string) bool {
	switch program {
	case "clang-format", "go", "gofmt", "gofumpt", "goimports":
		return true
	}
	return false
}

// SystemFolder reports whether a folder holds the programs that the tables mean.
func SystemFolder(folder string) bool {
	switch folder {
	case "/bin/", "/opt/homebrew/bin/", "/opt/local/bin/", "/run/current-system/sw/bin/", "/sbin/",
		"/snap/bin/", "/usr/bin/", "/usr/local/bin/", "/usr/local/go/bin/", "/usr/sbin/":
		return true
	}
	return false
}

// Moves reports whether a call of a program may change the folder.
func Moves(program string) bool {
	switch program {
	case "cd", "pushd", "popd", "eval", "source", ".":
		return true
	}
	return false
}

// Assigns reports whether a call of a program may change variables.
func Assigns(program string) bool {
	switch program {
	case "read", "mapfile", "readarray", "getopts", "printf", "unset", "let", "wait", "eval", "source", ".":
		return true
	}
	return false
}
