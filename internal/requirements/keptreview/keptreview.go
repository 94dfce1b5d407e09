// Package keptreview keeps up the review of the project for as long as it is asked for.
package keptreview

import (
	"context"
	"time"

	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/turn"
)

// keep is how long the rows of a review are kept for the next one.
const keep = 5 * time.Minute

// Rows keeps the rows of the last review for as long as reviews are asked for. It is safe for concurrent use: one
// review at a time judges requirements, and the next begins with what that one found, but none waits for what another
// one asks of git.
//
// Implements: ORC-300
type Rows struct {
	turn  turn.Turn
	rows  review.Rows // of who has the turn, as is all that follows
	since uint64      // how many reviews have left rows, or dropped them
	idle  turn.Idle
}

// New returns rows that have nothing yet.
func New() *Rows { return &Rows{turn: turn.New()} }

// Full reviews the project as a snapshot has it. It ends with an error when the context does.
func (k *Rows) Full(ctx context.Context, in review.Input, snap *projection.Snapshot,
	dirty func([]string) map[string]bool) (review.Encoded, error) {
	if err := k.turn.Take(ctx); err != nil {
		return review.Encoded{}, err
	}
	judging, since := true, k.since
	defer func() {
		if judging {
			k.turn.Leave()
		}
	}()
	k.idle.StayAwake(k.turn, keep, func() { k.leave(review.Rows{}) })
	rows := k.rows
	full := rows.Full(in, sourcesOf(snap), func(paths []string) map[string]bool {
		k.leave(rows)
		since, judging = k.since, false
		k.turn.Leave()
		return dirty(paths)
	})
	if err := k.turn.Take(ctx); err != nil { // also where git was not asked to the end
		return review.Encoded{}, err
	}
	if judging = true; k.since == since { // those of a review that came meanwhile are newer
		k.leave(rows)
	}
	return full, nil
}

// leave leaves rows to the next review.
func (k *Rows) leave(rows review.Rows) {
	k.rows = rows
	k.since++
}

func sourcesOf(snap *projection.Snapshot) func(func(string, review.Source) bool) {
	return func(yield func(string, review.Source) bool) {
		for e := range snap.All() {
			if !yield(e.Summary.ID, e) {
				return
			}
		}
	}
}
