package control

import (
	"sync"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/notice"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// Switch is a switch of the mode, with all that follows the mode.
type Switch struct {
	To       boundary.Mode
	Override string
	Change   Change
	History  func() (*report.History, error)
	Version  func(client string) string // asks a client for its version; nil asks nobody
	NewID    func() string              // of each further line in the journal
}

// ModeSwitched says what a switch did.
type ModeSwitched struct {
	Mode    boundary.Mode `json:"mode"`
	From    boundary.Mode `json:"from"` // the same where there was nothing to switch; it is recorded where it was not yet
	Clients []Aligned     `json:"clients,omitempty"`

	Notified []string `json:"-"` // files with instructions that follow the mode
	Said     []string `json:"-"` // why one does not
}

// Lock keeps others from switching the mode, and from changing what follows it: settings of clients, the link to the
// program, files with instructions.
func Lock(dir folder.Dir) (unlock func(), err error) { return dir.Lock("mode") }

// Make switches the mode, and brings the settings of the clients and the files with instructions in line with it, under
// one lock: after two switches at once everything follows the later one. The mode is switched once done has one,
// whatever became of the rest.
func (s Switch) Make(dir folder.Dir) (done ModeSwitched, err error) {
	if err := s.check(dir); err != nil {
		return done, err
	}
	known := s.versions(dir)
	unlock, err := Lock(dir)
	if err != nil {
		return done, err
	}
	defer unlock()
	s.History = sync.OnceValues(s.History) // it may be large
	if done.From, err = s.set(dir); err != nil {
		return done, err
	}
	done.Mode = s.To
	if done.Clients, err = s.align(dir, known); err != nil {
		return done, err
	}
	if done.Notified, done.Said, err = notice.Follow(dir); err != nil {
		done.Said = append(done.Said, notice.Behind(err))
	}
	return done, nil
}

// versions returns what the clients say of their versions. They are asked before the lock is taken: each may take
// seconds.
func (s Switch) versions(dir folder.Dir) map[string]string {
	known := map[string]string{}
	if s.Version == nil || !s.To.Blocks() {
		return known
	}
	for _, client := range agentclient.All() {
		if client.Wiring.FailClosed != nil && registeredIn(dir, client.Name) {
			known[client.Name] = s.Version(client.Name)
		}
	}
	return known
}
