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
	data, server, tokenFile, tlsCA string
	timeout                        time.Duration // for an answer; 0 leaves it to the client
	// whose token in tokens/ is used where none is named; "" is the viewer's, or the pm's
	role string
}

func serverFlags(cmd *cobra.Command, o *serverOptions) {
	dataFlag(cmd, &o.data)
	cmd.Flags().StringVar(&o.server, "server", "",
		"the service, as http://HOST:PORT, https://HOST or unix:PATH; without it the one that runs with --data")
	tlsCAFlag(cmd, &o.tlsCA)
	whose := "that of the viewer, or else of the pm,"
	if o.role != "" {
		whose = "that of the " + o.role
	}
	cmd.Flags().StringVar(&o.tokenFile, "token-file", "", "file with the token to use; without it "+whose+" in --data")
}

// tlsCAFlag adds --tls-ca to commands that ask a service.
func tlsCAFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "tls-ca", "",
		"PEM file with the authority that signed the certificate of the service; without it those of the system")
}

// timeoutFlag adds --timeout to commands that somebody waits for.
func timeoutFlag(cmd *cobra.Command, o *serverOptions) {
	cmd.Flags().DurationVar(&o.timeout, "timeout", 15*time.Second, "how long the service may take for its answer")
}

// address returns where the service is.
func (o serverOptions) address() (string, error) {
	if o.server != "" {
		return o.server, nil
	}
	addr, err := apiclient.LocalAddress(context.Background(), datadir.Dir(o.data))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.Unavailable, apiclient.CodeNotRunning, "no service runs with the folder %s", o.data).
			WithFix("start it with orchestrator serve, or name one with --server, or its folder with --data")
	}
	return apiclient.LocalURL(addr), err
}

// connect finds the service and the token; it asks nothing yet.
func (o serverOptions) connect() (*apiclient.Client, error) {
	server, err := o.address()
	if err != nil {
		return nil, err
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
	return apiclient.New(apiclient.Options{Server: server, CAFile: o.tlsCA, TokenFile: tokens,
		UserAgent: userAgent(), Timeout: o.timeout})
}
