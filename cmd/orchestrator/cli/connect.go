package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/tree"
)

// Service says how a command finds the running service, and as whom it asks.
type Service struct {
	Data, Server, tokenFile, TlsCA string
	Timeout                        time.Duration // for an answer; 0 leaves it to the client
	// whose token in tokens/ is used where none is named; "" is the viewer's, or the pm's
	Role string
}

// ServiceFlags adds the flags of commands that ask a service in somebody's name.
func ServiceFlags(cmd *cobra.Command, o *Service) {
	DataFlag(cmd, &o.Data)
	ServerFlag(cmd, &o.Server)
	TLSCAFlag(cmd, &o.TlsCA)
	whose := "that of the viewer, or else of the pm,"
	if o.Role != "" {
		whose = "that of the " + o.Role
	}
	cmd.Flags().StringVar(&o.tokenFile, "token-file", "",
		"file with the token to use, before the variable "+tokenVariable+"; without both, for the service of this "+
			"folder, "+whose+" in --data")
}

// ServerFlag adds --server.
func ServerFlag(cmd *cobra.Command, server *string) {
	cmd.Flags().StringVar(server, "server", "",
		"address of the service: HOST:PORT, http://HOST:PORT, https://HOST or unix:PATH; without it the url of the "+
			"settings, or else the service that runs with --data")
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
	to, err := o.find()
	return to.server, err
}

// Connect finds the service and the token; it asks nothing yet.
func (o Service) Connect() (*apiclient.Client, error) {
	if _, err := lifecycle.ParseRole(o.Role); o.Role != "" && err != nil {
		return nil, fault.Misuse("--as %s names no role", o.Role).
			WithFix("use one of pm, architect, coder, tester, viewer")
	}
	to, err := o.find()
	if err != nil {
		return nil, err
	}
	if err := apiclient.CheckServer(to.server); err != nil {
		return nil, err
	}
	options := apiclient.Options{Server: to.server, CAFile: o.TlsCA, UserAgent: UserAgent(), Timeout: o.Timeout}
	if err := o.addToken(&options, to); err != nil {
		return nil, err
	}
	return apiclient.New(options)
}

// ConnectAs finds the service and the token of a role: the one in a file that is named or, for the service of the data
// folder, the one that lies there.
func (o Service) ConnectAs(role, tokenFile string) (*apiclient.Client, error) {
	to, err := o.find()
	if err != nil {
		return nil, err
	}
	options := apiclient.Options{Server: to.server, CAFile: o.TlsCA, UserAgent: UserAgent(), Timeout: o.Timeout}
	o.tokenFile = tokenFile
	if err := o.bind(&options, to); err != nil {
		return nil, err
	}
	own := datadir.Dir(o.Data)
	switch file := own.Token(role); {
	case tokenFile != "":
		options.TokenFile = tokenFile
	case to.own && tree.Exists(file):
		options.TokenIn, options.TokenFile, options.Own = o.Data, file, own
	case to.own:
		return nil, fault.New(fault.Invalid, fault.CodeUsage, "there is no token of role %s in %s", role,
			own.TokenDir()).WithFix("give one with --token-file %s=FILE, or make it: orchestrator token add %s NAME "+
			"--out %s", role, role, file)
	default:
		return nil, fault.New(fault.Invalid, fault.CodeUsage, "no token of role %s is known for %s", role,
			apiclient.Redacted(to.server)).
			WithFix("give one for this address with --token-file %s=FILE; those in %s are for the service of that "+
				"folder alone", role, own.TokenDir())
	}
	return apiclient.New(options)
}

// bind keeps a token that is named from an address that is not.
func (o Service) bind(options *apiclient.Options, to place) error {
	switch data := datadir.Dir(o.Data); {
	case !o.namesToken() || o.Server != "":
	case to.saved:
		options.Saved = data
	default:
		options.Own = data
		return o.checkNested()
	}
	return nil
}

