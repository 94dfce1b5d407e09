package completion

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
)

// Command returns the command that prints the scripts of the shells.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion",
		Short: "Print the completion script of a shell",
		Long: `Completion prints a script that completes commands, flags, ids of requirements, statuses and roles. To
complete ids it asks the service for at most 300 ms, and without its answer reads project_status.json.`,
	}
	cmd.AddCommand(
		script("bash", "source <(orchestrator completion bash)", "~/.bashrc; it needs the package bash-completion",
			func(root *cobra.Command, out io.Writer) error { return bash(root, out) }),
		script("zsh", "source <(orchestrator completion zsh)", "~/.zshrc, below compinit",
			func(root *cobra.Command, out io.Writer) error { return root.GenZshCompletion(out) }),
		script("fish", "orchestrator completion fish | source", "~/.config/fish/config.fish",
			func(root *cobra.Command, out io.Writer) error { return fish(root, out) }),
	)
	return cli.Group(cmd)
}

func script(shell, line, file string, write func(*cobra.Command, io.Writer) error) *cobra.Command {
	return &cobra.Command{
		Use:     shell,
		Short:   "Print the completion script of " + shell,
		Long:    "Prints the completion script of " + shell + ". Put the line below into " + file + ".",
		Example: "  " + line,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return write(cmd.Root(), cmd.OutOrStdout()) },
	}
}

// several is where cobra's script for bash shows several completions. What they have in common is put onto the command
// line as it stands there, so that a space in it would begin another argument.
const several = `        # Format the descriptions
`

// escaped escapes all of several completions where one of them needs it.
const escaped = `        # Of what several have in common the shell inserts all: escape it where one of them needs that
        local i special=
        for i in "${!COMPREPLY[@]}"; do
            comp=${COMPREPLY[i]%%$tab*}
            [[ $(printf "%q" "$comp") == "$comp" ]] || special=yes
        done
        if [[ -n $special ]]; then
            for i in "${!COMPREPLY[@]}"; do
                COMPREPLY[i]=$(printf "%q" "${COMPREPLY[i]%%$tab*}")
            done
            return 0
        fi
`

// taken is where cobra's script for fish takes the words of the command line. It evaluates them again, so that an id
// with parentheses would run what stands between them.
const taken = `    set -l args (commandline -opc)
`

const quoted = `    if set -q args[2]
        set args[2..-1] (string escape -- $args[2..-1])
    end
`

func bash(root *cobra.Command, out io.Writer) error {
	var made bytes.Buffer
	if err := root.GenBashCompletionV2(&made, true); err != nil {
		return err
	}
	return mend(out, made.String(), several, escaped+several)
}

func fish(root *cobra.Command, out io.Writer) error {
	var made bytes.Buffer
	if err := root.GenFishCompletion(&made, true); err != nil {
		return err
	}
	return mend(out, made.String(), taken, taken+quoted)
}

// mend writes a script with a part of it replaced. A script without that part is not written: it would be unsafe.
func mend(out io.Writer, script, part, by string) error {
	if strings.Count(script, part) != 1 {
		return errors.New("the completion script is not of the known form; report this, with what orchestrator version says")
	}
	_, err := io.WriteString(out, strings.Replace(script, part, by, 1))
	return err
}
