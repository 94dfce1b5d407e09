package completion

import (
	"bytes"
	"io"
	"orchestrator/cmd/orchestrator/cli"
	"strings"

	"github.com/spf13/cobra"
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
			func(root *cobra.Command, out io.Writer) error { return root.GenFishCompletion(out, true) }),
	)
	return cli.Group(cmd)
}

func script(shell, line, file string, write func(*cobra.Command, io.Writer) error) *cobra.Command {
	return &cobra.Command{
		Use:     shell,
		Short:   "Print the completion script of " + shell,
		Long:    strings.ToUpper(shell[:1]) + shell[1:] + " reads the script by the line below. Put it into " + file + ".",
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

// patches are what is changed of cobra's script for bash: each text, and what stands before it then.
var patches = []struct{ at, before string }{
	{several, escaped},
	{"    # Prepare the command to request completions for the program.\n", opened},
	{"    __orchestrator_debug \"__orchestrator_handle_completion_types:", quoted},
}

// opened takes the quote away with which a word begins that is not closed: it would leave the request without an end.
const opened = `    # What stands behind an open quote is completed
    quote=
    if [[ $cur == [\'\"]* ]]; then
        quote=${cur:0:1}
        cur=${cur:1}
        [[ $quote == \" ]] && cur=${cur//\\/}
        words[${#words[@]}-1]=${cur:+$(printf "%q" "$cur")}
    fi

`

// quoted completes a word within an open quote, which readline closes.
const quoted = `    if [[ -n $quote ]]; then
        local comp tab=$'\t'
        for comp in "${completions[@]}"; do
            comp=${comp%%$tab*}
            [[ $comp == "$cur"* ]] || continue
            if [[ $quote == \' ]]; then
                comp=${comp//\'/\'\\\'\'}
            else
                comp=$(printf "%s" "$comp" | sed 's/[\\$"` + "`" + `]/\\&/g')
            fi
            COMPREPLY+=("$comp")
        done
        return 0
    fi
`

func bash(root *cobra.Command, out io.Writer) error {
	var made bytes.Buffer
	if err := root.GenBashCompletionV2(&made, true); err != nil {
		return err
	}
	const locals = "local cur prev words cword split"
	script := strings.Replace(made.String(), locals, locals+" quote", 1)
	for _, p := range patches {
		script = strings.Replace(script, p.at, p.before+p.at, 1)
	}
	_, err := io.WriteString(out, script)
	return err
}
