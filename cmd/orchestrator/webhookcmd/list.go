package webhookcmd

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/webhooks"
)

func listCommand() *cobra.Command {
	var o common
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the webhooks, and how far each has come",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := o.place(cmd)
			if err != nil {
				return err
			}
			all, err := webhooks.List(cmd.Context(), in)
			if err != nil {
				return err
			}
			return writeList(cmd.OutOrStdout(), all, o.json)
		},
	}
	o.flags(cmd)
	o.storeFlags(cmd)
	return cli.WithEnv(cmd)
}

func writeList(out io.Writer, all []webhooks.Listed, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(out, all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, "there is no webhook: orchestrator webhook add URL makes one")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tHOST\tSENT\tNEXT RECORD\tDEAD\tSTATE")
	for _, one := range all {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\n", one.Name, output.Printable(one.Host), one.Sent, one.Next,
			one.Letters, output.Printable(state(one)))
	}
	return w.Flush()
}

func state(one webhooks.Listed) string {
	switch {
	case one.Unusable != "":
		return one.Unusable
	case !one.Begun:
		return "begins when the service runs"
	case one.Failing != nil:
		return fmt.Sprintf("failing since %s (tries: %d): %s", one.Failing.Since.Format(time.RFC3339), one.Failing.Tries,
			one.Failing.Why)
	case one.Again > 0:
		return fmt.Sprintf("%d records are sent again", one.Again)
	}
	return "ok"
}
