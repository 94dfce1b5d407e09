// Package commandline makes the command line that an agent client runs as its hook, and knows one again.
//
// The line stands in files that teams commit, so it names no path of one machine. It looks for the program itself: in
// the boundary's own folder, where an installation puts a link and no session may write, and only then in PATH. Where
// there is none, or where it breaks, the line says so in words: it blocks in a project that enforces its boundary, and
// lets the call run in any other.
//
// The line does not depend on the mode, since a client may want a changed one to be trusted again.
package commandline

import (
	"strconv"
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/shellquote"
)

// The names of the programs that are the hook: the small one, and the whole one with the word hook before the rest.
const (
	Small = "orchestrator-hook"
	Whole = "orchestrator"
)

// Folder is the boundary's own folder in a project, where an installation puts the link to the program.
const Folder = ".orchestrator/boundary"

// For returns the command line that a client is to run for an event of its own, in a file of the project.
func For(c *agentclient.Client, event string) string { return line(c, event, "", false) }

// ForUser returns the command line for a file in the user's folder, where it is run in every project. It knows the
// path of the program, and does nothing outside of a project that has a boundary.
func ForUser(c *agentclient.Client, event, program string) string {
	return line(c, event, program, true)
}

func line(c *agentclient.Client, event, program string, user bool) string {
	text := makeScript(c, event, program, user)
	if c.Wiring.AnyShell {
		return "sh -c " + shellquote.Quote(text)
	}
	return text
}

// makeScript returns the line for a POSIX shell. It starts nothing but the hook unless that fails. The outermost folder
// counts, as what lies below it may have come with a branch.
func makeScript(c *agentclient.Client, event, program string, user bool) string {
	before, call := event == c.Wiring.Before(), c.Name
	if c.Wiring.Ending(event) {
		call += " " + agentclient.FinishedFlag
	}
	said := func(when agentclient.When, d boundary.Decision, message string) string {
		return printing(c.Answer(when, d, message))
	}
	parts := []string{": " + Small + " " + c.Name, "l= e= b=" + Folder + " d=$PWD"}
	if v := c.Wiring.Project; v != "" {
		parts = append(parts, "case ${"+v+"-} in /*) d=${"+v+"-};; esac")
	}
	parts = append(parts, `while [ -n "$d" ]; do [ -O "$d/$b" ] && l=$d/$b; [ -e "$d/$b/enforcing" ] || `+
		`[ -e "$d/.git/orchestrator-enforcing" ] && e=1; d=${d%/*}; done`)
	candidates := `"$l/` + Small + `" "$l/` + Whole + `" `
	if user {
		parts = append(parts, `[ -n "$l$e" ] || { `+said(moment(before), boundary.Allow, "")+`; }`)
		candidates += shellquote.Quote(program) + " "
	}
	parts = append(parts,
		`for h in `+candidates+Small+" "+Whole+`; do command -v "$h" > /dev/null 2>&1 || continue; `+
			`case $h in *-hook) "$h" `+call+`;; *) "$h" hook `+call+`;; esac; s=$?; `+
			`case $s in 0|2) exit $s;; esac; break; done`)
	if before {
		parts = append(parts,
			`[ -n "$e" ] || ! grep -Eqs '^  "mode": "(enforce|confirm)"' "$l/policy.json" || e=1`,
			`[ -z "$e" ] || { `+said(agentclient.Before, boundary.Block, blocked+remedy+c.Name)+`; }`,
			said(agentclient.Before, boundary.Warn, unjudged+remedy+c.Name))
	} else {
		parts = append(parts, said(agentclient.After, boundary.Allow, ""))
	}
	return strings.Join(parts, "; ")
}

func moment(before bool) agentclient.When {
	if before {
		return agentclient.Before
	}
	return agentclient.After
}

// What is said where the program is not found, or breaks.
const (
	blocked  = "orchestrator-hook does not run on this machine, so the boundary of this project blocks every tool. "
	unjudged = "orchestrator-hook does not run on this machine, so the boundary of this project judges nothing. "
	remedy   = "Put orchestrator and orchestrator-hook into PATH (make install in a clone of the " +
		"orchestrator project does), then run: orchestrator boundary install "
)

// printing returns the commands that give an answer and end.
func printing(a agentclient.Answer) string {
	text := ""
	if len(a.Stdout) > 0 {
		text += "printf '%s\\n' " + shellquote.Quote(strings.TrimSuffix(string(a.Stdout), "\n")) + "; "
	}
	if len(a.Stderr) > 0 {
		text += "printf '%s\\n' " + shellquote.Quote(strings.TrimSuffix(string(a.Stderr), "\n")) + " >&2; "
	}
	return text + "exit " + strconv.Itoa(a.Exit)
}
