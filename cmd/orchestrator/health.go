package main

import (
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/apiclient"
)

func healthCommand() *cobra.Command {
	var o serverOptions
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Say by the exit code whether a service is ready",
		Long: `Health asks GET /readyz of a service and exits with 0 if work should be sent there, and with 1 if not, or if
nobody answers. It prints nothing if all is well, and needs no token. Warnings count as ready: GET /readyz?verbose shows
them. It is made for the check of a container:

  HEALTHCHECK CMD ["orchestrator", "health"]`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := o.address()
			if err != nil {
				return err
			}
			client, err := apiclient.New(apiclient.Options{Server: server, CAFile: o.tlsCA, Anonymous: true,
				UserAgent: userAgent(), Timeout: o.timeout})
			if err != nil {
				return err
			}
			return client.Ready(cmd.Context())
		},
	}
	dataFlag(cmd, &o.data)
	cmd.Flags().StringVar(&o.server, "server", "",
		"the service, as http://HOST:PORT, https://HOST or unix:PATH; without it the one that runs with --data")
	tlsCAFlag(cmd, &o.tlsCA)
	cmd.Flags().DurationVar(&o.timeout, "timeout", 3*time.Second, "how long the service may take for its answer")
	return withEnv(cmd)
}
