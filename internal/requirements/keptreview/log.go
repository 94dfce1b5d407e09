package keptreview

import (
	"cmp"
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/ondisk"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/turn"
)

// Log keeps how far the log was verified, and what it holds of imports and attempts. It grows with the log, so that
// only what is new is read. It is safe for concurrent use.
type Log struct {
	turn     turn.Turn
	head     audit.Head
	imports  []uint64
	attempts lookup.Attempts
}

// Verified is what a log tells that was verified up to its end. Where that has found a problem, it tells no more.
type Verified struct {
	review.Log

	Actors  []review.ActorCount // what became of the attempts of each, by name and role
	Imports []uint64            // the numbers of the records that import or rename requirements
}

// NewLog returns a log of which nothing was read.
func NewLog() *Log { return &Log{turn: turn.New()} }

// Verify verifies the log up to its present end.
func (k *Log) Verify(ctx context.Context, l *ledger.Ledger) (Verified, error) {
	if err := k.turn.Take(ctx); err != nil {
		return Verified{}, err
	}
	defer k.turn.Leave()
	head, err := l.VerifyFrom(ctx, k.head, k.note)
	if ctx.Err() != nil || l.Err() != nil {
		k.forget() // what was noted beyond the head would be noted twice
		return Verified{}, cmp.Or(l.Err(), ctx.Err())
	}
	log := review.Log{Size: l.Head().Size, VerifiedUpTo: head.Size, Root: head.Root.String()}
	if err != nil {
		log.Problem = ondisk.Why(err)
		k.forget()
		return Verified{Log: log}, nil
	}
	k.head, log.Size = head, head.Size
	return Verified{log, k.attempts.Actors(), k.imports}, nil
}

func (k *Log) note(rec audit.Record) {
	if rec.Kind == record.KindImported || rec.Kind == record.KindRenamed {
		k.imports = append(k.imports, rec.Seq)
	}
	k.attempts.Count(rec)
}

func (k *Log) forget() { k.head, k.imports, k.attempts = audit.Head{}, nil, lookup.Attempts{} }
