package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/secret"
)

// exitError is an error with an exit code of its own.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }

// exitOne makes an error what a command found: exit code 1.
func exitOne(err error) error {
	if err == nil {
		return nil
	}
	return exitError{err, 1}
}

// printError writes what went wrong, each part of it on a line of its own, and what to do.
func printError(err error) {
	f := fault.As(err)
	if f == nil {
		fmt.Fprintln(os.Stderr, "orchestrator:", printable(secret.Mask(err.Error())))
		return
	}
	f = secret.Masked(f) // where a service is started, this is part of its log
	fmt.Fprintln(os.Stderr, "orchestrator:", printable(f.Detail))
	for _, field := range f.Fields {
		fmt.Fprintf(os.Stderr, "  %s %s\n", printable(field.Pointer), printable(field.Detail))
		if field.Fix != "" {
			fmt.Fprintln(os.Stderr, "    fix:", printable(field.Fix))
		}
	}
	if cause := f.Cause(); cause != nil {
		fmt.Fprintln(os.Stderr, "  cause:", printable(secret.Mask(cause.Error())))
	}
	if f.Fix != "" {
		fmt.Fprintln(os.Stderr, "  fix:", printable(f.Fix))
	}
}

// exitTwo makes what keeps a command from doing its work exit code 2, so that 1 is left for what it found.
func exitTwo(cmd *cobra.Command) *cobra.Command {
	prepare, work := cmd.PreRunE, cmd.RunE
	two := func(err error) error {
		if err == nil || errors.As(err, new(exitError)) {
			return err
		}
		return exitError{err, 2}
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return two(check(cmd, args)) }
	}
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error { return two(prepare(cmd, args)) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return two(work(cmd, args)) }
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return two(flagError(cmd, err)) })
	return cmd
}
