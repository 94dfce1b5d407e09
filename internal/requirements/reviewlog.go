package requirements

import (
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
