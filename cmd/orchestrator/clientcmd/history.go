package clientcmd

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/events"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
)

func historyCommand() *cobra.Command {
	var a asking
	var limit int
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "List the records of a requirement, the newest first",
		Long: `History lists what the log has about a requirement: changes, refusals, claims, each with who did it.
With --json the answers of the service are one: the first page, with the records of all pages in it.`,
		Example: "  orchestrator history REQ-001\n  orchestrator history REQ-001 --limit 10",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.history(cmd, args[0], limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "list at most so `many` records (default all)")
	return a.command(cmd, true)
}

func (a *asking) history(cmd *cobra.Command, name string, limit int) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	var id string
	raw, err := a.pages(cmd, c, name, "records", limit, func(found string) string {
		id = found
		return path(found, "/history")
	})
	if err != nil {
		return a.refusedAs(cmd, name, raw, err)
	}
	if a.asJSON {
		return passOn(cmd.OutOrStdout(), raw)
	}
	var found events.Page
	if err := jsonv2.Unmarshal(raw, &found); err != nil {
		return err
	}
	renamings, err := renamingsOf(cmd.Context(), c, id)
	if err != nil {
		return err
	}
	found.Add(renamings)
	return events.Write(cmd.OutOrStdout(), found, id)
}

// pages asks for a list, of a requirement if there is an id; 0 is no limit.
func (a *asking) pages(cmd *cobra.Command, c *apiclient.Client, id, member string, limit int,
	path func(id string) string) ([]byte, error) {
	if limit < 0 {
		return nil, cliMisuse("%d is no number of lines to list", limit).
			WithFix("give --limit a number from 1 on, or leave it out")
	}
	return apiclient.Reading(id, output.Renamed(cmd.ErrOrStderr()), func(id string) ([]byte, error) {
		return c.List(cmd.Context(), path(id), member, limit)
	})
}
