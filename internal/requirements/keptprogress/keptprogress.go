// Package keptprogress keeps up the progress of the project for as long as it is asked for.
package keptprogress

import (
	"context"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/keptreview"
	"orchestrator/internal/requirements/presence"
	"orchestrator/internal/requirements/progress"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/turn"
)

// keep is how long what was read is kept for the next time.
const keep = 5 * time.Minute

// From is where progress is read from.
type From struct {
	Ledger *ledger.Ledger
	Log    *keptreview.Log
	Newest func() *projection.Snapshot
	Clock  func() time.Time
}

// Progress keeps what was read for as long as progress is asked for. It is safe for concurrent use: one at a time reads
// what is new, and the next goes on from there.
type Progress struct {
	From

	turn    turn.Turn
	idle    turn.Idle // of who has the turn, as is all that follows
	rows    progress.Rows
	present presence.Presence
}

// New returns progress of which nothing was read.
func New(from From) *Progress { return &Progress{From: from, turn: turn.New()} }

// Now returns the progress of the project as it is published.
func (k *Progress) Now(ctx context.Context) (progress.Progress, error) {
	if err := k.turn.Take(ctx); err != nil {
		return progress.Progress{}, err
	}
	defer k.turn.Leave()
	k.idle.StayAwake(k.turn, keep, k.drop)
	snap := k.Newest() // with the turn, so that none is older than the one before
	log, err := k.Log.Verify(ctx, k.Ledger)
	if err != nil {
		return progress.Progress{}, err
	}
	if log.Problem != "" {
		return progress.Progress{}, fault.New(fault.Internal, store.CodeDamaged,
			"progress cannot be told, since the log cannot be verified: %s", log.Problem).
			WithFix("run orchestrator verify, and put back the last good copy of the database")
	}
	if err := k.present.Read(ctx, k.Ledger, log.Imports, snap.Head.Size); err != nil {
		return progress.Progress{}, err
	}
	return k.rows.Of(progress.Input{AsOf: snap.Head.Size, At: k.Clock().UTC().Truncate(time.Minute),
		Workflow: snap.Project.Workflow(), Present: &k.present, Actors: log.Actors}, snap.All()), nil
}

func (k *Progress) drop() { k.rows, k.present = progress.Rows{}, presence.Presence{} }
