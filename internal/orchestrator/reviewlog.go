package orchestrator

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"orchestrator/internal/audit"
	"orchestrator/internal/review"
	"orchestrator/internal/rules/lifecycle"
)

// logReview is how far the log was verified, and what became of the attempts that it holds. It grows with the log, so
// that a review reads only what is new.
type logReview struct {
	mu     sync.Mutex
	head   audit.Head
	actors map[audit.Actor]review.ActorCount
}

// reviewLog verifies the log up to its present end and counts the attempts of each actor, by name and role.
func (s *Service) reviewLog(ctx context.Context) (review.Log, []review.ActorCount, error) {
	l := &s.logReview
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.actors == nil {
		l.actors = map[audit.Actor]review.ActorCount{}
	}
	head, err := s.ledger.VerifyFrom(ctx, l.head, l.count)
	if ctx.Err() != nil || s.ledger.Err() != nil {
		l.head, l.actors = audit.Head{}, nil // what was counted beyond the head would be counted twice
		return review.Log{}, nil, cmp.Or(s.ledger.Err(), ctx.Err())
	}
	log := review.Log{Size: s.ledger.Head().Size, VerifiedUpTo: head.Size, Root: head.Root.String()}
	if err != nil {
		log.Problem = refusalText(err)
		l.head, l.actors = audit.Head{}, nil
		return log, nil, nil
	}
	l.head, log.Size = head, head.Size
	return log, slices.SortedFunc(maps.Values(l.actors), byActor), nil
}

func byActor(a, b review.ActorCount) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Role, b.Role))
}

func (l *logReview) count(record audit.Record) {
	n := l.actors[record.Actor]
	n.Name, n.Role = record.Actor.Name, lifecycle.Role(record.Actor.Role)
	switch record.Kind {
	case kindChanged:
		n.Accepted++
	case kindRefused, kindRequestRefused:
		n.Refused++
	default:
		return
	}
	l.actors[record.Actor] = n
}
