package control

import (
	"cmp"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// Aligned is what became of the settings of one client when the mode was switched.
type Aligned struct {
	Client string `json:"client"`
	What   string `json:"what"`           // FailsClosed, FailsOpen or Failed
	File   string `json:"file,omitempty"` // that was changed
	Why    string `json:"why,omitempty"`  // it is not as the mode wants it
}

// Failure returns why the settings are not as the mode wants them, if they are not.
func (a Aligned) Failure() (why string, failed bool) { return a.Why, a.What == Failed }

// Says returns what the client does from now on.
func (a Aligned) Says() string {
	if a.What == FailsClosed {
		return "blocks from now on where the hook breaks"
	}
	return "lets calls run from now on where the hook breaks"
}

// align brings the project's settings of each client in line with a mode, and notes each change and each failure. The
// version of a client is what is known of it now, or what was noted when the hook was registered. Each line of the
// journal has an id of its own. The caller holds Lock.
func align(dir folder.Dir, mode boundary.Mode, known map[string]string, c Change,
	newID func() string) (done []Aligned, err error) {
	closed := mode.Blocks() // in any other mode nothing is blocked, whatever happens
	noted := map[string]string{}
	if closed {
		if noted, err = versions(dir); err != nil {
			return nil, err
		}
	}
	for _, client := range agentclient.All() {
		if client.Wiring.FailClosed == nil || !registeredIn(dir, client.Name) {
			continue
		}
		o := settings.Options{Root: dir.Root, ClientVersion: cmp.Or(known[client.Name], noted[client.Name])}
		if a := alignOne(client.Name, closed, o); a.What != "" {
			done = append(done, a)
			c.ID = newID()
			if err := a.note(dir, o.ClientVersion, c); err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

// registeredIn reports whether a client has the hook in its settings in the project. Settings that cannot be read may
// have it.
func registeredIn(dir folder.Dir, client string) bool {
	entries, err := settings.Registered(client, settings.Options{Root: dir.Root})
	return err != nil || len(entries) > 0
}

// alignOne changes the settings of one client. What is "" where there was nothing to change.
func alignOne(client string, closed bool, o settings.Options) Aligned {
	changed, err := settings.FailClosed(client, closed, o)
	a := Aligned{Client: client, File: changed.File}
	switch {
	case err != nil:
		a.What, a.Why = Failed, err.Error()
	case len(changed.Said) > 0:
		a.What, a.Why = Failed, changed.Said[0]
	case changed.Changed && closed:
		a.What = FailsClosed
	case changed.Changed:
		a.What = FailsOpen
	}
	return a
}

func (a Aligned) note(dir folder.Dir, version string, c Change) error {
	if a.Why != "" {
		c.Reason = fault.Clip(a.Why, maxReason)
	}
	return NoteInstallation(dir, a.Client, version, a.What, c)
}

// versions returns the last version of each client that was noted.
func versions(dir folder.Dir) (map[string]string, error) {
	noted := map[string]string{}
	return noted, dir.Read(func(l folder.Line, err error) error {
		if err == nil && l.Kind == folder.KindInstallation && l.Version != "" {
			noted[l.Client] = l.Version
		}
		return nil
	})
}
