package folder

import (
	"slices"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// What became of a call: the What of a line of KindOutcome.
const (
	OutcomeDone   = "done"
	OutcomeFailed = "failed"
)

// The kinds of lines in a journal.
const (
	KindDecision     = "decision"    // a call was judged
	KindOutcome      = "outcome"     // what became of a call after it was let through
	KindError        = "error"       // the hook could not do its work
	KindMode         = "mode"        // the mode was chosen
	KindGrant        = "bypass"      // a bypass was given
	KindLabel        = "label"       // what a person says of a decision
	KindDrill        = "drill"       // bypass or rollback was exercised
	KindInstallation = "posting"     // the hook was registered with a client, or taken out
	KindImported     = "imported"    // a call out of an older journal
	KindAttestation  = "attestation" // a person vouches for something, or takes that back
	KindRecovery     = "recovery"    // a person says what led to a rollback, and what was mended
	KindReview       = "review"      // a person looked at the boundary again, after it was enforced
)

// What a line of KindInstallation says of the hook in a client's settings.
const (
	HookInstalled   = "installed"
	HookRemoved     = "removed"
	HookFailsClosed = "fails_shut" // the client blocks when the hook breaks
	HookFailsOpen   = "fails_open" // the client lets the call run then
	HookFailed      = "failed"     // the settings could not be changed with the mode
)

// WhatPulled is the What of a mode that came with the policy: nobody switched it on this machine.
const WhatPulled = "pulled"

// Line is one line of a journal. Which members it has depends on its kind.
type Line struct {
	ID   string    `json:"id"` // 16 hexadecimal digits
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`

	// Of decisions, outcomes and errors, as far as the client says it.
	Client    string          `json:"client,omitempty"`
	Version   string          `json:"version,omitempty"`
	Session   string          `json:"session,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Actor     *boundary.Actor `json:"actor,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	OwnTool   string          `json:"own_tool,omitempty"` // as the client calls it, where that differs

	// Of decisions.
	Mode    boundary.Mode     `json:"mode,omitempty"`
	Shell   bool              `json:"shell,omitzero"`
	Named   []boundary.Target `json:"named,omitempty"` // files that the tool names
	Parts   []boundary.Part   `json:"parts,omitempty"` // of a shell command
	Reads   []boundary.Target `json:"reads,omitempty"` // secrets of the service that a shell command may show or copy
	Verdict *boundary.Verdict `json:"verdict,omitempty"`
	Micros  int64             `json:"micros,omitzero"`
	Cut     bool              `json:"cut,omitzero"` // there was more than a line holds
	// it would change the boundary's own files; the text of the command, which may tell it alone, is not kept
	Guarded bool `json:"guarded,omitzero"`
	Puts    bool `json:"puts,omitzero"`  // the input of a tool that nobody knows names a file to write
	Notes   bool `json:"notes,omitzero"` // all files that it names are the client's own plans, or what it remembers
	// the names of the user's folder, where a file lies in it and outside of the project
	Homes []string `json:"homes,omitempty"`

	// Of outcomes: OutcomeDone or OutcomeFailed. Of drills: what was exercised, "bypass" or "rollback". Of
	// installations: "installed", "removed", "fails_shut", "fails_open" or "failed". Of labels: "correct",
	// "false-positive" or "resolved". Of attestations the item, of reviews the name. Of modes: "pulled" or nothing.
	What string `json:"what,omitempty"`
	// Of labels the id of the decision, of a recovery that of the one that it replaces.
	Of string `json:"of,omitempty"`

	// Of what a person did, and of errors.
	By       string          `json:"by,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	From     boundary.Mode   `json:"from,omitempty"` // of a mode; its new one is Mode
	Override string          `json:"override,omitempty"`
	Grant    *boundary.Grant `json:"grant,omitempty"`
	Revoked  bool            `json:"revoked,omitzero"` // of an attestation, or a bypass that a person ended
	// Of a recovery, whose Reason is the cause: where it was looked into, and what was done about it.
	Link string `json:"link,omitempty"`
	Mend string `json:"mend,omitempty"`
}

// Call returns the call of a decision, as far as the journal keeps it: enough to judge it again.
func (l Line) Call() boundary.Call {
	c := boundary.Call{At: l.At, Client: l.Client, Session: l.Session, Tool: l.Tool, OwnTool: l.OwnTool,
		Targets: l.Named, Parts: l.Parts, Reads: l.Reads, Puts: l.Puts, Notes: l.Notes, Homes: l.Homes,
		IsShell: l.Shell, Guarded: agentclient.GuardedInProject()}
	if l.Actor != nil {
		c.Actor = *l.Actor
	}
	if l.Guarded && l.Shell {
		c.Text = ".orchestrator/boundary"
	} else if l.Guarded {
		c.Targets = append(slices.Clone(c.Targets), boundary.Target{Path: ".orchestrator/boundary/policy.json"})
	}
	return c
}
