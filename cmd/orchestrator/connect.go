package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/tree"
)

// serverOptions are how a command finds the running service, and as whom it asks.
type serverOptions struct {
	data, server, tokenFile string
	timeout                 time.Duration // for an answer; 0 leaves it to the client
	// whose token in tokens/ is used where none is named; "" is the viewer's, or the pm's
	role string
}

func serverFlags(cmd *cobra.Command, o *serverOptions) {
	dataFlag(cmd, &o.data)
	cmd.Flags().StringVar(&o.server, "server", "",
		"the service, as http://HOST:PORT; without it the one that runs with --data")
	whose := "that of the viewer, or else of the pm,"
	if o.role != "" {
		whose = "that of the " + o.role
	}
	cmd.Flags().StringVar(&o.tokenFile, "token-file", "", "file with the token to use; without it "+whose+" in --data")
}

// timeoutFlag adds --timeout to commands that somebody waits for.
func timeoutFlag(cmd *cobra.Command, o *serverOptions) {
	cmd.Flags().DurationVar(&o.timeout, "timeout", 15*time.Second, "how long the service may take for its answer")
}

// connect finds the service and the token; it asks nothing yet.
func (o serverOptions) connect() (*apiclient.Client, error) {
	server := o.server
	if server == "" {
		addr, err := apiclient.LocalAddress(context.Background(), datadir.Dir(o.data))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.Unavailable, apiclient.CodeNotRunning, "no service runs with the folder %s", o.data).
				WithFix("start it with orchestrator serve, or name one with --server, or its folder with --data")
		}
		if err != nil {
			return nil, err
		}
		server = apiclient.LocalURL(addr)
	}
	tokens := o.tokenFile
	if tokens == "" && o.role != "" {
		tokens = datadir.Dir(o.data).Token(o.role)
	}
	if tokens == "" {
		tokens = datadir.Dir(o.data).Token("viewer")
		if pm := datadir.Dir(o.data).Token("pm"); !tree.Exists(tokens) && tree.Exists(pm) {
			tokens = pm
		}
	}
	return apiclient.New(apiclient.Options{Server: server, TokenFile: tokens,
		UserAgent: userAgent(), Timeout: o.timeout})
}
