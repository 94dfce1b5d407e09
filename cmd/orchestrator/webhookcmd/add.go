package webhookcmd

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/webhooks"
)

func addCommand() *cobra.Command {
	var o common
	var order webhooks.Order
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Tell a URL of the records of the log",
		Long: `Add has the records of the log told to a URL, from the next one on: all of them, or those that --kind,
--role and --requirement choose, which combine with "and".

Each message is signed as Standard Webhooks has it, with the secret that --secret-file has, or else with a new one; it
lies in the data folder, in webhooks/NAME.secret, and nowhere else. An address of this machine is called only if
the URL names it, one of a private network only if the URL or --allow-address has it by its digits, and one of a
cloud's metadata never.

If a service is running with --data, the command returns when that service follows the webhook.`,
		Example: `  orchestrator webhook add https://hooks.example.com/orc
  orchestrator webhook add https://hooks.example.com/orc --name ops --kind requirement.refused
  orchestrator webhook add https://ci.internal:8443/orc --allow-address 10.0.0.7:8443`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			order.URL = args[0]
			in, err := o.place(cmd)
			if err != nil {
				return err
			}
			added, err := webhooks.Add(cmd.Context(), in, order, time.Now())
			if err != nil {
				return err
			}
			if err := writeAdded(cmd.OutOrStdout(), cmd.ErrOrStderr(), added, o.json); err != nil {
				return err
			}
			return webhooks.AwaitFollowed(cmd.Context(), in, added.Name, wait)
		},
	}
	f := cmd.Flags()
	f.StringVar(&order.Name, "name", "", "its `name` (default: that of the host)")
	f.StringSliceVar(&order.Kinds, "kind", nil, "only records of this `kind`, such as requirement.changed")
	f.StringSliceVar(&order.Roles, "role", nil, "only what actors in this `role` did")
	f.StringArrayVar(&order.Requirements, "requirement", nil, "only what is about the requirement with this `id`")
	f.StringArrayVar(&order.Allow, "allow-address", nil, "private `address` with its port that the host may have")
	f.StringVar(&order.Link, "link", "", "`URL` that links in messages begin with (default: the service's own)")
	f.StringVar(&order.SecretFile, "secret-file", "", "`file` with the secret, whsec_…, one or two a line")
	for _, flag := range []string{"name", "kind", "role", "requirement", "allow-address", "link", "secret-file"} {
		cli.TypedOnly(cmd, flag)
	}
	f.DurationVar(&wait, "timeout", 5*time.Second, "how long a running service may take to follow it; 0 does not wait")
	o.flags(cmd)
	o.storeFlags(cmd)
	return cli.WithEnv(cmd)
}

func writeAdded(out, notes io.Writer, a webhooks.Added, asJSON bool) error {
	if a.Plain {
		fmt.Fprintln(notes, "warning: without TLS whoever is on the way reads the messages: use https://")
	}
	if asJSON {
		return output.WriteJSON(out, a)
	}
	_, err := fmt.Fprintf(out, "webhook %s: %s is told; the secret is in %s\n", a.Name, output.Printable(a.Host),
		output.Printable(a.Secret))
	return err
}
