package logcmd

import (
	"errors"
	"fmt"
	"io"
	"time"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/auditor"
	"orchestrator/internal/fault"
)

func (o verifyOptions) write(out io.Writer, r auditor.Report, err error) error {
	verdict := auditor.VerdictOf(err)
	if verdict.Found() {
		err = cli.Found(err)
	}
	if o.asJSON {
		return errors.Join(writeVerdict(out, verdict, r, err), err)
	}
	if err != nil {
		return err
	}
	key := "the key came with the log"
	if r.Trusted {
		key = "the key was given"
	}
	fmt.Fprintf(out, "in order: %d records, root %s, %d requirements, export %s (%s)\n", r.Records, r.Root,
		r.Requirements, r.State, time.Now().UTC().Format(time.RFC3339))
	fmt.Fprintf(out, "log %s, %s; held against %d kept checkpoints\n", r.Origin, key, len(r.Against))
	for _, h := range r.Against {
		if h.GivenUp() {
			fmt.Fprintf(out, "%s, of %d records, is of a moment that was given up\n", h.Name, h.Size)
		}
	}
	for _, said := range r.CannotShow {
		if _, err := fmt.Fprintln(out, "not shown:", said); err != nil {
			return err
		}
	}
	return nil
}

// writeVerdict writes the report with its verdict.
func writeVerdict(out io.Writer, verdict auditor.Verdict, r auditor.Report, err error) error {
	shown := struct {
		Verdict auditor.Verdict `json:"verdict"`
		auditor.Report
		Error  string  `json:"error,omitempty"`
		Fix    string  `json:"fix,omitempty"`
		Record *uint64 `json:"record,omitempty"` // the first bad one
	}{Verdict: verdict, Report: r}
	if bad, is := errors.AsType[*auditor.Bad](err); is {
		shown.Record = bad.Record
	}
	if f := fault.As(err); f != nil {
		shown.Error, shown.Fix = f.Detail, f.Fix
	} else if err != nil {
		shown.Error = err.Error()
	}
	return output.WriteJSON(out, shown)
}
