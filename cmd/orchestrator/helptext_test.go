package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// everyHelp lists all commands, those included that only hold others.
func everyHelp(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, everyHelp(sub)...)
	}
	return all
}

// notSaid are turns of phrase that a help does not use: nobody speaks so, and the active form is shorter.
var notSaid = regexp.MustCompile(`\b(is|are) to be\b|\bis not looked at\b|\bof the first start\b|\bwhat is to\b`)

// TestEveryHelpReadsWell: each help has a first sentence that says what the command does, lines that fit a terminal,
// and a text for every flag, and each command stands in a group of its parent if others do.
func TestEveryHelpReadsWell(t *testing.T) {
	for _, c := range everyHelp(rootCommand()) {
		path := c.CommandPath()
		require.NotEmpty(t, c.Short, path)
		first, _ := firstRune(c.Short)
		require.True(t, unicode.IsUpper(first), "%s: %s", path, c.Short)
		require.NotRegexp(t, `\.$`, c.Short, path)
		require.LessOrEqual(t, len(c.Short), 80, "%s: %s", path, c.Short)
		long := c.Long
		if long != "" {
			require.Regexp(t, `^\S[^\n]*`, long, path)
			require.Regexp(t, `(?s)[.:)]`, long, "%s has no sentence", path)
		}
		require.NotRegexp(t, notSaid, c.Short+" "+long, path)
		if long != "" && !c.HasSubCommands() {
			require.Regexp(t, `^(?i)`+strings.Split(c.Name(), "-")[0], long, "%s: the help begins with what the command does", path)
		}
		var help strings.Builder
		c.SetOut(&help)
		require.NoError(t, c.Help())
		for line := range strings.Lines(help.String()) {
			most := 80
			if strings.HasPrefix(line, "  orchestrator ") {
				most = 100 // an example, to be copied
			}
			require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), most, "%s: %s", path, line)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			require.NotEmpty(t, f.Usage, "%s --%s", path, f.Name)
			require.NotRegexp(t, notSaid, f.Usage, "%s --%s", path, f.Name)
			require.NotRegexp(t, `\.$`, f.Usage, "%s --%s is a phrase, not a sentence", path, f.Name)
		})
		if c.HasParent() && len(c.Parent().Groups()) > 0 && !c.Hidden {
			require.NotEmpty(t, c.GroupID, "%s stands in no group of cli.Finish", path)
		}
	}
}

func firstRune(s string) (r rune, is bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}
