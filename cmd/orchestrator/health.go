package main

import (
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/internal/apiclient"
)

func healthCommand() *cobra.Command {
	var o cli.Service
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Say by the exit code whether a service is ready",
		Long: `Health asks GET /readyz of a service and exits with 0 if work should be sent there, with 1 if not, and
with 3 if nobody answers. It prints nothing if all is well, and needs no token. Warnings count as ready:
GET /readyz?verbose shows them. It is made for the check of a container:

  HEALTHCHECK CMD ["orchestrator", "health"]`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := o.Address()
			if err != nil {
				return err
			}
			client, err := apiclient.New(apiclient.Options{Server: server, CAFile: o.TlsCA, Anonymous: true,
				UserAgent: cli.UserAgent(), Timeout: o.Timeout})
			if err != nil {
				return err
			}
			return client.Ready(cmd.Context())
		},
	}
	cli.DataFlag(cmd, &o.Data)
	cli.ServerFlag(cmd, &o.Server)
	cli.TLSCAFlag(cmd, &o.TlsCA)
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 3*time.Second, "how long the service may take for its answer")
	return cli.WithEnv(cmd)
}
