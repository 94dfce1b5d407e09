package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/requirements/projection"
)

// tokenVariable is the environment variable that holds a token. No flag does: every user of a machine can see the
// command lines of the others.
const tokenVariable = "ORCHESTRATOR_TOKEN"

func tokenOfEnvironment() string { return strings.TrimSpace(os.Getenv(tokenVariable)) }

// TokenSource returns the variable that holds a token, "" where none does.
func TokenSource() string {
	if tokenOfEnvironment() == "" {
		return ""
	}
	return "variable " + tokenVariable
}

// place is the address of a service, and the token that belongs to it.
type place struct {
	server    string
	own       bool   // it is the service of the data folder, which runs
	saved     bool   // only the settings name it
	tokenFile string // in the data folder; saved for this address
}

// find returns the service that is meant: the one that is named, or that of the settings, or that of the data folder.
func (o Service) find() (place, error) {
	ctx := context.Background()
	data := datadir.Dir(o.Data)
	saved, err := config.ReadLocal(ctx, data)
	if err != nil {
		return place{}, err
	}
	server := cmp.Or(o.Server, saved.URL)
	if server == "" {
		own, err := ownAddress(ctx, data)
		return place{server: own, own: true}, err
	}
	to := place{server: server, saved: o.Server == ""}
	if saved.URL != "" && apiclient.SameServer(server, saved.URL) {
		to.server, to.tokenFile = saved.URL, saved.TokenPath(data)
	}
	if own, is := apiclient.LocalServer(ctx, data, server); is {
		to.server, to.own = own, true
	}
	return to, nil
}

// checkNested keeps a token that a flag or a variable names from the service of a folder that lies in another project:
// whoever can write the tree can make one, and listen there.
func (o Service) checkNested() error {
	if filepath.Base(o.Data) != datadir.Default {
		return nil
	}
	outer, is := config.Above(filepath.Dir(o.Data))
	if !is {
		return nil
	}
	return fault.New(fault.Invalid, fault.CodeUsage, "%s lies in the project %s, and its service gets no token of a flag "+
		"or a variable unless it is named", o.Data, outer).
		WithFix("name it, with --server or ORCHESTRATOR_URL; or change to the folder of the project that you mean")
}

// isClone reports whether a data folder is that of a clone, whose log is elsewhere.
func isClone(ctx context.Context, data datadir.Dir) bool {
	saved, err := config.ReadLocal(ctx, data)
	export := cmp.Or(saved.Export, projection.DefaultExport)
	if !filepath.IsAbs(export) {
		export = filepath.Join(data.Project(), export)
	}
	return err == nil && exportfile.Clone(data, export)
}

// ownAddress returns the URL of the service that runs with a data folder.
func ownAddress(ctx context.Context, data datadir.Dir) (string, error) {
	notRunning := func(format string, args ...any) error {
		if isClone(ctx, data) {
			return fault.New(fault.Unavailable, apiclient.CodeNotRunning, format+": this is a clone", args...).
				WithFix("name the service that has its log: orchestrator config set url https://HOST")
		}
		return fault.New(fault.Unavailable, apiclient.CodeNotRunning, format, args...).
			WithFix("start it with orchestrator up")
	}
	addr, err := apiclient.LocalAddress(ctx, data)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", fault.New(fault.Forbidden, codeOfAnother, "the folder %s belongs to another user", data).
			WithFix("run the command as that user; or name the service with --server, and your token with --token-file").
			Because(err)
	case errors.Is(err, fs.ErrNotExist):
		return "", notRunning("no service runs with the folder %s", data)
	case err != nil:
		return "", notRunning("the address in the folder %s cannot be read", data)
	case !apiclient.Runs(data):
		return "", notRunning("no service runs with the folder %s; the last one was at %s", data, addr)
	}
	return apiclient.LocalURL(addr), nil
}
