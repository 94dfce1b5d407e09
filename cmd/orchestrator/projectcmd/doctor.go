package projectcmd

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/doctor"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/rules/lifecycle"
)

const doctorLong = `Doctor looks at the program, the settings, the data folder and whom it belongs to, the service and
the one that the settings name, the tokens, the modes of the secrets, the database and its server, the repository and
its branch, the documents, the export, its checkpoint and the key, the boundary and its clients, the MCP server that
clients start, the clock, the disk, and what a failed start left behind. It says of each what mends it: as a command to
copy, or in words where there is something to choose.

It only reads, and works with a service and without one, and on a damaged folder. A service is given three seconds for
an answer, an MCP server five. Of what the repository brings, it starts nothing: a registered hook is tried only where
its line is the hook of this program and nothing else, a registered MCP server only where it is this program for the
service of this project.

A warning is something that works, but not as it could; a problem does not work, or is not safe.

Exit codes: 0 no problem; 1 problems. The JSON has the shape of schemas/doctor.schema.json.`

// DoctorCommand returns the command that looks for what is wrong with a project on a machine.
func DoctorCommand() *cobra.Command {
	var o doctor.Options
	var data string
	var given storage.Given
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with this project, and say what mends it",
		Long:  doctorLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Data, o.User, o.Now, o.Boundary = datadir.Dir(data), os.Geteuid(), time.Now(), examineBoundary
			o.Servers = examineServers(o.Data)
			place, err := storeflag.Place(cmd, data, given)
			if err != nil && o.Settings == nil {
				o.Settings = err
			}
			o.Store = place
			o.Program = doctor.Program{Version: cli.BuildVersion, Commit: cli.Commit(),
				Rules:  int(lifecycle.LatestRules),
				System: runtime.GOOS, Agent: cli.UserAgent()}
			report := doctor.Examine(cmd.Context(), o)
			if err := printReport(cmd.OutOrStdout(), report, asJSON); err != nil {
				return err
			}
			return cli.Found(report.Unhealthy())
		},
	}
	cli.DataFlag(cmd, &data)
	storeflag.Add(cmd, &given)
	cli.ReadingFlags(cmd, &o.Reading)
	cli.TLSCAFlag(cmd, &o.TLSCA)
	exportflag.Add(cmd.Flags(), &o.Export, "export to look at")
	cmd.Flags().StringSliceVar(&o.Documents, "requirements", []string{"REQUIREMENTS.md"},
		"requirement document, or a quoted pattern such as 'docs/*.md'; may be given more than once")
	cmd.Flags().StringVar(&o.Branch, "branch", "", "branch whose tip decides what counts as evidence (default HEAD)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	setting.Declare(cmd, "requirements", "export", "branch", "family", "qualify")
	setting.WorkAtRoot(cmd, "data", "store-file", "export", "requirements", "tls-ca")
	return goOn(cli.WithEnv(cmd), &o.Settings)
}

// goOn lets a command run although the settings cannot be used, and say so itself.
func goOn(cmd *cobra.Command, wrong *error) *cobra.Command {
	prepare := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		err := prepare(cmd, args)
		if fault.Is(err, config.CodeSettings) {
			*wrong, err = err, nil
		}
		return err
	}
	return cmd
}

func printReport(out io.Writer, r doctor.Report, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(out, r)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(out, "%-8s %s: %s\n", f.Level, f.About, output.Printable(f.What))
		if f.Mend != "" {
			fmt.Fprintf(out, "         mend: %s\n", output.Printable(f.Mend))
		}
		if f.Advice != "" {
			fmt.Fprintf(out, "         what to do: %s\n", output.Printable(f.Advice))
		}
	}
	return nil
}
