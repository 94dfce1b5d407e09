package install

import (
	"path/filepath"
	"slices"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/fault"
)

// Look returns where Install registers the hook, relative to the project, and whether nothing is left for it to do:
// the project has a policy and a link to the program, and the client's settings the very command for each event.
func Look(o Options) (file string, done bool, err error) {
	client, err := agentclient.Find(o.Client)
	if err != nil {
		return "", false, err
	}
	file = filepath.FromSlash(client.Wiring.File)
	program, err := Program(o.Executable)
	if err != nil {
		return file, false, err
	}
	so := o.registering(client, program)
	registered, err := settings.Registered(o.Client, so)
	if err != nil {
		return file, false, err
	}
	if _, err := o.checkPolicy(); err != nil {
		if fault.Is(err, control.CodeNoBoundary) {
			err = nil // Install makes it
		}
		return file, false, err
	}
	return file, isLinked(o.Dir, program) && !slices.ContainsFunc(client.Wiring.All(), func(event string) bool {
		return !slices.ContainsFunc(registered, func(r settings.Registration) bool {
			return r.Event == event && slices.Contains([]string{so.Command, so.Later, so.End},
				commandline.WithJSON(client, r.Command, false))
		})
	}), nil
}
