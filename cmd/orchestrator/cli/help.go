package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is the most columns that a help takes, but for its examples, which can be copied as they stand.
const helpWidth = 100

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

// flagLine is a line of the list of flags; what it says of the flag begins behind the spaces.
var flagLine = regexp.MustCompile(`^ +(-\w, )?--\S+( \S+)? {2,}`)

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
		indent := len(flagLine.FindString(line))
		if indent == 0 || indent > helpWidth*2/3 {
			out.WriteString(line + "\n")
			continue
		}
		for i, part := range wrapped(strings.Fields(line[indent:]), helpWidth-indent) {
			if i == 0 {
				out.WriteString(line[:indent] + part + "\n")
			} else {
				out.WriteString(strings.Repeat(" ", indent) + part + "\n")
			}
		}
	}
	flush()
	return out.String()
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
