package main

import (
	"fmt"
	"io"

	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/database"

	"github.com/spf13/cobra"
)

// compactCommand makes the file smaller. It changes no state and decides nothing, so it writes no record.
func compactCommand() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Make the database file smaller, and keep every record and proof",
		Long: `Compact writes the database file anew without its free pages, and puts it in the place of the old one.
Nothing in it changes: the new file is taken only when its structure is sound, every table has the same entries, byte
for byte, and the log the same records and root. Every record, checkpoint and proof stays as it is, and nothing is
added to the log.

It needs the database for itself: stop the server first. Beside the database it needs as much free room as that
takes. It can be ended, and may crash, at any moment: the database is the old file or the new one, whole.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := database.Compact(cmd.Context(), datadir.Dir(data))
			if err != nil {
				return err
			}
			return writeCompacted(cmd.OutOrStdout(), datadir.Dir(data).Database(), done, asJSON)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return withEnv(cmd)
}

func writeCompacted(out io.Writer, path string, c database.Compacted, asJSON bool) error {
	if asJSON {
		return writeJSON(out, c)
	}
	if c.After == c.Before {
		_, err := fmt.Fprintf(out, "%s has %s, and would not get smaller: it was left as it is\n", path,
			sizeOf(c.Before))
		return err
	}
	_, err := fmt.Fprintf(out, "%s: %s before, %s after; all %d records, root %s, and every table are the same\n",
		path, sizeOf(c.Before), sizeOf(c.After), c.Records, c.Root)
	return err
}
