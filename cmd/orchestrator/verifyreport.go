package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"orchestrator/internal/auditor"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/database"
)

func (o verifyOptions) write(out io.Writer, r auditor.Report, err error) error {
	if errors.As(err, new(*auditor.Bad)) || errors.As(err, new(database.Finding)) {
		err = exitError{err, 1}
	}
	if o.asJSON {
		return errors.Join(writeVerdict(out, r, err), err)
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
		if h.Result != auditor.Consistent {
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

// writeVerdict writes the report with its verdict: in_order, bad or not_checked.
func writeVerdict(out io.Writer, r auditor.Report, err error) error {
	verdict := struct {
		Verdict string `json:"verdict"`
		auditor.Report
		Error  string  `json:"error,omitempty"`
		Fix    string  `json:"fix,omitempty"`
		Record *uint64 `json:"record,omitempty"` // the first bad one
	}{Verdict: "in_order", Report: r}
	var code exitError
	var bad *auditor.Bad
	switch {
	case errors.As(err, &code) && code.code == 1:
		verdict.Verdict = "bad"
	case err != nil:
		verdict.Verdict = "not_checked"
	}
	if errors.As(err, &bad) {
		verdict.Record = bad.Record
	}
	if f := fault.As(err); f != nil {
		verdict.Error, verdict.Fix = f.Detail, f.Fix
	} else if err != nil {
		verdict.Error = err.Error()
	}
	return writeJSON(out, verdict)
}
