package toolchain

import (
	"slices"
	"strings"

	"orchestrator/internal/boundary/shell/lists"
)

// Variables of the environment that hold a command which other programs run, and those that change what programs do in
// other ways: by their names, by how these end, and by how they begin.
var (
	commandVariables = []string{"BROWSER", "EDITOR", "GIT_EXTERNAL_DIFF", "GIT_SSH", "LESSCLOSE", "LESSOPEN",
		"MANPAGER", "PAGER", "RIPGREP_PREPROCESSOR", "VISUAL"}
	commandEndings = []string{"_ASKPASS", "_BROWSER", "_COMMAND", "_EDITOR", "_PAGER"}
	hazards        = []string{"BASHOPTS", "BASH_ALIASES", "BASH_CMDS", "BASH_ENV", "CURL_HOME", "DYLD_INSERT_LIBRARIES",
		"ENV", "GOFLAGS", "HOME", "JAVA_TOOL_OPTIONS", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD", "MORE",
		"NODE_OPTIONS", "PATH", "PATHEXT", "PERL5LIB", "PERL5OPT", "PS4", "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP",
		"RIPGREP_CONFIG_PATH", "RUBYOPT", "SHELLOPTS", "SYSTEMD_LESS", "TAR_OPTIONS", "XDG_CONFIG_HOME"}
	hazardBeginnings = []string{"BASH_FUNC_", "BAT_", "GIT_", "LESS", "MOST_", "ORCHESTRATOR_"}
	gitsOwn          = []string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_DIR", "GIT_LITERAL_PATHSPECS",
		"GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "GIT_WORK_TREE"} // which run nothing
)

// HoldsCommand reports whether a variable holds a command that other programs run.
func HoldsCommand(variable string) bool {
	return has(commandVariables, variable) ||
		slices.ContainsFunc(commandEndings, func(end string) bool { return strings.HasSuffix(variable, end) })
}

// Hazard reports whether a variable may make programs do something else, whatever its value is.
func Hazard(variable string) bool {
	begins := func(with string) bool { return strings.HasPrefix(variable, with) }
	return has(hazards, variable) || slices.ContainsFunc(hazardBeginnings, begins) &&
		!slices.ContainsFunc(gitsOwn, begins)
}

// has looks a name up in a list in order.
func has(list []string, name string) bool { return lists.Has(list, name) }
