package projectcmd

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/probe"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/doctor"
)

// levels are how bad it is what came of a registered MCP server.
var levels = map[probe.State]doctor.Level{
	probe.Works: doctor.OK, probe.NotTried: doctor.Warning, probe.NoService: doctor.Warning,
	probe.Unreadable: doctor.Problem, probe.NoProgram: doctor.Problem, probe.NoToken: doctor.Problem,
	probe.Fails: doctor.Problem,
}

// examineServers tries the MCP server that is registered with agent clients.
func examineServers(data datadir.Dir) func(context.Context) ([]doctor.Finding, error) {
	return func(ctx context.Context) (found []doctor.Finding, err error) {
		o, err := ownServer(ctx, data)
		if err != nil {
			return nil, err
		}
		for _, client := range agentclient.Names() {
			for _, f := range probe.Examine(ctx, client, o) {
				what := client + ": " + f.What
				if f.File != "" {
					what = client + ", " + f.File + ": " + f.What
				}
				found = append(found, doctor.Finding{Level: levels[f.State], What: what, Mend: f.Mend, Advice: f.Fix})
			}
		}
		if len(found) == 0 {
			found = append(found, doctor.Finding{Level: doctor.OK,
				What: "no agent client has the MCP server; orchestrator mcp install CLIENT registers it"})
		}
		return found, nil
	}
}

// ownServer returns what may be started unasked: this program, for the service of this project.
func ownServer(ctx context.Context, data datadir.Dir) (probe.Options, error) {
	const patience = 5 * time.Second
	own, err := os.Executable()
	if err != nil {
		return probe.Options{}, err
	}
	root, err := filepath.Abs(data.Project())
	if err != nil {
		return probe.Options{}, err
	}
	saved, _ := config.ReadLocal(ctx, data) // what is wrong with the settings is another finding
	home, _ := os.UserHomeDir()
	return probe.Options{Root: root, Home: home, Environ: os.Environ(), Patience: patience,
		Only: &probe.Own{Program: own, Data: string(data), URL: saved.URL}}, nil
}
