// Package person keeps commands for persons.
package person

import (
	"os"

	"github.com/spf13/cobra"

	"orchestrator/internal/boundary/control"
)

// Only makes a command refuse to run in the environment of an agent client. It goes after cli.WithEnv, whose PreRunE it
// wraps.
func Only(cmd *cobra.Command) *cobra.Command {
	prepare := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := control.ByPerson(cmd.CommandPath(), os.Getenv); err != nil {
			return err
		}
		return prepare(cmd, args)
	}
	return cmd
}
