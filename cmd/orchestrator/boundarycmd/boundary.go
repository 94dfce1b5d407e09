package boundarycmd

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
)

// Command returns the command boundary, with all of its own.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "boundary",
		Short: "Make the main session of an agent client delegate instead of editing files",
		Long: `The boundary makes the main session of an agent client read, ask and delegate, and lets agents change
files. The client runs a hook before every tool. The hook judges the call by .orchestrator/boundary/policy.json, and
writes the decision to the journal beside it.

There are four modes: off; validate, in which violations are recorded and the session is warned, but nothing is
blocked; confirm, in which the person at the client decides on violations; and enforce, in which they are blocked.
A project begins in validate.
Readiness measures when to enforce.`,
	}
	cmd.AddCommand(
		boundaryStatusCommand(), boundaryReportCommand(), boundaryDecisionsCommand(), boundaryToolsCommand(),
		boundaryLogCommand(), boundaryLabelCommand(), boundaryReadinessCommand(),
		ModeCommand(), boundaryRollbackCommand(), boundaryBypassCommand(),
		boundaryExplainCommand(), boundaryReplayCommand(), boundaryImportCommand(), boundaryExportCommand(),
		boundaryInstallCommand(), boundaryUninstallCommand(), boundaryDoctorCommand(), boundaryDrillCommand(),
		boundaryAttestCommand(), boundaryRecoveryCommand(), boundaryReviewedCommand(),
	)
	return cli.Group(cmd)
}
