package main

import (
	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/clientcmd"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// byHandAlone are the flags that no variable stands in for, of all commands.
var byHandAlone = []string{"approve", "override", "reason", "sha256", "apply yes",
	"attest note", "attest revoke", "reviewed note", "bypass end", "recovery cause", "recovery link", "recovery mend", "install as",
	"add name", "add kind", "add role", "add requirement", "add allow-address", "add link", "add secret-file", "replay since", "replay dead"}

// aboutTheService are the flags that variables stand in for, of the commands that work on requirements: what the others
// say is a person's word.
var aboutTheService = []string{"data", "server", "tls-ca", "token-file", "timeout", "json"}

// isVerb reports whether a command works on requirements through the service.
func isVerb(c *cobra.Command) bool {
	return slices.ContainsFunc(clientcmd.Commands(), func(verb *cobra.Command) bool { return verb.Name() == c.Name() && !c.Parent().HasParent() })
}

// The help of every command names each flag with its environment variable, and what the command is for.
func TestHelpNamesEveryFlagWithItsVariable(t *testing.T) {
	t.Parallel()
	for _, c := range leaves(rootCommand()) {
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		help, code := orchestrate(t, t.TempDir(), args...)
		require.Zero(t, code, help)
		help = strings.ReplaceAll(help, "\n                ", " ") // a text of more than one line
		require.Contains(t, help, "Usage:\n  "+c.CommandPath(), args)
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Hidden {
				return
			}
			if slices.Contains(byHandAlone, f.Name) || slices.Contains(byHandAlone, c.Name()+" "+f.Name) || isVerb(c) && !slices.Contains(aboutTheService, f.Name) {
				require.Regexp(t, `(?m)^  .* --`+f.Name+` `, help)
				require.NotContains(t, help, cli.EnvName(f.Name))
				return
			}
			documented := regexp.MustCompile(`(?m)^  .* --` + f.Name + ` .*\[` + cli.EnvName(f.Name) + `\]`)
			require.Regexp(t, documented, help)
		})
	}
}

// An error repeats what it was given so that no terminal obeys it, and so that it cannot pass for another line.
func TestErrorsAreEscaped(t *testing.T) {
	t.Parallel()
	out, code := orchestrate(t, t.TempDir(), "verify", "--data", "\x1b[31mred\x9b\u009b\u202e\nforged")
	require.Equal(t, 2, code)
	for _, raw := range []string{"\x1b", "\x9b", "\u202e", "\nforged"} {
		require.NotContains(t, out, raw)
	}
	require.Contains(t, out, `\x1b[31mred`)
}

func TestErrorsAreMasked(t *testing.T) {
	t.Parallel()
	out, code := orchestrate(t, t.TempDir(), "verify", "--data", "a/"+awsKey)
	require.Equal(t, 2, code)
	require.NotContains(t, out, awsKey)
	require.Contains(t, out, "a/[masked aws_access_key]")
}

// Names in a list reach the console's log as JSON, which leaves some control characters as they are.
func TestConsoleEscapesLists(t *testing.T) {
	t.Parallel()
	dir, name := newProject(t), "shop\u009b31m.md"
	require.NoError(t, os.Rename(filepath.Join(dir, "REQUIREMENTS.md"), filepath.Join(dir, name)))
	p := startServer(t, dir, "--log-format", "console", "--requirements", name)
	require.Contains(t, p.log.String(), `shop\u009b31m.md`)
	require.NotContains(t, p.log.String(), "\u009b")
	require.NoError(t, p.stop(0))
}

// leaves are the commands that do something.
func leaves(cmd *cobra.Command) (all []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		all = append(all, leaves(sub)...)
	}
	if len(all) == 0 || cmd.Name() == "mcp" { // which serves, and holds others
		all = append(all, cmd)
	}
	return all
}
