package logcmd

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/moving"
)

// migrateOptions are the flags of migrate.
type migrateOptions struct {
	from, to moving.Given
	asJSON   bool
}

// MigrateCommand moves a log to another store. It changes no state and decides nothing, so it writes no record.
func MigrateCommand() *cobra.Command {
	o := migrateOptions{from: moving.Given{Flag: "from"}, to: moving.Given{Flag: "to"}}
	cmd := &cobra.Command{
		Use:   "migrate --from PLACE --to PLACE",
		Short: "Move the log from a file to PostgreSQL, or back",
		Long: `Migrate moves a log to another store: from the file in a data folder to a PostgreSQL database, from a
database to a file, or between two of a kind. Records, root and tables stay the same, byte for byte, and nothing is
added to the log.

A place is bbolt: with the path of a data folder, or the URL of a database, in which ?search_path= names the schema. A
URL with a password is not taken from the command line: leave the password to ~/.pgpass or PGPASSWORD, or give the URL
in a file or a variable.

Stop every service that uses the log first. Migrate verifies the log where it is, every hash and every decision, copies
it, compares every entry, and verifies it again where it was copied to. Only then does the old place say where the log
went, so that nobody writes there any more, and the new one can be opened. If it fails or is killed, repeat it: it goes
on where it was. The old place keeps all that it had, and can still be verified.

The target must be empty. A data folder whose log was moved away counts as empty, and its file is kept under another
name. Keys, tokens, documents and settings stay in the data folder.`,
		Example: `  orchestrator migrate --from bbolt:.orchestrator --to postgres://orchestrator@db/shop
  orchestrator migrate --from-file store.url --to bbolt:.orchestrator`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.from.Typed, o.to.Typed = setting.Typed(cmd, "from"), setting.Typed(cmd, "to")
			done, err := o.run(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return writeMoved(cmd.OutOrStdout(), done, o.asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from.Text, "from", "", "where the log is: bbolt:FOLDER, or postgres://HOST/DATABASE")
	f.StringVar(&o.from.File, "from-file", "", "file that has the URL of --from, which may have a password")
	f.StringVar(&o.to.Text, "to", "", "where it goes: bbolt:FOLDER, or postgres://HOST/DATABASE")
	f.StringVar(&o.to.File, "to-file", "", "file that has the URL of --to, which may have a password")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	return cli.WithEnv(cmd)
}

func (o migrateOptions) run(ctx context.Context, notes io.Writer) (done moving.Moved, err error) {
	from, err := moving.Find(ctx, o.from)
	if err != nil {
		return done, err
	}
	to, err := moving.Find(ctx, o.to)
	if err != nil {
		return done, err
	}
	show := output.NewProgress(notes, "records")
	defer show.Clear()
	return moving.Move(ctx, from, to, moving.Options{
		Now: time.Now, Verified: show.Of("records verified"), Copied: show.Of("records copied"),
		Compared: show.Of("records compared"),
	})
}

func writeMoved(out io.Writer, m moving.Moved, asJSON bool) error {
	if asJSON {
		return output.WriteJSON(out, m)
	}
	if m.Already {
		_, err := fmt.Fprintf(out, "the log of %s was moved to %s before: nothing was done\n", m.From, m.To)
		return err
	}
	_, err := fmt.Fprintln(out, strings.Join(movedAs(m), "\n"))
	return err
}

// movedAs returns what was moved, and what to do next.
func movedAs(m moving.Moved) []string {
	tables := make([]string, 0, len(m.Tables))
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		tables = append(tables, fmt.Sprintf("%s %d", name, m.Tables[name]))
	}
	verb := "moved"
	if m.Resumed {
		verb = "moved the rest of"
	}
	said := []string{
		fmt.Sprintf("%s the log from %s to %s", verb, m.From, m.To),
		fmt.Sprintf("%d records, root %s, %d requirements; both sides were verified, every decision too", m.Records,
			m.Root, m.Requirements),
		fmt.Sprintf("entries, %s in all, each the same byte for byte: %s", output.Size(m.Bytes),
			strings.Join(tables, ", ")),
		fmt.Sprintf("%s keeps what it had, and no service writes there any more", m.From),
	}
	for _, path := range m.Kept {
		said = append(said, "kept the file that was there as "+path)
	}
	return said
}
