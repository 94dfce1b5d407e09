package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orchestrator/internal/fault"
)

// envName is the environment variable of a flag: --export-wait is ORCHESTRATOR_EXPORT_WAIT.
func envName(flag string) string {
	return "ORCHESTRATOR_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// withEnv lets every flag of a command be set by its environment variable; the command line wins. An empty variable
// is as good as none: an empty address, for one, would be every interface.
func withEnv(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage += " [" + envName(f.Name) + "]" })
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		var wrong error
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value := os.Getenv(envName(f.Name))
			if value == "" || f.Changed || f.Name == "help" || wrong != nil {
				return
			}
			if err := cmd.Flags().Set(f.Name, value); err != nil {
				wrong = fault.New(fault.Invalid, "environment", "the environment variable %s cannot be used: %v", envName(f.Name), err).
					WithFix("set it to what --%s takes, or unset it", f.Name)
			}
		})
		return wrong
	}
	return cmd
}
