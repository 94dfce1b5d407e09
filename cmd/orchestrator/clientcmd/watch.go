package clientcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/events"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
)

// watching polls the log.
type watching struct {
	asking
	since    int64
	interval time.Duration
	once     bool
}

func watchCommand() *cobra.Command {
	var w watching
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print each event of the project as a line, until interrupted",
		Long: `Watch polls the log of the service, and prints each new record as a line. With --once it ends after
the first events. With --json each line is a record as the log has it.`,
		Example: `  orchestrator watch
  orchestrator watch --since 0 --once`,
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
	f.Int64Var(&w.since, "since", -1, "`number` of the record to begin with (default: the first to come)")
	f.Lookup("since").DefValue = "0" // the help has no number for it
	f.DurationVar(&w.interval, "interval", 2*time.Second, "how long to wait between two questions")
	f.BoolVar(&w.once, "once", false, "end after the first events")
	return w.command(cmd, false)
}

func (w *watching) run(cmd *cobra.Command) error {
	c, err := w.connect()
	if err != nil {
		return err
	}
	if w.since < 0 {
		var page events.Page
		if raw, err := get(cmd.Context(), c, "/audit?limit=1", &page); err != nil {
			return w.refusedAs(cmd, "", raw, err)
		}
		w.since = int64(page.Size)
	}
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
		if err := pause(cmd.Context(), max(w.interval, 100*time.Millisecond)); err != nil {
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
		Path: fmt.Sprintf("/audit?from=%d&limit=500", w.since)})
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
		line := output.Cut(e.Line(), 200)
		if w.asJSON {
			line = string(raw)
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), line); err != nil {
			return seen, tag, err
		}
		seen++
		w.since = int64(e.Seq) + 1
	}
	return seen, answer.ETag, nil
}
