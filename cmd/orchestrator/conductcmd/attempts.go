package conductcmd

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/conductor"
)

// attempts shows the trace of a run: what was tried for each obligation, and what became of it.
func (o conductOptions) attempts(ctx context.Context, run string, out io.Writer) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	var trace conductor.Trace
	raw, err := c.GetJSON(ctx, "/traces/"+url.PathEscape(run), &trace)
	if err != nil {
		return err
	}
	if o.asJSON {
		return output.Indented(out, raw)
	}
	fmt.Fprintf(out, "the run %s of %s ended as %s\n", trace.ID, output.Printable(trace.Caller.Name), trace.Status)
	for t := range trace.Each() {
		showAttempts(out, t)
	}
	return nil
}

func showAttempts(out io.Writer, t *conductor.ObligationTrace) {
	fmt.Fprintf(out, "%s %s: %s\n", t.ID, output.Printable(t.Obligation.String()), t.Status)
	for _, c := range t.Candidates {
		fmt.Fprintf(out, "  %s: %s\n", output.Printable(c.Tool), output.Printable(c.Reason))
	}
	for _, run := range t.Runs {
		fmt.Fprintf(out, "  run %s of %s: %s\n", run.ID, output.Printable(run.Tool), run.Status)
		if run.Error != nil {
			fmt.Fprintf(out, "    %s\n", output.Printable(run.Error.Detail))
		}
		for _, v := range run.Postconditions {
			if !v.Holds {
				fmt.Fprintf(out, "    %s does not hold: %s\n", output.Printable(v.Condition), output.Printable(v.Why))
			}
		}
	}
	if v := t.Verified; v != nil && !v.Verified && v.Why != "" {
		fmt.Fprintf(out, "  not verified: %s\n", output.Printable(v.Why))
	}
	if remedy := t.Remedy(); remedy != "" {
		fmt.Fprintf(out, "  fix: %s\n", output.Printable(remedy))
	}
}
