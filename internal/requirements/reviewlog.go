package requirements

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
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
func (s *Reviews) reviewLog(ctx context.Context) (review.Log, []review.ActorCount, error) {
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

func (l *logReview) count(rec audit.Record) {
	switch rec.Kind {
	case record.KindChanged:
		l.add(rec.Actor, 1, 0)
	case record.KindRefused, record.KindRequestRefused:
		l.add(rec.Actor, 0, 1)
	case record.KindFolded:
		var data record.RefusalsFolded
		if jsonv2.Unmarshal(rec.Data, &data) == nil { // another shape is for Verify to find
			l.add(data.Actor, 0, int(data.Count))
		}
	}
}

func (l *logReview) add(actor audit.Actor, accepted, refused int) {
	n := l.actors[actor]
	n.Name, n.Role = actor.Name, lifecycle.Role(actor.Role)
	n.Accepted += accepted
	n.Refused += refused
	l.actors[actor] = n
}
