package clientcmd

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/advice"
)

// leadToPresentID makes a command that is refused because a requirement has another id now say how to type it again.
func leadToPresentID(cmd *cobra.Command) {
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		moved := apiclient.RenamedError{}
		if !errors.As(err, &moved) {
			return err
		}
		told := *moved.Refusal
		return told.WithFix("use its present id: %s", retyped(cmd, args, moved.From, moved.To))
	}
}

// retyped returns a command line with another id. Arguments before it have had their turn.
func retyped(cmd *cobra.Command, args []string, from, to string) string {
	words := []string{}
	if i := slices.Index(args, from); i >= 0 {
		words = slices.Concat([]string{to}, args[i+1:])
	}
	return advice.Line(cmd.CommandPath(), append(words, setting.TypedFlags(cmd)...)...)
}
