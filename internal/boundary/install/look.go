package install

import (
	"path/filepath"
	"slices"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/fault"
)

// Look returns where Install registers the hook, relative to the project, and whether nothing is left for it to do:
// the project has a policy, and the client's settings the very command for each event.
func Look(o Options) (file string, done bool, err error) {
	client, err := agentclient.Find(o.Client)
	if err != nil {
		return "", false, err
	}
	file = filepath.FromSlash(client.Wiring.File)
	command, err := o.command(client)
	if err != nil {
		return file, false, err
	}
	registered, err := settings.Registered(o.Client, settings.Options{Root: o.Dir.Root, Home: o.Home})
	if err != nil {
		return file, false, err
	}
	if err := o.checkPolicy(); err != nil {
		if fault.Is(err, control.CodeNoBoundary) {
			err = nil // Install makes it
		}
		return file, false, err
	}
	return file, !slices.ContainsFunc(client.Wiring.Events, func(event string) bool {
		return !slices.ContainsFunc(registered, func(r settings.Registration) bool {
			return r.Event == event && r.Command == command
		})
	}), nil
}