// addToken adds the token for a place. One that is named on the command line or by a variable is for what is named so,
// too; an address that only the settings name gets the tokens that were saved for it. Tokens that lie in the data
// folder are each for one address alone: whoever names another has to name a token, too.
func (o Service) addToken(options *apiclient.Options, to place) error {
	data := datadir.Dir(o.Data)
	if err := o.bind(options, to); err != nil {
		return err
	}
	switch {
	case o.tokenFile != "":
		options.TokenFile = o.tokenFile
	case tokenOfEnvironment() != "":
		options.Token = tokenOfEnvironment()
	case to.tokenFile != "":
		options.TokenIn, options.TokenFile, options.Saved = o.Data, to.tokenFile, data
	case to.own:
		options.TokenIn, options.TokenFile, options.Own = o.Data, o.ownToken(), data
	default:
		return fault.New(fault.Invalid, fault.CodeUsage, "no token is known for %s", apiclient.Redacted(to.server)).
			WithFix("name one for this address with --token-file or %s; those in %s are for the service of that "+
				"folder alone", tokenVariable, data.TokenDir())
	}
	return nil
}

// Lasting returns the flags by which this program, started later in whichever folder, asks the same service with the
// same token, and the file with the token. The service need not run.
func (o Service) Lasting() (flags []string, tokenFile string, err error) {
	data := datadir.Dir(o.Data)
	to, err := o.find()
	if fault.Is(err, apiclient.CodeNotRunning) && tree.Exists(o.Data) && !isClone(context.Background(), data) {
		to, err = place{own: true}, nil
	}
	if err != nil {
		return nil, "", err
	}
	var options apiclient.Options
	if err := o.addToken(&options, to); err != nil {
		return nil, "", err
	}
	if options.TokenFile == "" {
		return nil, "", fault.New(fault.Invalid, fault.CodeUsage, "the token of %s would have to be written down",
			tokenVariable).WithFix("put it into a file that only you can read, name that with --token-file, and " +
			"unset the variable")
	}
	options.Server = cmp.Or(to.server, "localhost:1") // nobody is asked: the token alone is looked at
	if _, err := apiclient.New(options); err != nil {
		return nil, "", err
	}
	if tokenFile, err = filepath.Abs(options.TokenFile); err != nil {
		return nil, "", err
	}
	flags, err = o.lastingAddress(to)
	return append(flags, "--token-file", tokenFile), tokenFile, err
}

// lastingAddress returns the flags that name the service: by its folder where that is the service of the folder, whose
// address may change.
func (o Service) lastingAddress(to place) (flags []string, err error) {
	if to.own && o.Server == "" && !to.saved {
		data, err := filepath.Abs(o.Data)
		return []string{"--data", data}, err
	}
	server := to.server
	if socket, is := strings.CutPrefix(server, "unix:"); is {
		if socket, err = filepath.Abs(socket); err != nil {
			return nil, err
		}
		server = "unix:" + socket
	}
	if err := apiclient.CheckServer(server); err != nil {
		return nil, err
	}
	flags = []string{"--server", server}
	if o.TlsCA != "" {
		authority, err := filepath.Abs(o.TlsCA)
		return append(flags, "--tls-ca", authority), err
	}
	return flags, nil
}

// namesToken reports whether a flag or a variable names a token.
func (o Service) namesToken() bool { return o.tokenFile != "" || tokenOfEnvironment() != "" }

// ownToken returns the file with the token of the role, of those that the service of the folder made.
func (o Service) ownToken() string {
	data := datadir.Dir(o.Data)
	if o.Role != "" {
		return data.Token(o.Role)
	}
	viewer, pm := data.Token("viewer"), data.Token("pm")
	if !tree.Exists(viewer) && tree.Exists(pm) {
		return pm
	}
	return viewer
}

// OwnTokenSource returns the file in the data folder with the token that is used where none is named; "" for none.
func (o Service) OwnTokenSource() string {
	if file := o.ownToken(); tree.Exists(file) {
		return "file " + file
	}
	return ""
}

// ServiceOf returns what the flags of a command say of the service, for those who have the command alone.
func ServiceOf(cmd *cobra.Command) Service {
	value := func(flag string) string {
		if f := cmd.Flags().Lookup(flag); f != nil {
			return f.Value.String()
		}
		return ""
	}
	return Service{Data: value("data"), Server: value("server"), tokenFile: value("token-file"), TlsCA: value("tls-ca")}
}
