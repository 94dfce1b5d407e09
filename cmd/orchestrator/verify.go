package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/orchestrator"
	"orchestrator/internal/store/boltstore"
)

func verifyCommand() *cobra.Command {
	var data, export string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check the database: structure, log, tables and export",
		Long: `Verify changes nothing. It checks the structure of the database file, recomputes every hash of the log from the
stored records, decides every recorded change again by the rules and the workflow then in force, compares the
tables byte for byte with what the log amounts to, and the export with the state at the size of the log it names.

It needs the database for itself: stop the server first. Exit code 0 means that all of it is in order.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			database, err := existingDatabase(data)
			if err != nil {
				return err
			}
			found, err := verify(cmd.Context(), database, export)
			if err != nil {
				return err
			}
			return writeVerified(cmd.OutOrStdout(), found, asJSON)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&export, "export", "project_status.json", "export to compare with; a missing one is reported")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return withEnv(cmd)
}

// existingDatabase is the database in a data folder, for commands that must not make one.
func existingDatabase(data string) (string, error) {
	database := filepath.Join(data, "state.db")
	if _, err := os.Stat(database); err != nil {
		return "", fault.New(fault.NotFound, "database_missing", "there is no database %s", database).
			WithFix("give the folder that has it with --data").Because(err)
	}
	return database, nil
}

func verify(ctx context.Context, database, export string) (found orchestrator.Verified, err error) {
	store, err := boltstore.Open(database, boltstore.Options{ReadOnly: true})
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Check(); err != nil {
		return found, err
	}
	l, err := ledger.OpenReadOnly(ctx, store)
	if err != nil {
		return found, err
	}
	var exported io.Reader
	f, err := openExport(export)
	if err != nil {
		return found, err
	}
	if f != nil {
		defer f.Close()
		exported = f
	}
	return orchestrator.Verify(ctx, l, exported)
}

func writeVerified(out io.Writer, v orchestrator.Verified, asJSON bool) error {
	if asJSON {
		b, err := jsonv2.Marshal(v)
		if err == nil {
			_, err = fmt.Fprintln(out, string(b))
		}
		return err
	}
	_, err := fmt.Fprintf(out, "in order: %d records, root %s, %d requirements, export %s (%s)\n",
		v.Records, v.Root, v.Requirements, v.Export, time.Now().UTC().Format(time.RFC3339))
	return err
}
