package requirements

import (
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/requirements/loading"
	"orchestrator/internal/requirements/projection"
)

// follower keeps the snapshot up with the log, whoever writes to it.
//
// Implements: ORC-353
type follower struct {
	*shared

	published func() // is told of each new snapshot
}

func (f follower) ofLedger() ledger.Follower {
	return ledger.Follower{Load: f.load, Told: f.follow, Tables: append(loading.Tables(), credentials.Table)}
}

// load publishes the state that the store has at a head of the log.
func (f follower) load(r store.Reader, head audit.Head) error {
	snap, err := loading.Snapshot(r, head)
	if err != nil {
		return err
	}
	again := f.current.Load() != nil
	f.publish(snap)
	if !again || f.options.OnCommits == nil {
		return nil
	}
	all, err := credentials.Stored(r) // what was written meanwhile is not known one by one
	if err == nil {
		f.options.OnCommits([]ledger.Commit{{Head: head, Writes: all}})
	}
	return err
}

// follow publishes durable commits as one new snapshot.
func (f follower) follow(batch []ledger.Commit) {
	f.publish(f.current.Load().After(batch))
	if f.options.OnCommits != nil {
		f.options.OnCommits(batch)
	}
}

func (f follower) publish(snap *projection.Snapshot) {
	before := f.current.Swap(snap)
	if before != nil && before.Project.Branch != snap.Project.Branch && f.options.Repository != nil {
		f.options.Repository.Follow(snap.Project.Branch) // which another replica may have put on record
	}
	f.published()
}
