package projectcmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	boundarydoctor "orchestrator/internal/boundary/doctor"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/install"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/doctor"
)

// DoctorCommand returns the command that looks for what is wrong with a project on a machine.
func DoctorCommand() *cobra.Command {
	var o doctor.Options
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with this project, and say what mends it",
		Long: `Doctor looks at the versions, the service, the tokens, the modes of the secrets, the repository and its
branch, the documents, the export and its checkpoint, the boundary, the clock and the disk. It says of each what mends
it. It only reads, and works with a service and without one.

A warning is something that works, but not as it could; a problem does not work, or is not safe.

Exit codes: 0 no problem; 1 problems.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Data, o.Version, o.Agent, o.Now = datadir.Dir(data), cli.BuildVersion, cli.UserAgent(), time.Now()
			o.Boundary = examineBoundary
			report := doctor.Examine(cmd.Context(), o)
			if asJSON {
				if err := output.WriteJSON(cmd.OutOrStdout(), report); err != nil {
					return err
				}
			} else {
				printFindings(cmd.OutOrStdout(), report)
			}
			return cli.Found(report.Unhealthy())
		},
	}
	cli.DataFlag(cmd, &data)
	cli.ReadingFlags(cmd, &o.Reading)
	exportflag.Add(cmd.Flags(), &o.Export, "export to look at")
	cmd.Flags().StringSliceVar(&o.Documents, "requirements", []string{"REQUIREMENTS.md"},
		"requirement document, or a quoted pattern such as 'docs/*.md'; may be given more than once")
	cmd.Flags().StringVar(&o.Branch, "branch", "", "branch whose tip decides what counts as evidence (default HEAD)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	setting.Declare(cmd, "requirements", "export", "branch", "family", "qualify")
	setting.WorkAtRoot(cmd, "data", "export", "requirements")
	return cli.WithEnv(cmd)
}

// printFindings prints one line for each finding, and what mends it below.
func printFindings(out io.Writer, r doctor.Report) {
	for _, f := range r.Findings {
		fmt.Fprintf(out, "%-8s %s: %s\n", f.Level, f.About, output.Printable(f.What))
		if f.Mend != "" {
			fmt.Fprintf(out, "         mend: %s\n", output.Printable(f.Mend))
		}
	}
}

// examineBoundary looks at the boundary of the project, where there is one.
func examineBoundary(ctx context.Context) (found []doctor.Finding, err error) {
	dir, is := folder.Find(folder.In(".").Root)
	if !is {
		return []doctor.Finding{{Level: doctor.Warning, What: "no client is guarded",
			Mend: "orchestrator boundary install CLIENT, in validate: nothing is blocked"}}, nil
	}
	home, _ := os.UserHomeDir()
	r, err := boundarydoctor.Examine(ctx, boundarydoctor.Options{Dir: dir, Home: home, Environ: os.Environ(),
		Version: install.ClientVersion, Path: os.Getenv("PATH")})
	levels := map[boundarydoctor.Level]doctor.Level{boundarydoctor.OK: doctor.OK, boundarydoctor.Note: doctor.Warning,
		boundarydoctor.Fault: doctor.Problem}
	for _, f := range r.Findings {
		what := f.What
		if f.Client != "" {
			what = f.Client + ": " + what
		}
		found = append(found, doctor.Finding{Level: levels[f.Level], What: what, Mend: f.Fix})
	}
	return found, err
}
