// Package record is what the log has of webhooks: which were added and removed, and to which host each leads. Secrets,
// and what of a URL may be one, are not in it.
//
// Keys written: webhooks/webhooks.
package record

import (
	"context"
	"fmt"
	"slices"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/webhook/hook"
)

// The kinds of records, each with the type of its data.
const (
	KindAdded   = "webhook.added"   // Added
	KindRemoved = "webhook.removed" // Removed
)

// Kinds returns the kinds of the records.
func Kinds() []string { return []string{KindAdded, KindRemoved} }

// Added says that records are told to a host from here on.
type Added struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Host string `json:"host"` // with its scheme and port
	URL  string `json:"url_sha256"`

	Kinds        []string `json:"kinds,omitempty"`
	Roles        []string `json:"roles,omitempty"`
	Requirements []string `json:"requirements,omitempty"`
	Allow        []string `json:"allow_addresses,omitempty"`
	Link         string   `json:"link,omitempty"`
}

// Removed says that nothing is told any more.
type Removed struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// InForce is a hook that the log knows, and the number of its record.
type InForce struct {
	Added
	Record uint64 `json:"record"`
}

// table has the hooks that the log knows, in the order of their records.
var table = ledger.Table[[]InForce]{Name: "webhooks"}

const key = "webhooks"

// subjectOf returns what the records of a hook are about.
func subjectOf(name string) string { return "webhook/" + name }

func addedOf(h hook.Hook) Added {
	return Added{ID: h.ID, Name: h.Name, Host: h.Host(), URL: ledger.Digest([]byte(h.URL)), Kinds: h.Kinds,
		Roles: h.Roles, Requirements: h.Requirements, Allow: h.Allow, Link: h.Link}
}

func (a Added) same(b Added) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Host == b.Host && a.URL == b.URL && a.Link == b.Link &&
		slices.Equal(a.Kinds, b.Kinds) && slices.Equal(a.Roles, b.Roles) &&
		slices.Equal(a.Requirements, b.Requirements) && slices.Equal(a.Allow, b.Allow)
}

// Account puts on record which hooks are new and which are gone, and returns the number of the record that added each,
// by its name. One that was changed is both. It must have returned before the hooks are in force; the same ones are no
// record.
//
// Implements: ORC-320
func Account(ctx context.Context, l *ledger.Ledger, hooks hook.Roster) (since map[string]uint64, err error) {
	err = l.Update(ctx, func(tx *ledger.Tx) error {
		before, _, err := table.Get(tx, key)
		if err != nil {
			return err
		}
		after, events := next(before, hooks, tx.Seq())
		if since = map[string]uint64{}; len(events) > 0 {
			if _, err := table.Put(tx, key, after); err != nil {
				return err
			}
		}
		for _, one := range after {
			since[one.Name] = one.Record
		}
		for _, e := range events {
			if err := tx.Append(e); err != nil {
				return err
			}
		}
		return nil
	})
	return since, err
}

// Agreed returns the number of the record that added each hook that is on record as it is, by its name, and whether
// there are others on either side.
func Agreed(ctx context.Context, l *ledger.Ledger,
	hooks hook.Roster) (since map[string]uint64, differ bool, err error) {
	var onRecord []InForce
	err = l.View(ctx, func(r store.Reader) (err error) {
		onRecord, _, err = table.Get(r, key)
		return err
	})
	since = map[string]uint64{}
	for _, h := range hooks {
		for _, b := range onRecord {
			if b.same(addedOf(h)) {
				since[h.Name] = b.Record
			}
		}
	}
	return since, len(since) != len(hooks) || len(since) != len(onRecord), err
}

// next returns the hooks in force after those before, and the records that say so, of which the first has a number.
func next(before []InForce, hooks hook.Roster, number uint64) (after []InForce, events []ledger.Event) {
	event := func(kind, name string, data any) {
		events = append(events, ledger.Event{Kind: kind, Subject: subjectOf(name), Actor: ledger.System(), Data: data})
	}
	for _, b := range before {
		if slices.ContainsFunc(hooks, func(h hook.Hook) bool { return b.same(addedOf(h)) }) {
			after = append(after, b)
			continue
		}
		event(KindRemoved, b.Name, Removed{b.ID, b.Name})
	}
	kept := len(after)
	for _, h := range hooks {
		added := addedOf(h)
		if slices.ContainsFunc(after[:kept], func(b InForce) bool { return b.same(added) }) {
			continue
		}
		after = append(after, InForce{added, number + uint64(len(events))})
		event(KindAdded, h.Name, added)
	}
	return after, events
}

// check refuses a record of somebody else, or about something else.
func check(record audit.Record, name string) error {
	switch {
	case record.Actor != ledger.System():
		return fmt.Errorf("%q recorded a webhook, which the service does by itself", record.Actor.Name)
	case record.Subject != subjectOf(name):
		return fmt.Errorf("it has the webhook %s, and is about %q", name, record.Subject)
	}
	return nil
}
