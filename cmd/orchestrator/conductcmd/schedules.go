package conductcmd

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/conductor/schedule"
	"orchestrator/internal/conductor/state"
)

func SchedulesCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "schedules", Short: "List and end what the conductor is to do later"}
	cmd.AddCommand(schedulesListCommand(), schedulesEndCommand())
	return cli.Group(cmd)
}

func schedulesListCommand() *cobra.Command {
	var o cli.Service
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List schedules: first what is due next",
		Long: `List shows your schedules, and to a pm those of everybody: when each is due next, what it does, and what
became of its last time. With --all it shows those that have ended as well, and why.

A SCHEDULE in a file for orchestrator conduct makes one; docs/schedules.md shows how.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := schedulesOf(cmd.Context(), o, all)
			if err != nil {
				return err
			}
			if asJSON {
				return output.WriteJSON(cmd.OutOrStdout(), map[string]any{"schedules": list})
			}
			if len(list) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), none(all))
			}
			showSchedules(cmd.OutOrStdout(), list)
			return nil
		},
	}
	cli.ServiceFlags(cmd, &o)
	cmd.Flags().BoolVar(&all, "all", false, "show those that have ended as well")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what the service answers, as JSON")
	cli.WithEnv(cmd)
	return cmd
}

// none says that there is nothing to list, whether those were looked for that have ended or not.
func none(all bool) string {
	if all {
		return "there is no schedule of yours"
	}
	return "no schedule of yours goes on; --all lists those that have ended"
}

func schedulesEndCommand() *cobra.Command {
	var o cli.Service
	cmd := &cobra.Command{
		Use:     "end ID",
		Short:   "End a schedule; a run that is under way goes on",
		Example: "  orchestrator schedules end 5d41402abc4b2a76-o1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := o.Connect()
			if err != nil {
				return err
			}
			end := apiclient.Request{Method: "DELETE", Path: "/schedules/" + url.PathEscape(args[0])}
			if _, err := c.Send(cmd.Context(), end); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s has ended.\n", output.Printable(args[0]))
			return nil
		},
	}
	cli.ServiceFlags(cmd, &o)
	cli.WithEnv(cmd)
	return cmd
}

// schedulesOf reads all pages, and puts first what is due next.
func schedulesOf(ctx context.Context, o cli.Service, ended bool) ([]state.Schedule, error) {
	c, err := o.Connect()
	if err != nil {
		return nil, err
	}
	path := "/schedules"
	if !ended {
		path += "?active=true"
	}
	list, err := apiclient.All[state.Schedule](ctx, c, path, "schedules")
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b state.Schedule) int { return a.Next.Compare(b.Next) })
	return list, nil
}

func showSchedules(out io.Writer, list []state.Schedule) {
	for _, s := range list {
		var does []string
		for _, o := range s.Obligations {
			does = append(does, o.String())
		}
		when := "next at " + s.Next.UTC().Format(time.RFC3339)
		switch {
		case s.Ended != nil:
			when = "ended on " + s.Ended.At.UTC().Format(time.RFC3339) + ": " + s.Ended.Why
		case s.Next.IsZero():
			when = "its last run is under way"
		}
		if s.EveryMS > 0 && s.Ended == nil {
			when += ", every " + schedule.Words(time.Duration(s.EveryMS)*time.Millisecond)
		}
		fmt.Fprintf(out, "%s  %s (%s)  %s\n", output.Printable(s.ID), output.Printable(s.By.Name), s.By.Role,
			output.Printable(when))
		fmt.Fprintf(out, "  %s\n", output.Printable(strings.Join(does, ", ")))
		showLastTime(out, s)
	}
}

// showLastTime shows what became of the last time of a schedule, and how many passed without a run.
func showLastTime(out io.Writer, s state.Schedule) {
	if last := s.Last; last != nil {
		became := fmt.Sprintf("%s, run %s", last.Status, last.Run)
		if last.Error != "" {
			became = "not run: " + last.Error
		}
		fmt.Fprintf(out, "  last at %s: %s\n", last.At.UTC().Format(time.RFC3339), output.Printable(became))
	}
	if s.Missed+s.Skipped > 0 {
		fmt.Fprintf(out, "  missed: %d, skipped: %d\n", s.Missed, s.Skipped)
	}
}
