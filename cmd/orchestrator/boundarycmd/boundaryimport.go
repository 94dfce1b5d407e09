package boundarycmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
)

func boundaryImportCommand() *cobra.Command {
	var o boundaryOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read an older journal, delegation_audit.jsonl, report on it and keep its calls",
		Long: `Import reads lines with timestamp, file, tool and source (main or agent), reports the violations in
them, and adds the calls to the journal of the project once. They are shown separately, since readiness measures only
what this hook decided. Lines that cannot be read are counted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := o.dir()
			if err != nil {
				return err
			}
			f, err := durable.OpenRegular(args[0])
			if err != nil {
				return fault.New(fault.NotFound, "journal_missing", "the journal %s cannot be read", args[0]).
					WithFix("name a file with one JSON object a line").Because(err)
			}
			defer f.Close()
			lines, malformed, err := report.ReadOlder(f)
			if err != nil {
				return err
			}
			added, err := report.ImportOlder(dir, lines)
			if err != nil {
				return err
			}
			if err := report.WriteOlderReport(cmd.OutOrStdout(), lines); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d calls read, %d of them new; unreadable lines: %d\n", len(lines),
				added, malformed)
			return nil
		},
	}
	o.rootFlag(cmd)
	return person.Only(cli.WithEnv(cmd))
}
