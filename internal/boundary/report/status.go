package report

import (
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
)

// Status is how the boundary of a project stands now.
type Status struct {
	Root       string           `json:"root"`
	Mode       boundary.Mode    `json:"mode"`
	Since      time.Time        `json:"since,omitzero"` // of the mode, where it is on record
	By         string           `json:"by,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	Unrecorded bool             `json:"unrecorded"`     // the policy has another mode than was recorded on this machine
	Bypasses   []boundary.Grant `json:"bypasses"`       // in force now
	Ended      []boundary.Ended `json:"bypasses_ended"` // bypasses that a person ended in the last day
	Decisions  int              `json:"decisions"`
	Violations int              `json:"violations"`
	Ready      bool             `json:"ready"`
	Raised     []boundary.Flag  `json:"raised"` // red flags

	ReadyToConfirm bool                   `json:"ready_to_confirm"`
	PathModes      []boundary.PathMode    `json:"path_modes"`
	Reviews        []reviewing.Review     `json:"reviews"`            // since the switch to enforce
	Attestations   []boundary.Attestation `json:"attestations"`       // the latest of each item
	Recovery       *boundary.Recovery     `json:"recovery,omitempty"` // since a rollback
	// SilentIn names the clients that called, and in which of their sessions a warning reaches nobody.
	SilentIn map[string]string `json:"unheard,omitempty"`
}

// StatusOf returns how the boundary stands under the policy that is in force.
func StatusOf(dir folder.Dir, p *boundary.Policy, now time.Time) (Status, error) {
	h, err := Read(dir)
	if err != nil {
		return Status{}, err
	}
	grants, err := dir.Grants()
	if err != nil {
		return Status{}, err
	}
	written, err := dir.Written()
	if err != nil {
		return Status{}, err
	}
	ready := h.Readiness(p, now)
	s := Status{
		Root: dir.Root, Mode: p.Mode, Unrecorded: true, Bypasses: []boundary.Grant{}, Raised: []boundary.Flag{},
		Decisions: len(h.Decisions), Violations: ready.Figures.Violations, Ready: ready.Ready,
		ReadyToConfirm: ready.ReadyToConfirm, PathModes: p.PathModes, Reviews: h.Reviews(p.Thresholds, now),
		Attestations: ready.Figures.Attestations, Recovery: ready.Figures.Recovery,
	}
	if n := len(h.Modes); n > 0 {
		last := h.Modes[n-1]
		s.Since, s.By, s.Reason, s.Unrecorded = last.At, last.By, last.Reason, last.Mode != written.Mode
	}
	for _, g := range grants {
		if now.Before(g.Until) {
			s.Bypasses = append(s.Bypasses, g)
		}
	}
	s.Ended = endedSince(h, now.Add(-24*time.Hour))
	if p.Mode == boundary.Validate {
		s.SilentIn = silentIn(h)
	}
	for _, f := range ready.Flags {
		if f.Raised {
			s.Raised = append(s.Raised, f)
		}
	}
	return s, nil
}

// endedSince returns the bypasses that persons ended from a moment on.
func endedSince(h *History, at time.Time) []boundary.Ended {
	ended := []boundary.Ended{}
	for _, l := range h.Bypasses {
		if l.Revoked && l.Grant != nil && !l.At.Before(at) {
			ended = append(ended, boundary.Ended{ID: l.Grant.ID, At: l.At, By: l.By, Reason: l.Reason})
		}
	}
	return ended
}

// silentIn returns the clients that called, and in which of their sessions a warning reaches nobody.
func silentIn(h *History) map[string]string {
	found := map[string]string{}
	for i := range h.Decisions {
		d := &h.Decisions[i]
		if c, known := agentclient.Named(d.Client); known && c.Wiring.SilentIn != "" {
			found[d.Client] = c.Wiring.SilentIn
		}
	}
	return found
}
