package webhookcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/webhooks"
)

func removeCommand() *cobra.Command {
	var o common
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Tell a webhook no more, and forget its secret",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := webhooks.Remove(cmd.Context(), o.dir(), args[0]); err != nil {
				return err
			}
			if o.json {
				return output.WriteJSON(cmd.OutOrStdout(), map[string]string{"removed": args[0]})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "removed the webhook %s, and its secret\n", args[0])
			return err
		},
	}
	o.flags(cmd)
	o.oneName(cmd)
	return cli.WithEnv(cmd)
}
