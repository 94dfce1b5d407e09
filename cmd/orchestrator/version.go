package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
)

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Version prints the version of this program, the commit that it was built from and the system that it was
built for. That of a running service is in the answer to GET /version.`,
		Example: `  orchestrator version
  orchestrator version --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return output.WriteJSON(cmd.OutOrStdout(), built{cli.BuildVersion, cli.Commit(), runtime.Version(),
					runtime.GOOS + "/" + runtime.GOARCH})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "orchestrator %s %s/%s\n", cli.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cli.WithEnv(cmd)
}

// built is the version as JSON.
type built struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}
