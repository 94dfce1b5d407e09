package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/internal/fault"
)

// EnvName returns the environment variable of a flag: --export-wait is ORCHESTRATOR_EXPORT_WAIT.
func EnvName(flag string) string {
	if flag == "server" {
		return "ORCHESTRATOR_URL" // as in the environment of agents that the service starts
	}
	return envName(flag)
}

func envName(flag string) string {
	return "ORCHESTRATOR_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment returns what the environment says of a flag, and the variable that says it. Where two variables stand for
// one flag, the older name keeps working.
func environment(flag string) (value, variable string) {
	if value := os.Getenv(EnvName(flag)); value != "" {
		return value, EnvName(flag)
	}
	return os.Getenv(envName(flag)), envName(flag)
}

// byHand marks flags that no environment variable stands in for.
const byHand = "by hand"

// TypedOnly keeps the environment from setting a flag: what it says is a person's word at that moment. It goes before
// withEnv.
func TypedOnly(cmd *cobra.Command, flag string) {
	_ = cmd.Flags().SetAnnotation(flag, byHand, nil) // fails only where there is no such flag, which a test sees
}

func isTypedOnly(f *pflag.Flag) bool { _, only := f.Annotations[byHand]; return only }

// WithEnv lets every flag of a command be set by its environment variable, but those that are typed only, and fills
// what neither the command line nor a variable says from the settings of the project. An empty variable is as good as
// none: an empty address, for one, would be every interface.
func WithEnv(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !isTypedOnly(f) {
			f.Usage += " [" + EnvName(f.Name) + "]"
		}
	})
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := fromEnvironment(cmd); err != nil {
			return err
		}
		return setting.Apply(cmd, args)
	}
	return nameWay(cmd)
}

func fromEnvironment(cmd *cobra.Command) (wrong error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == "help" || isTypedOnly(f) || wrong != nil {
			return
		}
		value, variable := environment(f.Name)
		if value == "" {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			wrong = fault.New(fault.Invalid, codeEnvironment, "the environment variable %s cannot be used: %v", variable, err).
				WithFix("set it to what --%s takes, or unset it", f.Name)
		}
		setting.Note(f, "variable "+variable)
	})
	return wrong
}
