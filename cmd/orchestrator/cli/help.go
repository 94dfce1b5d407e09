package cli

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/internal/system/lazyregexp"
)

// helpWidth is the most columns that a help takes, but for its examples, which can be copied as they stand. What is
// said of a flag begins at helpIndent at the latest.
const (
	helpWidth  = 80
	helpIndent = 28
)

// narrowHelp keeps the help of all commands below root within helpWidth.
func narrowHelp(root *cobra.Command) {
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var text bytes.Buffer
		cmd.SetOut(&text)
		write(cmd, args)
		cmd.SetOut(out)
		_, _ = io.WriteString(out, narrow(text.String()))
	})
}

// listLine is a line of the list of flags, or of commands; what it says of one begins behind the spaces.
var listLine = lazyregexp.New(`^(?:( +(?:-\w, )?--\S+(?: \S+)? {2,})\S|(  [a-z][a-z-]* +)[A-Z])`)

// program begins an example.
const program = "orchestrator"

// exampleLine is an example with a comment behind it.
var exampleLine = lazyregexp.New(`^(  \S.*?) +(# .*)$`)

func narrow(help string) string {
	var out strings.Builder
	var paragraph []string
	flush := func() {
		for _, line := range reflowed(paragraph) {
			out.WriteString(line + "\n")
		}
		paragraph = nil
	}
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		writeIndented(&out, line)
	}
	flush()
	return out.String()
}

// writeIndented writes a line of a list, or an example. A comment that has no place behind its example stands before
// it.
func writeIndented(out *strings.Builder, line string) {
	what := ""
	if m := listLine().FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "  "+program+" ") {
		what = m[1] + m[2]
	}
	if what == "" {
		if m := exampleLine().FindStringSubmatch(line); m != nil && len([]rune(line)) > helpWidth {
			line = "  " + m[2] + "\n" + m[1]
		}
		out.WriteString(line + "\n")
		return
	}
	indent := min(len(what), helpIndent)
	said := wrapped(strings.Fields(line[len(what):]), helpWidth-indent)
	name := strings.TrimRight(what, " ")
	if len(name) < indent-1 {
		out.WriteString(what[:indent] + said[0] + "\n")
		said = said[1:]
	} else {
		out.WriteString(name + "\n")
	}
	for _, part := range said {
		out.WriteString(strings.Repeat(" ", indent) + part + "\n")
	}
}

// reflowed breaks the lines of a paragraph anew, if one of them is too long.
func reflowed(paragraph []string) []string {
	for _, line := range paragraph {
		if len([]rune(line)) > helpWidth {
			return wrapped(strings.Fields(strings.Join(paragraph, " ")), helpWidth)
		}
	}
	return paragraph
}

// wrapped puts words on lines of at most width columns; a word that is longer has a line of its own.
func wrapped(words []string, width int) (lines []string) {
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
