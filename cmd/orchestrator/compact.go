package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store/boltstore"
)

// compacted is what compact reports.
type compacted struct {
	Before  int64          `json:"before"` // bytes of the file
	After   int64          `json:"after"`
	Records uint64         `json:"records"`
	Root    string         `json:"root"`
	Tables  map[string]int `json:"tables"` // entries
}

// compactCommand makes the file smaller. It changes no state and decides nothing, so it writes no record.
func compactCommand() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Make the database file smaller, and keep every record and proof",
		Long: `Compact writes the database file anew without its free pages, and puts it in the place of the old one. Nothing in it
changes: the new file is taken only when its structure is sound, every table has the same entries, byte for byte, and
the log the same records and root. Every record, checkpoint and proof stays as it is, and nothing is added to the log.

It needs the database for itself: stop the server first. Beside the database it needs as much free room as that
takes. It can be ended, and may crash, at any moment: the database is the old file or the new one, whole.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			database, err := existingDatabase(data)
			if err != nil {
				return err
			}
			done, err := compact(cmd.Context(), database)
			if err != nil {
				return err
			}
			return done.write(cmd.OutOrStdout(), database, asJSON)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return withEnv(cmd)
}

func compact(ctx context.Context, database string) (done compacted, err error) {
	s, err := boltstore.Open(database, boltstore.Options{LockTimeout: lockPatience})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Check(); err != nil {
		return done, err
	}
	l, err := openSound(ctx, s)
	if err != nil {
		return done, err
	}
	before := l.Head()
	c, err := s.Compact(ctx, func(copied *boltstore.Store) error {
		l, err := openSound(ctx, copied)
		if err == nil && !l.Head().Equal(before) {
			err = fmt.Errorf("the log of the copy is another: %d records with root %s", l.Head().Size, l.Head().Root)
		}
		return err
	})
	return compacted{c.Before, c.After, before.Size, before.Root.String(), c.Entries}, err
}

// openSound opens the ledger of a store in which the end of the log and the check sums of all tables are in order.
func openSound(ctx context.Context, s *boltstore.Store) (*ledger.Ledger, error) {
	l, err := ledger.OpenReadOnly(ctx, s)
	if err != nil {
		return nil, err
	}
	return l, l.CheckSums(ctx)
}

func (c compacted) write(out io.Writer, database string, asJSON bool) error {
	if asJSON {
		b, err := jsonv2.Marshal(c, jsonv2.Deterministic(true))
		if err == nil {
			_, err = fmt.Fprintln(out, string(b))
		}
		return err
	}
	if c.After == c.Before {
		_, err := fmt.Fprintf(out, "%s has %s, and would not get smaller: it was left as it is\n", database,
			sizeOf(c.Before))
		return err
	}
	_, err := fmt.Fprintf(out, "%s: %s before, %s after; all %d records, root %s, and every table are the same\n",
		database, sizeOf(c.Before), sizeOf(c.After), c.Records, c.Root)
	return err
}

func sizeOf(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
