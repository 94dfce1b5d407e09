package keptreview

import (
	"cmp"
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/ondisk"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/turn"
)

// Log keeps how far the log was verified, and what became of the attempts that it holds. It grows with the log, so that
// only what is new is read. It is safe for concurrent use.
type Log struct {
	turn     turn.Turn
	head     audit.Head
	attempts lookup.Attempts
}

// NewLog returns a log of which nothing was read.
func NewLog() *Log { return &Log{turn: turn.New()} }

// Verify verifies the log up to its present end and counts the attempts of each actor, by name and role.
func (k *Log) Verify(ctx context.Context, l *ledger.Ledger) (review.Log, []review.ActorCount, error) {
	if err := k.turn.Take(ctx); err != nil {
		return review.Log{}, nil, err
	}
	defer k.turn.Leave()
	head, err := l.VerifyFrom(ctx, k.head, k.attempts.Count)
	if ctx.Err() != nil || l.Err() != nil {
		k.forget() // what was counted beyond the head would be counted twice
		return review.Log{}, nil, cmp.Or(l.Err(), ctx.Err())
	}
	log := review.Log{Size: l.Head().Size, VerifiedUpTo: head.Size, Root: head.Root.String()}
	if err != nil {
		log.Problem = ondisk.Why(err)
		k.forget()
		return log, nil, nil
	}
	k.head, log.Size = head, head.Size
	return log, k.attempts.Actors(), nil
}

func (k *Log) forget() { k.head, k.attempts = audit.Head{}, lookup.Attempts{} }
