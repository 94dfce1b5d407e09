// Package storeflag has the flags that say where the log of a project lies.
package storeflag

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/storage"
)

// Add adds the flags to a command.
func Add(cmd *cobra.Command, given *storage.Given) {
	cmd.Flags().StringVar(&given.URL, "store", "", "URL of the PostgreSQL database that has the log, such as "+
		"postgres://HOST/DATABASE?search_path=SCHEMA, without a password (default the file state.db in --data)")
	cmd.Flags().StringVar(&given.File, "store-file", "", "file that has the URL of --store, which may have a password")
	setting.Declare(cmd, "store", "store-file")
	setting.DeclarePaths(cmd, "store-file")
}

// Place returns where the log of the project of a data folder lies.
func Place(cmd *cobra.Command, data string, given storage.Given) (storage.Place, error) {
	given.Typed, given.Saved = setting.Typed(cmd, "store"), setting.Saved(cmd, "store")
	return storage.Find(cmd.Context(), datadir.Dir(data), given)
}
