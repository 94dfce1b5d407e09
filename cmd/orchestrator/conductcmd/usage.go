package conductcmd

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/conductor/account"
	"orchestrator/internal/fault"
)

func UsageCommand() *cobra.Command {
	var o cli.Service
	var asJSON bool
	asked := map[string]*string{"requirement": new(string), "actor": new(string), "since": new(string)}
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show the tokens and the money that agents reported, by requirement and agent",
		Long: `Usage sums what the clients of agents reported of their runs, by requirement, agent, the person in whose name they
ran, and client. What a client does not report is shown as - and is not counted; docs/drive.md says what each reports.`,
		Example: "  orchestrator usage --requirement REQ-001\n  orchestrator usage --actor agents.coder --since 2026-11-01",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			used, err := usageOf(cmd.Context(), o, asked)
			if err != nil {
				return err
			}
			if asJSON {
				return output.WriteJSON(cmd.OutOrStdout(), used)
			}
			showUsage(cmd.OutOrStdout(), used)
			return nil
		},
	}
	cli.ServiceFlags(cmd, &o)
	cmd.Flags().StringVar(asked["requirement"], "requirement", "", "count only the runs for this `ID`")
	cmd.Flags().StringVar(asked["actor"], "actor", "", "count only the runs of this agent, or that this person had run: its `NAME`")
	cmd.Flags().StringVar(asked["since"], "since", "", "count only the runs that ended at this `TIME` or later: 2026-11-01T09:00:00Z, or a day")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the sums as JSON")
	cli.WithEnv(cmd)
	return cmd
}

// usageOf reads all pages.
func usageOf(ctx context.Context, o cli.Service, asked map[string]*string) (all account.Page, err error) {
	c, err := o.Connect()
	if err != nil {
		return all, err
	}
	const largest = 1000
	query := url.Values{"limit": {strconv.Itoa(largest)}}
	for name, value := range asked {
		if *value != "" {
			query.Set(name, *value)
		}
	}
	path := "/usage?" + query.Encode()
	for next := &path; next != nil; {
		var page struct {
			account.Page
			Next *string `json:"next"`
		}
		if _, err := c.GetJSON(ctx, *next, &page); err != nil {
			return all, err
		}
		all, next = all.Join(page.Page), page.Next
	}
	return all, nil
}

func showUsage(out io.Writer, used account.Page) {
	if used.Total.Runs == 0 {
		fmt.Fprintln(out, "No run of an agent is on record.")
		return
	}
	var rows [][]string
	for _, e := range used.Entries {
		rows = append(rows, []string{or(e.Requirement), e.Actor, e.Caller, or(e.Client), strconv.Itoa(e.Runs),
			tokens(e.Input), tokens(e.Output), dollarsOf(e.Sum), lasted(e.DurationMS)})
	}
	p := output.NewPrinter(false)
	p.Table(output.Columns(out), []string{"REQUIREMENT", "AGENT", "FOR", "CLIENT", "RUNS", "IN", "OUT", "USD", "TIME"}, rows)
	fmt.Fprint(out, p)
	fmt.Fprintln(out, usageInWords(used.Total))
}

// usageInWords says a sum in one line.
func usageInWords(t account.Sum) string {
	text := fault.Count(t.Runs, "run") + " of agents"
	if t.Unreported == t.Runs {
		text += " reported nothing"
	} else {
		cost := "no cost reported"
		if t.CostUSD != nil {
			cost = dollars(t) + " US dollars"
		}
		if t.CostUSD != nil && t.Uncosted > 0 {
			cost += fmt.Sprintf(" (of %d that say their cost)", t.Runs-t.Uncosted)
		}
		text += fmt.Sprintf(": %s tokens in, %s out, %s", tokens(t.Input), tokens(t.Output), cost)
		if t.Unreported > 0 {
			text += fmt.Sprintf("; %d reported nothing", t.Unreported)
		}
	}
	if t.DurationMS != nil {
		text += "; " + lasted(t.DurationMS) + " in all"
	}
	return text
}

// or returns a text, or what stands for one that is not there.
func or(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func tokens(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

func dollars(s account.Sum) string {
	if s.CostUSD == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *s.CostUSD)
}

// dollarsOf returns what runs cost, and of how many that is where others do not say it.
func dollarsOf(s account.Sum) string {
	if s.CostUSD == nil || s.Uncosted == 0 {
		return dollars(s)
	}
	return fmt.Sprintf("%s (%d of %d)", dollars(s), s.Runs-s.Uncosted, s.Runs)
}

func lasted(ms *float64) string {
	if ms == nil {
		return "-"
	}
	d := time.Duration(*ms * float64(time.Millisecond))
	if d < time.Minute {
		return d.Round(time.Millisecond * 100).String()
	}
	return d.Round(time.Second).String()
}
