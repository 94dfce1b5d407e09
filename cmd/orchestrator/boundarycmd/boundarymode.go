package boundarycmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/boundary/install"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// ModeCommand returns the command that switches the mode.
func ModeCommand() *cobra.Command {
	var o boundaryOptions
	var override string
	cmd := &cobra.Command{
		Use:   "mode off|validate|confirm|enforce",
		Short: "Switch the mode; the switch is recorded with who and why",
		Long: `Mode switches the mode of the boundary. Enforce requires every check of readiness to pass, or
--override with a reason, which is recorded too; confirm requires all but the days in validate. From enforce or confirm
back to validate or off is a rollback, as with orchestrator boundary rollback: readiness then asks for its cause. The
new mode applies to running sessions from their next call.`,
		Example: `  orchestrator boundary mode enforce --reason "two weeks without a false positive"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.switchMode(cmd, boundary.Mode(args[0]), override)
		},
	}
	o.rootFlag(cmd)
	o.reasonFlag(cmd)
	cmd.Flags().StringVar(&override, "override", "", "switch although the boundary is not ready, for this reason")
	cli.TypedOnly(cmd, "override")
	return person.Only(cli.WithEnv(cmd))
}

func (o *boundaryOptions) switchMode(cmd *cobra.Command, to boundary.Mode, override string) error {
	dir, err := o.dir()
	if err != nil {
		return err
	}
	done, err := control.Switch{
		To: to, Override: override, Change: o.change(), History: report.FromFiles(dir), NewID: hook.NewID,
		Version: func(client string) string { return install.ClientVersion(cmd.Context(), client) },
	}.Make(dir)
	if done.Mode != "" {
		was := "was " + string(done.From)
		if done.From == done.Mode {
			was = "unchanged"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s\n", output.Printable(dir.Root), output.Printable(string(to)),
			output.Printable(was))
	}
	writeFollowing(cmd, done)
	return err
}

// writeFollowing says what follows the mode, and what could not, beside the answer.
func writeFollowing(cmd *cobra.Command, done control.ModeSwitched) {
	for _, a := range done.Clients {
		writeAligned(cmd, a)
	}
	for _, name := range done.Notified {
		fmt.Fprintf(cmd.OutOrStdout(), "  %s: the section on the boundary is updated\n", output.Printable(name))
	}
	for _, s := range done.Said {
		cmd.PrintErrf("  %s\n", output.Printable(s))
	}
}

// writeAligned says what became of a client's settings, beside the answer, which is the mode.
func writeAligned(cmd *cobra.Command, a control.Aligned) {
	if why, failed := a.Failure(); failed {
		cmd.PrintErrf("%s: settings not changed: %s\n", a.Client, output.Printable(why))
		cmd.PrintErrf("  when that is corrected: orchestrator boundary install %s\n", a.Client)
		return
	}
	cmd.PrintErrf("%s: %s %s\n", output.Printable(a.File), a.Client, a.Says())
}
