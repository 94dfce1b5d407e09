package clientcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/events"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
)

// watching follows the log.
type watching struct {
	asking
	events.Following
	once bool
}

func watchCommand() *cobra.Command {
	var w watching
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print each event of the project as a line, until interrupted",
		Long: `Watch follows the log of the service, and prints each new record as a line, as soon as it is durable. Where
the connection is lost, it connects again, and goes on behind the last record that it printed. With --once it
ends after the first events. With --json each line is a record as the log has it.`,
		Example: `  orchestrator watch
  orchestrator watch --since 0 --once
  orchestrator watch --requirement REQ-001 --kind requirement.refused`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := w.run(cmd)
			if errors.Is(cmd.Context().Err(), context.Canceled) {
				err = nil // it was interrupted, as it is meant to end
			}
			return err
		},
	}
	f := cmd.Flags()
	f.Int64Var(&w.Since, "since", -1, "`number` of the record to begin with (default: the first to come)")
	f.Lookup("since").DefValue = "0" // the help has no number for it
	f.DurationVar(&w.Wait, "interval", 2*time.Second, "how long to wait before connecting again, and between two "+
		"questions to a service that has no stream of events, or with --once")
	f.StringArrayVar(&w.Requirements, "requirement", nil, "only what is about the requirement with this `id`")
	f.StringSliceVar(&w.Roles, "role", nil, "only what actors in this `role` did")
	f.StringSliceVar(&w.Kinds, "kind", nil, "only records of this `kind`, such as requirement.changed")
	f.BoolVar(&w.once, "once", false, "end after the first events")
	return w.command(cmd, false)
}

func (w *watching) run(cmd *cobra.Command) error {
	c, err := w.connect()
	if err != nil {
		return err
	}
	w.Connect, w.Print = w.connect, w.printer(cmd.OutOrStdout())
	if w.Since < 0 {
		var page events.Page
		if raw, err := get(cmd.Context(), c, "/audit?limit=1", &page); err != nil {
			return w.refusedAs(cmd, "", raw, err)
		}
		w.Since = int64(page.Size)
	}
	if !w.once {
		if err := w.Follow(cmd.Context()); !fault.Is(err, events.CodeNoStream) {
			return err
		}
	}
	return w.pollAll(cmd, c)
}

// pollAll asks again and again, with --once until there was something.
func (w *watching) pollAll(cmd *cobra.Command, c *apiclient.Client) error {
	tag := ""
	for {
		seen, etag, err := w.poll(cmd, c, tag)
		if err != nil || seen > 0 && w.once {
			return err
		}
		if tag = etag; seen > 0 {
			tag = ""
			continue
		}
		if err := pause(cmd.Context(), max(w.Wait, 100*time.Millisecond)); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// poll asks for the records from since on, prints them, and goes on behind them.
func (w *watching) poll(cmd *cobra.Command, c *apiclient.Client, tag string) (seen int, etag string, err error) {
	answer, err := c.Send(cmd.Context(), apiclient.Request{Method: "GET", IfNoneMatch: tag,
		Path: fmt.Sprintf("/audit?from=%d&limit=500", w.Since)})
	if err != nil || len(answer.Body) == 0 {
		return 0, tag, err
	}
	var page struct {
		Records []jsontext.Value `json:"records"`
	}
	if err := jsonv2.Unmarshal(answer.Body, &page); err != nil {
		return 0, tag, c.Stranger("JSON of another shape").Because(err)
	}
	for _, raw := range page.Records {
		var e events.Event
		if err := jsonv2.Unmarshal(raw, &e); err != nil {
			return seen, tag, c.Stranger("JSON of another shape").Because(err)
		}
		w.Since = int64(e.Seq) + 1
		if !w.Wants(e) {
			continue
		}
		if err := w.Print(e, raw); err != nil {
			return seen, tag, err
		}
		seen++
	}
	return seen, answer.ETag, nil
}

func (w *watching) printer(to io.Writer) func(events.Event, []byte) error {
	return func(e events.Event, raw []byte) error {
		line := output.Cut(e.Line(), 200)
		if w.asJSON {
			line = string(raw)
		}
		_, err := fmt.Fprintln(to, line)
		return err
	}
}
