package boundarycmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/control"
)

func boundaryLabelCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "label ID correct|false-positive|resolved",
		Short: "Say whether a decision was correct; readiness counts it",
		Long: `Label records a person's verdict on a decision. A false positive stays open until the policy allows the
call, or until it is labelled resolved. The latest label counts.`,
		Example: `  orchestrator boundary label 3f9c1a2b false-positive --note "that was an agent"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			d, err := control.Label(dir, args[0], args[1], o.change())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is labelled %s\n", output.Printable(d.ID), output.Printable(args[1]))
			return nil
		},
	}
	o.rootFlag(cmd)
	cmd.Flags().StringVar(&o.reason, "note", "", "why")
	return person.Only(cli.WithEnv(cmd))
}
