package control

import (
	"cmp"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
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
		return "blocks from now on when the hook breaks"
	}
	return "lets calls through from now on when the hook breaks"
}

// align brings the project's settings of each client in line with the mode, and notes each change and each failure. The
// version of a client is what is known of it now, or what was noted when the hook was registered. Each line of the
// journal has an id of its own. The caller holds Lock.
func (s Switch) align(dir folder.Dir, known map[string]string) (done []Aligned, err error) {
	closed, c := s.To.Blocks(), s.Change // in any other mode nothing is blocked, whatever happens
	h := &report.History{}
	if closed {
		if h, err = s.History(); err != nil {
			return nil, err
		}
	}
	for _, client := range agentclient.All() {
		if client.Wiring.FailClosed == nil || !registeredIn(dir, client.Name) {
			continue
		}
		o := settings.Options{Root: dir.Root, ClientVersion: cmp.Or(known[client.Name], h.Clients[client.Name].Version)}
		if a := alignOne(client.Name, closed, o); a.What != "" {
			done = append(done, a)
			c.ID = s.NewID()
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
