package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orchestrator/internal/fault"
)

// EnvName returns the environment variable of a flag: --export-wait is ORCHESTRATOR_EXPORT_WAIT.
func EnvName(flag string) string {
	return "ORCHESTRATOR_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// byHand marks flags that no environment variable stands in for.
const byHand = "by hand"

// TypedOnly keeps the environment from setting a flag: what it says is a person's word at that moment. It goes before
// withEnv.
func TypedOnly(cmd *cobra.Command, flag string) {
	_ = cmd.Flags().SetAnnotation(flag, byHand, nil) // fails only where there is no such flag, which a test sees
}

func isTypedOnly(f *pflag.Flag) bool { _, only := f.Annotations[byHand]; return only }

// WithEnv lets every flag of a command be set by its environment variable, but those that are typed only; the command
// line wins. An empty variable is as good as none: an empty address, for one, would be every interface.
func WithEnv(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !isTypedOnly(f) {
			f.Usage += " [" + EnvName(f.Name) + "]"
		}
	})
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		var wrong error
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value := os.Getenv(EnvName(f.Name))
			if value == "" || f.Changed || f.Name == "help" || isTypedOnly(f) || wrong != nil {
				return
			}
			if err := cmd.Flags().Set(f.Name, value); err != nil {
				wrong = fault.New(fault.Invalid, "environment", "the environment variable %s cannot be used: %v",
					EnvName(f.Name), err).
					WithFix("set it to what --%s takes, or unset it", f.Name)
			}
		})
		return wrong
	}
	return cmd
}
