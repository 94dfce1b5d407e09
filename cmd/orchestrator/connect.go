package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/apiclient"
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
	cmd.Flags().StringVar(&o.tokenFile, "token-file", "",
		"file with the token to ask with; without it the viewer's, or the pm's, of --data")
}

// timeoutFlag is --timeout of commands that somebody waits for.
func timeoutFlag(cmd *cobra.Command, o *serverOptions) {
	cmd.Flags().DurationVar(&o.timeout, "timeout", 15*time.Second, "how long the service may take for its answer")
}

// connect finds the service and the token; it asks nothing yet.
func (o serverOptions) connect() (*apiclient.Client, error) {
	server := o.server
	if server == "" {
		addr, err := tree.ReadFile(context.Background(), filepath.Join(o.data, "addr"), maxSecret)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "server_not_running", "no service runs with the folder %s", o.data).
				WithFix("start it with orchestrator serve, or name one with --server, or its folder with --data")
		}
		if err != nil {
			return nil, err
		}
		server = localURL(strings.TrimSpace(string(addr)))
	}
	tokens := o.tokenFile
	if tokens == "" && o.role != "" {
		tokens = filepath.Join(o.data, "tokens", o.role+".token")
	}
	if tokens == "" {
		tokens = filepath.Join(o.data, "tokens", "viewer.token")
		if pm := filepath.Join(o.data, "tokens", "pm.token"); !exists(tokens) && exists(pm) {
			tokens = pm
		}
	}
	return apiclient.New(apiclient.Options{Server: server, TokenFile: tokens,
		UserAgent: "orchestrator/" + buildVersion, Timeout: o.timeout})
}

// notRunning says whether an error means that there is no service to ask.
func notRunning(err error) bool {
	return fault.Is(err, apiclient.CodeNotRunning)
}

// unknownFormat refuses a --format; known are the ones there are.
func unknownFormat(format string, known []string) error {
	return fault.New(fault.Invalid, "usage", "there is no format %q", format).
		WithFix("use --format %s", strings.Join(known, ", "))
}
