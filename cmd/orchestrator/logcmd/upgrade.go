package logcmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
)

// UpgradeCommand rebuilds tables from the log. It changes no state and decides nothing, so it writes no record.
func UpgradeCommand() *cobra.Command {
	var data string
	var given storage.Given
	var dryRun, asJSON bool
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Rebuild a database of an older format from its log",
		Long: `Upgrade rebuilds a database that an older version wrote. It checks every hash of the log and decides
every record again, by the rules of its time, and computes the tables anew in a temporary file. When that was read back
completely, it is put in place in one step; if anything goes wrong before, even a kill, nothing has changed. The bytes
and the root of the log stay the same, and nothing is added to it. The old file is kept beside.

Stop the service first. Beside the database there must be as much free space as it takes. A database that is not in
order is refused; orchestrator verify checks one of an older format without changing it. --dry-run does all but put the
new database in place, and says what would change.

Of a log in PostgreSQL it brings the schema up to date, where a newer version of this program needs that.`,
		Example: `  orchestrator upgrade --dry-run
  orchestrator upgrade --data .orchestrator`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := storeflag.Place(cmd, data, given)
			if err != nil {
				return err
			}
			done, err := upgrade(cmd.Context(), place, dryRun, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return writeUpgraded(cmd.OutOrStdout(), done, asJSON)
		},
	}
	cli.DataFlag(cmd, &data)
	storeflag.Add(cmd, &given)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing, and say what would change")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cli.WithEnv(cmd)
}

func upgrade(ctx context.Context, place storage.Place, dryRun bool, notes io.Writer) (database.Upgraded, error) {
	show := output.NewProgress(notes, "records")
	defer show.Clear()
	return database.Upgrade(ctx, place, database.UpgradeOptions{DryRun: dryRun, Now: time.Now, Progress: show.Update()})
}

func writeUpgraded(out io.Writer, u database.Upgraded, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(out, u)
	}
	if u.Current() {
		_, err := fmt.Fprintf(out, "%s has format %d, which is the current one: there is nothing to upgrade\n",
			u.Database, u.To)
		return err
	}
	_, err := fmt.Fprintln(out, strings.Join(upgradedAs(u), "\n"))
	return err
}

// upgradedAs returns what was upgraded, and what would be.
func upgradedAs(u database.Upgraded) []string {
	verb, kept := "upgraded", "kept the old database as "+u.Kept
	if u.DryRun {
		verb, kept = "would upgrade", "nothing was changed"
	}
	said := []string{
		fmt.Sprintf("%s %s from format %d to %d; every hash and decision was verified", verb, u.Database, u.From, u.To),
		fmt.Sprintf("before: %s, %d records, root %s", output.Size(u.Before.Bytes), u.Before.Records, u.Before.Root),
		fmt.Sprintf("after:  %s, %d records, root %s, %d requirements", output.Size(u.After.Bytes), u.After.Records,
			u.After.Root, u.Requirements),
	}
	for _, d := range u.Differences {
		said = append(said, fmt.Sprintf("table %s: %d entries changed, %d added, %d removed", d.Table, d.Changed, d.Added,
			d.Removed))
	}
	if len(u.Differences) == 0 {
		said = append(said, "the entries of all tables stay the same")
	}
	return append(said, kept)
}
