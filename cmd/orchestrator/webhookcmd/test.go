package webhookcmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/webhooks"
)

func testCommand() *cobra.Command {
	var o common
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Send a signed message to a webhook now, and say what it answers",
		Long: `Test sends a message of the kind webhook.test, which is about no record, once, and from this machine.
What the webhook is told otherwise does not change, and nothing is recorded.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			tested, err := webhooks.Test(cmd.Context(), o.dir(), args[0], cli.UserAgent(), time.Now())
			if err != nil {
				return err
			}
			if o.json {
				return output.WriteJSON(cmd.OutOrStdout(), tested)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s answered %d after %.0f ms to %s\n", tested.Name, tested.Status,
				tested.TookMS, tested.ID)
			return err
		},
	}
	o.flags(cmd)
	o.oneName(cmd)
	return cli.WithEnv(cmd)
}
