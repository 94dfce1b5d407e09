package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/secret"
)

// ExitError is an error with an exit code of its own.
type ExitError struct {
	error
	Code int
}

func (e ExitError) Unwrap() error { return e.error }

// Found makes an error what a command found: exit code 1.
func Found(err error) error {
	if err == nil {
		return nil
	}
	return ExitError{err, 1}
}

// PrintError writes what went wrong, each part of it on a line of its own, and what to do.
func PrintError(err error) {
	f := fault.As(err)
	if f == nil {
		fmt.Fprintln(os.Stderr, "orchestrator:", output.Printable(secret.Mask(err.Error())))
		return
	}
	f = secret.Masked(f) // where a service is started, this is part of its log
	fmt.Fprintln(os.Stderr, "orchestrator:", output.Printable(f.Detail))
	for _, field := range f.Fields {
		fmt.Fprintf(os.Stderr, "  %s %s\n", output.Printable(field.Pointer), output.Printable(field.Detail))
		if field.Fix != "" {
			fmt.Fprintln(os.Stderr, "    fix:", output.Printable(field.Fix))
		}
	}
	if cause := f.Cause(); cause != nil {
		fmt.Fprintln(os.Stderr, "  cause:", output.Printable(secret.Mask(cause.Error())))
	}
	if f.Fix != "" {
		fmt.Fprintln(os.Stderr, "  fix:", output.Printable(f.Fix))
	}
}

// Usage makes what keeps a command from doing its work exit code 2, so that 1 is left for what it found.
func Usage(cmd *cobra.Command) *cobra.Command {
	prepare, work := cmd.PreRunE, cmd.RunE
	two := func(err error) error {
		if err == nil || errors.As(err, new(ExitError)) {
			return err
		}
		return ExitError{err, 2}
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return two(check(cmd, args)) }
	}
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error { return two(prepare(cmd, args)) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return two(work(cmd, args)) }
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return two(FlagError(cmd, err)) })
	return cmd
}
