package boundarycmd

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/finish"
	"orchestrator/internal/boundary/hook"
)

// Limits that tests alone change: on a busy machine a process may wait longer than that for a processor.
var (
	HookDeadline   = hook.Deadline
	DoctorPatience time.Duration // 0 leaves it to the doctor
)

// HookCommand makes the hook a command of the whole program; orchestrator-hook is the same, and starts faster. Nothing
// is parsed by cobra: a failure to understand the command line must block, and cobra's exits with 1.
func HookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook CLIENT [--root DIR] [--answers json] [--finished]",
		Short: "Judge a call of an agent client's tool; the client runs this",
		Long: `Hook reads one call from standard input, judges it by the policy of the project, writes the decision to
the journal and answers in the client's format. It needs no service. Exit codes: 0 allowed, 2 blocked; never another.
With --answers json a block is a JSON answer with exit code 0, for clients that read every answer as JSON.

With --finished it reads the call by which the client reports that the session is done. If ` + finish.TokenVariable + `
names a token, and a requirement that this token has claimed is incomplete, the session is told so and goes on, once.

Clients: ` + strings.Join(agentclient.Names(), ", ") + `. orchestrator boundary install CLIENT registers it.`,
		Args:               cobra.ArbitraryArgs,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cmd.Help()
			}
			code := 0
			if slices.Contains(args, agentclient.FinishedFlag) {
				code = finished(cmd.Context(), args)
			} else {
				code = hook.Main(args, time.Now(), HookDeadline)
			}
			if code != 0 {
				os.Exit(code)
			}
			return nil
		},
	}
}
