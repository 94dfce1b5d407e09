package boundarycmd

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/boundary/doctor"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/install"
)

func boundaryDoctorCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "doctor [CLIENT...]",
		Short: "Check that the hook is registered and blocks, by calls through its command line",
		Long: `Doctor checks the settings of every client that the hook is registered with, or of the given clients,
and pipes calls through the registered command line as the client would: by sh, and with a copy of the policy, so that
the journal does not change.

It starts what is registered, whatever that is. In a repository that others write, run orchestrator doctor first: it
starts no line but the hook of this program, and shows the others.

Exit codes: 0 everything is in order; 1 something is wrong, and each finding says what to do.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			home, _ := os.UserHomeDir()
			executable, err := os.Executable()
			if err != nil {
				return err
			}
			r, err := doctor.Examine(cmd.Context(),
				doctor.Options{Dir: dir, Home: home, Clients: args, Environ: os.Environ(),
					From: folder.In(o.root).Root, Program: executable,
					Version: install.ClientVersion, Path: os.Getenv("PATH"),
					Brisk: DoctorPatience, Patience: DoctorPatience})
			if err != nil {
				return err
			}
			err = o.show(cmd.OutOrStdout(), r, func(p *output.Printer) { writeExamined(p, r) })
			return cmp.Or(err, r.Unsound())
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	return cli.WithEnv(cmd)
}

func writeExamined(p *output.Printer, r doctor.Report) {
	marks := map[doctor.Level]string{doctor.OK: p.Paint(output.Green, "ok   "), doctor.Note: p.Paint(output.Yellow, "note "),
		doctor.Fault: p.Paint(output.Red, "FAULT")}
	for _, f := range r.Findings {
		name := ""
		if f.Client != "" {
			name = output.Printable(f.Client) + ": "
		}
		p.Line("%s  %s%s", marks[f.Level], name, output.Printable(f.What))
		if f.Fix != "" {
			p.Line("       %s", output.Printable(f.Fix))
		}
	}
}
