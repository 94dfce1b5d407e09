package logcmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
)

// CompactCommand makes the file smaller. It changes no state and decides nothing, so it writes no record.
func CompactCommand() *cobra.Command {
	var data string
	var given storage.Given
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Make the database file smaller, and keep every record and proof",
		Long: `Compact rewrites the database file without free pages, and replaces the old file. The content does not
change: the new file is used only if its structure is sound, every table has the same entries, byte for byte, and the
log has the same records and root. Nothing is added to the log.

Stop the service first. Beside the database there must be as much free space as it takes. Compact may be killed or
crash at any moment: the database is then either the old file or the new one, complete.

A log in PostgreSQL is refused: that server uses free space again by itself.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := storeflag.Place(cmd, data, given)
			if err != nil {
				return err
			}
			done, err := database.Compact(cmd.Context(), place)
			if err != nil {
				return err
			}
			return writeCompacted(cmd.OutOrStdout(), place.String(), done, asJSON)
		},
	}
	cli.DataFlag(cmd, &data)
	storeflag.Add(cmd, &given)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cli.WithEnv(cmd)
}

func writeCompacted(out io.Writer, path string, c database.Compacted, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(out, c)
	}
	if c.After == c.Before {
		_, err := fmt.Fprintf(out, "%s has %s, and would not get smaller: it was left as it is\n", path,
			output.Size(c.Before))
		return err
	}
	_, err := fmt.Fprintf(out, "%s: %s before, %s after; all %d records, root %s, and every table are the same\n",
		path, output.Size(c.Before), output.Size(c.After), c.Records, c.Root)
	return err
}
