// Command orchestrator serves the state of a project's requirements and decides which changes to it are
// allowed. This package is the wiring: flags, environment, logging, signals; it decides nothing.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/secret"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main without the exit, so that tests can be the program.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := rootCommand()
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		printError(err)
		if code := (exitError{}); errors.As(err, &code) {
			return code.code
		}
		return 1
	}
	return 0
}

// exitError is an error with an exit code of its own.
type exitError struct {
	error
	code int
}

func (e exitError) Unwrap() error { return e.error }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "orchestrator",
		Short: "Agents propose changes to requirements; the orchestrator decides what is allowed",
		Long: `orchestrator holds the canonical state of every requirement in REQUIREMENTS.md, lets each role change only
what is its own, enforces the lifecycle, wants evidence for every status change, and keeps a log of every
decision that an outsider can verify.

Start it in the folder of your REQUIREMENTS.md:  orchestrator serve`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(serveCommand(), importCommand(), reviewCommand(), gateCommand(), traceCommand(), tokenCommand(),
		verifyCommand(),
		auditCommand(), backupCommand(), restoreCommand(), compactCommand(), boundaryCommand(), hookCommand(),
		askCommand(), conductCommand(), driveCommand(), toolsCommand(), promptsCommand())
	return group(root)
}

func flagError(cmd *cobra.Command, err error) error {
	return fault.New(fault.Invalid, "usage", "%v", err).WithFix("%s --help lists the flags", cmd.CommandPath())
}

// group makes a command that only holds others refuse a name it does not know; cobra would print help and succeed.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		refusal := fault.New(fault.Invalid, "usage", "there is no command %q", cmd.CommandPath()+" "+args[0])
		if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
			return refusal.WithFix("did you mean %s?", strings.Join(similar, " or "))
		}
		return refusal.WithFix("%s --help lists the commands", cmd.CommandPath())
	}
	return cmd
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

// buildVersion is set by the Makefile.
var buildVersion = "development"

func version() string { return buildVersion + " " + commit() + " " + runtime.Version() }

// commit is the revision that the program was built from, as far as the build recorded it.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}
