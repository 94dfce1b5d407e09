package clientcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/guidance"
)

func nextCommand() *cobra.Command {
	a := asking{}
	a.Role = "pm"
	return a.command(&cobra.Command{
		Use:   "next [ID]",
		Short: "Say what to do next, with the command for it",
		Long: `Next says what the role of the token does first, over all requirements. With ID it lists what can
be done with that requirement now, and what each move still lacks.`,
		Example: `  orchestrator next
  orchestrator next --as coder
  orchestrator next REQ-001`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.nextOf(cmd, args[0])
			}
			var found agenda.Agenda
			raw, err := a.ask(cmd, "/next", &found)
			if err != nil {
				return a.refusedAs(cmd, "", raw, err)
			}
			if a.asJSON {
				return passOn(cmd.OutOrStdout(), raw)
			}
			return writeNext(cmd, found)
		},
	}, true)
}

func writeNext(cmd *cobra.Command, found agenda.Agenda) error {
	p, columns := sheet.Printer(cmd.OutOrStdout())
	writeFirst(p, columns, found)
	if found.First != nil {
		p.Line("  why: %s", output.Printable(found.First.Why))
	}
	if len(found.Mine) > 1 {
		var rows [][]string
		for _, m := range found.Mine {
			rows = append(rows, []string{m.ID, m.Do, m.Title})
		}
		p.Line("\n%d wait for the %s", found.Total, found.Actor.Role)
		p.Table(columns, []string{"ID", "DO", "TITLE"}, rows)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}

func (a *asking) nextOf(cmd *cobra.Command, id string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	var found guidance.View
	raw, err := apiclient.Reading(id, output.Renamed(cmd.ErrOrStderr()), func(id string) ([]byte, error) {
		return get(cmd.Context(), c, path(id, "/next"), &found)
	})
	if err != nil {
		return a.refusedAs(cmd, id, raw, err)
	}
	if a.asJSON {
		return passOn(cmd.OutOrStdout(), raw)
	}
	p, _ := sheet.Printer(cmd.OutOrStdout())
	p.Line("%s: %s, revision %d%s", output.Printable(found.ID), found.Status, found.Revision,
		finished.Beside(found.Complete))
	sheet.Sheet{View: found}.Moves(p)
	_, err = fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}
