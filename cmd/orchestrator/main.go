// Command orchestrator serves the state of a project's requirements and decides which changes to it are
// allowed. This package is the wiring: flags, environment, logging, signals; it decides nothing.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/adoptcmd"
	"orchestrator/cmd/orchestrator/boundarycmd"
	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/clientcmd"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/cmd/orchestrator/conductcmd"
	"orchestrator/cmd/orchestrator/gitcmd"
	"orchestrator/cmd/orchestrator/logcmd"
	"orchestrator/cmd/orchestrator/mcpcmd"
	"orchestrator/cmd/orchestrator/projectcmd"
	"orchestrator/cmd/orchestrator/webhookcmd"
)

func main() { os.Exit(run(os.Args[1:])) }

// run does all that main does but exit, so that tests can be the program.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)       // a second signal ends the process at once
	cobra.EnableCommandSorting = false // they have an order
	root := rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		cli.PrintError(err)
	}
	return cli.ExitCode(err)
}

const rootLong = `orchestrator keeps the status of every requirement in REQUIREMENTS.md. Each role changes only its own
fields, a status moves only along the lifecycle, every change of status cites evidence, and every decision is recorded
in a log that an outsider can verify.

Begin in the folder of your project:  orchestrator init

Commands find the project from any folder in it, and take what no flag says from the environment and from the settings
(orchestrator config). Exit codes: 0 done; 1 refused or failed; 2 wrong command line, environment or settings;
3 no service answers.`

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "orchestrator",
		Short:         "Agents propose changes to requirements; the orchestrator decides what is allowed",
		Long:          rootLong,
		Version:       cli.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,

		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(serveCommand(), importCommand(), reviewCommand(), gateCommand(), traceCommand(), tokenCommand(),
		configCommand(), healthCommand(), versionCommand(), projectcmd.InitCommand(), completion.Command())
	root.AddCommand(projectcmd.UpCommand(), projectcmd.DownCommand(), projectcmd.OpenCommand(),
		projectcmd.DoctorCommand())
	root.AddCommand(clientcmd.Commands()...)
	root.AddCommand(adoptcmd.AdoptCommand(), adoptcmd.ApplyCommand())
	root.AddCommand(logcmd.VerifyCommand(), logcmd.AuditCommand(), logcmd.BackupCommand(), logcmd.RestoreCommand(),
		logcmd.UpgradeCommand(), logcmd.CompactCommand(), logcmd.MigrateCommand())
	root.AddCommand(boundarycmd.Command(), boundarycmd.HookCommand(), mcpcmd.Command(), webhookcmd.Command(),
		gitcmd.MergeStatusCommand())
	root.AddCommand(conductcmd.AskCommand(), conductcmd.AnswerCommand(), conductcmd.ConductCommand(),
		conductcmd.DriveCommand(), conductcmd.SchedulesCommand(), conductcmd.UsageCommand(), conductcmd.ToolsCommand(),
		conductcmd.PromptsCommand())
	return cli.Finish(cli.Group(root))
}
