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

// taken is where cobra's script for fish takes the words of the command line. It evaluates them again, so that an id
// with parentheses would run what stands between them.
const taken = `    set -l args (commandline -opc)
`

const fishQuoted = `    if set -q args[2]
        set args[2..-1] (string escape -- $args[2..-1])
    end
`

// patch is a text of one of cobra's scripts, and what replaces it.
type patch struct{ at, by string }

// bashPatches are texts of the script for bash, each with what stands before it then.
var bashPatches = []patch{
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
	patches := []patch{{"local cur prev words cword split", "local cur prev words cword split quote"}}
	for _, p := range bashPatches {
		patches = append(patches, patch{p.at, p.by + p.at})
	}
	return mend(out, made.String(), patches)
}

func fish(root *cobra.Command, out io.Writer) error {
	var made bytes.Buffer
	if err := root.GenFishCompletion(&made, true); err != nil {
		return err
	}
	return mend(out, made.String(), []patch{{taken, taken + fishQuoted}})
}

// mend writes a script with parts of it replaced. A script without one of them is not written: it would be unsafe.
func mend(out io.Writer, script string, patches []patch) error {
	for _, p := range patches {
		if strings.Count(script, p.at) != 1 {
			return errors.New("the completion script is not of the known form; report this, with what orchestrator version " +
				"says")
		}
		script = strings.Replace(script, p.at, p.by, 1)
	}
	_, err := io.WriteString(out, script)
	return err
}
