package main

import (
	"github.com/spf13/cobra"
)

func boundaryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "boundary",
		Short: "Keep the main session of an agent client from editing files itself: it delegates",
		Long: `The main session of an agent client reads, asks and starts agents; agents change files. A hook that the
client calls before every tool judges the call by .orchestrator/boundary/policy.json, and notes the decision in the
journal beside it.

There are three phases: off; validate, in which violations are recorded and said, and nothing is blocked; and enforce. A
project begins in validate. Readiness says by the figures when to enforce.`,
	}
	cmd.AddCommand(boundaryStatusCommand(), boundaryReportCommand(), boundaryDecisionsCommand(),
		boundaryLabelCommand(), boundaryReadinessCommand(), boundaryModeCommand(), boundaryRollbackCommand(),
		boundaryBypassCommand(), boundaryExplainCommand(), boundaryReplayCommand(), boundaryImportCommand(),
		boundaryExportCommand(),
		boundaryInstallCommand(), boundaryUninstallCommand(), boundaryDoctorCommand(), boundaryDrillCommand())
	return group(cmd)
}
