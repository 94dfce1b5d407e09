package clientcmd

import (
	"context"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/events"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

func historyCommand() *cobra.Command {
	var a asking
	var limit int
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "List the records of a requirement, the newest first",
		Long: `History lists what the log has about a requirement: changes, refusals and claims, each with who made
it. --json prints the records of all pages as one answer of the service.`,
		Example: "  orchestrator history REQ-001\n  orchestrator history REQ-001 --limit 10",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.history(cmd, args[0], limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "list at most this `number` of records (default all)")
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
		return nil, fault.Misuse("%d is no number of lines to list", limit).
			WithFix("give --limit a number from 1 on, or leave it out")
	}
	return apiclient.Reading(id, output.Renamed(cmd.ErrOrStderr()), func(id string) ([]byte, error) {
		return c.List(cmd.Context(), path(id), member, limit)
	})
}

// renamingsOf returns the records that gave a requirement another id, as events about the id that it lost. They are
// about several requirements, and so not among the records of each.
func renamingsOf(ctx context.Context, c *apiclient.Client, id string) (all []events.Event, err error) {
	var req lifecycle.Requirement
	if _, err := get(ctx, c, path(id, "?fields=former_ids"), &req); err != nil {
		return nil, err
	}
	for _, former := range req.FormerIDs {
		var page events.Page
		if _, err := get(ctx, c, fmt.Sprintf("/audit?from=%d&limit=1", former.Record), &page); err != nil {
			return nil, err
		}
		for _, e := range page.Records {
			e.Subject = former.ID
			all = append(all, e)
		}
	}
	return all, nil
}
