package install

import (
	"slices"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/notice"
)

// tell brings what the files with instructions say of the boundary up to date, and takes it out with the last client.
func (o Options) tell(d *Done) error {
	edit := notice.Cut
	if slices.ContainsFunc(agentclient.Names(), o.isGuarded) {
		edit = notice.Put
	}
	changed, said, err := edit(o.Dir)
	d.Told, d.Said = changed, append(d.Said, said...)
	return err
}

// isGuarded reports whether the hook is registered with a client in the project.
func (o Options) isGuarded(client string) bool {
	found, err := settings.Registered(client, settings.Options{Root: o.Dir.Root})
	return err == nil && len(found) > 0
}
