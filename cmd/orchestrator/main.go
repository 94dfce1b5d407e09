// Command orchestrator serves the state of a project's requirements and decides which changes to it are
// allowed. This package is the wiring: flags, environment, logging, signals; it decides nothing.
package main

import (
	"context"
	"errors"
	"orchestrator/cmd/orchestrator/boundarycmd"
	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/conductcmd"
	"orchestrator/cmd/orchestrator/gitcmd"
	"orchestrator/cmd/orchestrator/logcmd"
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
		cli.PrintError(err)
		if code := (cli.ExitError{}); errors.As(err, &code) {
			return code.Code
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
		Version:       cli.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(cli.FlagError)
	root.AddCommand(serveCommand(), importCommand(), reviewCommand(), gateCommand(), traceCommand(), tokenCommand(),
		logcmd.VerifyCommand(), healthCommand(),
		logcmd.AuditCommand(), logcmd.BackupCommand(), logcmd.RestoreCommand(), logcmd.UpgradeCommand(),
		logcmd.CompactCommand(),
		boundarycmd.Command(), boundarycmd.HookCommand(),
		gitcmd.MergeStatusCommand(),
		conductcmd.AskCommand(), conductcmd.ConductCommand(), conductcmd.DriveCommand(), conductcmd.ToolsCommand(), conductcmd.PromptsCommand())
	return cli.Group(root)
}
