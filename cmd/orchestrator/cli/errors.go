package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/secret"
)

// PrintError writes what went wrong, each part of it on a line of its own, and what to do.
func PrintError(err error) {
	defer printAdvice(err)
	f := fault.As(err)
	if f == nil && errors.Is(err, context.Canceled) {
		f = fault.New(fault.Unavailable, "interrupted", "interrupted before the command had ended").
			WithFix("repeat it: it goes on, or begins anew")
	}
	if f == nil {
		fmt.Fprintln(os.Stderr, "orchestrator:", output.Printable(secret.Mask(err.Error())))
		return
	}
	f = secret.Masked(f) // where a service is started, this is part of its log
	fmt.Fprintln(os.Stderr, "orchestrator:", output.Printable(f.Detail))
	for _, field := range f.Fields {
		fmt.Fprintf(os.Stderr, "  %s %s\n", output.Printable(field.Pointer), output.Printable(field.Detail))
		if field.Fix != "" && field.Fix != f.Fix { // which stands below
			fmt.Fprintln(os.Stderr, "    fix:", output.Printable(advice.Typed(anID, field.Fix)))
		}
	}
	if cause := f.Cause(); cause != nil {
		fmt.Fprintln(os.Stderr, "  cause:", output.Printable(secret.Mask(cause.Error())))
	}
	if f.Fix != "" {
		fmt.Fprintln(os.Stderr, "  fix:", output.Printable(advice.Typed(anID, f.Fix)))
	}
}

// anID stands for an id in the commands that take the place of the service's requests.
const anID = "ID"

// Usage makes what keeps a command from doing its work exit code 2, so that 1 is left for what it found. A service
// that does not answer keeps its own code, 3.
func Usage(cmd *cobra.Command) *cobra.Command {
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		if err == nil || errors.As(err, new(ExitError)) {
			return err
		}
		return ExitError{err, ExitUsage}
	}
	return cmd
}

// printAdvice writes what can be typed next.
func printAdvice(err error) {
	var a advice.Error
	if errors.As(err, &a) {
		for _, line := range a.Lines {
			fmt.Fprintln(os.Stderr, "  "+output.Printable(line))
		}
	}
}
