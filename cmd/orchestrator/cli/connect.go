package cli

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

// Service are how a command finds the running service, and as whom it asks.
type Service struct {
	Data, Server, tokenFile, TlsCA string
	Timeout                        time.Duration // for an answer; 0 leaves it to the client
	// whose token in tokens/ is used where none is named; "" is the viewer's, or the pm's
	Role string
}

func ServiceFlags(cmd *cobra.Command, o *Service) {
	DataFlag(cmd, &o.Data)
	cmd.Flags().StringVar(&o.Server, "server", "",
		"the service, as http://HOST:PORT, https://HOST or unix:PATH; without it the one that runs with --data")
	TLSCAFlag(cmd, &o.TlsCA)
	whose := "that of the viewer, or else of the pm,"
	if o.Role != "" {
		whose = "that of the " + o.Role
	}
	cmd.Flags().StringVar(&o.tokenFile, "token-file", "", "file with the token to use; without it "+whose+" in --data")
}

// TLSCAFlag adds --tls-ca to commands that ask a service.
func TLSCAFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "tls-ca", "",
		"PEM file with the authority that signed the certificate of the service; without it those of the system")
}

// TimeoutFlag adds --timeout to commands that somebody waits for.
func TimeoutFlag(cmd *cobra.Command, o *Service) {
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 15*time.Second, "how long the service may take for its answer")
}

// Address returns where the service is.
func (o Service) Address() (string, error) {
	if o.Server != "" {
		return o.Server, nil
	}
	addr, err := apiclient.LocalAddress(context.Background(), datadir.Dir(o.Data))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.Unavailable, apiclient.CodeNotRunning, "no service runs with the folder %s", o.Data).
			WithFix("start it with orchestrator serve, or name one with --server, or its folder with --data")
	}
	return apiclient.LocalURL(addr), err
}

// Connect finds the service and the token; it asks nothing yet.
func (o Service) Connect() (*apiclient.Client, error) {
	server, err := o.Address()
	if err != nil {
		return nil, err
	}
	tokens := o.tokenFile
	if tokens == "" && o.Role != "" {
		tokens = datadir.Dir(o.Data).Token(o.Role)
	}
	if tokens == "" {
		tokens = datadir.Dir(o.Data).Token("viewer")
		if pm := datadir.Dir(o.Data).Token("pm"); !tree.Exists(tokens) && tree.Exists(pm) {
			tokens = pm
		}
	}
	return apiclient.New(apiclient.Options{Server: server, CAFile: o.TlsCA, TokenFile: tokens,
		UserAgent: UserAgent(), Timeout: o.Timeout})
}
