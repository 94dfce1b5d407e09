package boundary

import (
	"slices"
	"time"
)

// Attestable is something that no journal shows and a person vouches for, before the boundary blocks.
type Attestable struct {
	Item string // by which a person names it
	Name string // of its check
	What string // what is vouched for
}

// feedback is the item that a rollback makes out of date: what people said of it has to be dealt with.
const feedback = "feedback"

// Attestables returns what a person vouches for.
func Attestables() []Attestable {
	return []Attestable{
		{"team", "team briefed", "everybody knows what is blocked, how to delegate and how to bypass"},
		{"documents", "documents updated", "the instructions of clients and other documents say what changes"},
		{"workflows", "workflows covered", "every change that the work needs can be delegated to an agent"},
		{feedback, "feedback collected", "users were asked, and their answers were dealt with"},
	}
}

// AttestableItems returns the items by which a person names what is vouched for.
func AttestableItems() (items []string) {
	for _, a := range Attestables() {
		items = append(items, a.Item)
	}
	return items
}

// Attestation is what a person vouched for, or took back.
type Attestation struct {
	Item    string    `json:"item"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	Note    string    `json:"note"`
	Revoked bool      `json:"revoked"`
}

// attestationChecks has a check for each item: the latest statement counts.
func attestationChecks(f Figures) (all []Check) {
	for _, a := range Attestables() {
		c := Check{Name: a.Name, Value: "not attested", Threshold: "attested",
			Fix: "once " + a.What + ": orchestrator boundary attest " + a.Item + " --note TEXT"}
		i := slices.IndexFunc(f.Attestations, func(known Attestation) bool { return known.Item == a.Item })
		if i >= 0 {
			c.settle(f.Attestations[i], f.Recovery)
		}
		all = append(all, c)
	}
	return all
}

// settle fills in a check by the latest statement.
func (c *Check) settle(a Attestation, r *Recovery) {
	who := a.At.UTC().Format(time.DateOnly) + " by " + clip(oneLine(a.By), 80)
	switch {
	case a.Revoked:
		c.Value = "revoked on " + who + ": " + clip(oneLine(a.Note), 80)
	case a.Item == feedback && r != nil && a.At.Before(r.RolledBack):
		c.Value = "attested on " + who + ", before the rollback"
	default:
		c.Value, c.Passed = "attested on "+who, true
	}
}
