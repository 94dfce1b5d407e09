// Command orchestrator serves the state of a project's requirements and decides which changes to it are
// allowed. This package is the wiring: flags, environment, logging, signals; it decides nothing.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:])) }

// run does all that main does but exit, so that tests can be the program.
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

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "orchestrator",
		Short: "Agents propose changes to requirements; the orchestrator decides what is allowed",
		Long: `orchestrator keeps the status of every requirement in REQUIREMENTS.md. Each role changes only its own
fields, a status moves only along the lifecycle, every change of status cites evidence, and every decision is recorded
in a log that an outsider can verify.

Start it in the folder of your REQUIREMENTS.md:  orchestrator serve`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(serveCommand(), importCommand(), reviewCommand(), gateCommand(), traceCommand(), tokenCommand(),
		verifyCommand(), healthCommand(),
		auditCommand(), backupCommand(), restoreCommand(), upgradeCommand(), compactCommand(), boundaryCommand(),
		hookCommand(),
		askCommand(), conductCommand(), driveCommand(), toolsCommand(), promptsCommand())
	return group(root)
}
