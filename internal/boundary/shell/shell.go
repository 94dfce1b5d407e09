// Package shell tells what a shell command would do to files, without running it. It is pure: a command comes in as
// text, and what is known of it goes out.
//
// A program is looked up in tables: some write, some read, some run another command, which is then looked at in its
// turn. Whatever no table tells is ambiguous. Nothing is guessed: a variable is followed only where one literal
// assignment is sure to reach it, and a word that cannot be told may be any option of the program that gets it.
//
// A policy may vouch for a program that no table tells, but not where an option or a variable of the environment may
// make it run other code than the project's.
//
// What it trusts: that a program found by a plain name, or in a folder of the system, is the one of that name (whatever
// assigns PATH is ambiguous), that a plain assignment is not of a variable which the environment has already, that a cd
// succeeds unless || says otherwise, and that git's configuration and curl's are the user's own. A target may be a
// folder, and then whatever lies below it is written.
package shell

import (
	"strings"

	"orchestrator/internal/boundary/shell/toolchain"
)

// Class says what is known of what a command does to files.
type Class string

// The classes, from the one that settles a whole command to the one that every part must have.
const (
	Writes    Class = "writes"
	Ambiguous Class = "ambiguous"
	Produces  Class = "produces" // outputs, caches and what git keeps, but no source unless a target is one
	Reads     Class = "reads"
)

// Target is a file that a command writes. Path is as the command names it, without quotes and escapes, after the
// literal cds before it and a slash; it is not cleaned. A ~ stays, $HOME is ~, and a ~ that was quoted is ./~. Where
// Known is false the rest of the path cannot be told, and Path is what is known of its beginning, often nothing.
type Target struct {
	Path  string
	Known bool
	Tree  bool // of a file that is shown or whose code runs: all that is below it, too
}

// Part is one simple command, or one redirection, within a shell command.
type Part struct {
	// base name of the program, and its first words that are no options: at most four; nil when it cannot be told
	Words   []string
	Class   Class
	Targets []Target // when it writes or produces
	Placed  []Target // those of them that come from elsewhere as they are, and may be links, or hold some
	// when it produces, or reads by settings that lie there: the folder that it runs in, and words that name code
	Runs    []Target
	Why     string // what makes it so, in a few words for a person; empty when it reads
	Unknown bool   // it is ambiguous only because the program is not known, so that a policy may vouch for it

	all []arg
}

// All returns the program and all its words; one of which only the beginning is known ends in toolchain.Unfinished.
func (p Part) All() []string { return texts(p.all) }

// Reading is a whole command. Text is all its literal text without quotes and escapes, a word a line, bodies of
// here-documents included, to look for mentions of a path.
type Reading struct {
	Parts []Part
	Text  string
	// files whose content it may show or copy; any word of a program that is not known to show none may name one
	Shown []Target
}

// Limits: beyond them a command is ambiguous, and takes no longer to read.
const (
	maxCommand  = 64 << 10  // bytes
	maxDepth    = 50        // commands within commands
	maxReparse  = 8         // code within strings within code
	maxValue    = 4 << 10   // bytes of a variable that is followed
	maxExpanded = 256 << 10 // bytes of all variables and braces that are followed
	maxBindings = 256       // variables that are remembered
	maxBraces   = 64        // words that one word with braces becomes, and braces in one
	maxParens   = 500       // parentheses open at once, quoted ones too: the parser takes time for each again and again
)

// Unread returns the reading of a command in a language that this package does not read: no policy vouches for it, and
// any of its words may name a file that it shows.
func Unread(command, why string) Reading {
	w := walker{}
	// what quotes and escapes in most languages of shells goes, and slashes go one way
	bare := strings.NewReplacer(`"`, "", `'`, "", "`", "", `\`, "/", ":", " ").Replace(command)
	w.note(strings.Join(strings.Fields(bare), "\n"))
	w.doubt(why)
	showVariables(&w, toolchain.InPowerShell(command))
	w.showRest()
	return Reading{Parts: w.parts, Text: w.text.String(), Shown: w.shown}
}

// Bash reads a command as bash and sh would.
func Bash(command string) Reading {
	words := min(strings.Count(command, " ")+1, 200) // to make room once; there may be more of all that is noted
	w := walker{budget: maxExpanded, parts: make([]Part, 0, words/5+2), shown: make([]Target, 0, words/3+4),
		args: make([]arg, 0, words+2), names: make([]string, 0, words/3+4)}
	w.text.Grow(min(len(command), maxCommand) + 16)
	w.paths.Grow(min(len(command), maxCommand))
	w.code(command)
	w.showRest()
	return Reading{Parts: w.parts, Text: w.text.String(), Shown: w.shown}
}
