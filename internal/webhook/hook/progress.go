package hook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"orchestrator/internal/fault"
)

// CodeNothing is the code of a replay of what there is not.
const CodeNothing fault.Code = "nothing_to_replay"

// mostDead is how many spans of dead letters are kept apart. The oldest become one beyond that, in which a message may
// be that did arrive.
const mostDead = 100

// Keeper keeps how far hooks have come.
type Keeper interface {
	// Progress returns how far a hook has come; found is false where it has not begun.
	Progress(ctx context.Context, h Hook) (p Progress, found bool, err error)
	// Advance changes how far a hook has come, which begins with start, and returns it when it is durable. It may call
	// change twice, with the same progress.
	Advance(ctx context.Context, h Hook, start uint64, change func(*Progress) error) (Progress, error)
}

// Span is the records from one number to another, both included.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Dead is a span of records whose messages were given up, except those that the hook does not follow.
type Dead struct {
	Span
	Count uint64    `json:"count"`
	Why   string    `json:"why"` // the last one
	At    time.Time `json:"at"`
}

// Failing says since when each try has failed.
type Failing struct {
	Since time.Time `json:"since"`
	Tries int       `json:"tries"`
	Why   string    `json:"why"`
}

// Progress is how far a hook has come. A record is passed only when its message arrived or was given up.
type Progress struct {
	Hook    string    `json:"hook"`             // its id
	Next    uint64    `json:"next"`             // the first record that was not looked at
	Again   []Span    `json:"again,omitempty"`  // what comes before that, in this order
	Dead    []Dead    `json:"dead,omitempty"`   // oldest first
	Failing *Failing  `json:"failing,omitzero"` // nil where the last try did not fail
	Sent    uint64    `json:"sent"`             // messages that arrived, since the hook was added
	LastAt  time.Time `json:"last_sent,omitzero"`
}

// Due returns which records come next, the last one not included.
func (p *Progress) Due() (from, until uint64) {
	if len(p.Again) > 0 {
		return p.Again[0].From, p.Again[0].To + 1
	}
	return p.Next, 1<<63 - 1
}

// Pass passes records up to one, from one that was due.
func (p *Progress) Pass(from, to uint64) {
	if to >= p.Next {
		p.Next = to + 1
	}
	var left []Span
	for _, s := range p.Again {
		if s.From < from {
			left = append(left, Span{s.From, min(s.To, from-1)})
		}
		if s.To > to {
			left = append(left, Span{max(s.From, to+1), s.To})
		}
	}
	p.Again = left
}

// Arrived notes messages that have arrived, the last one at a moment, about records that were passed.
func (p *Progress) Arrived(messages uint64, last time.Time) {
	p.Failing, p.LastAt = nil, last
	p.Sent += messages
}

// Failed notes a try that failed.
func (p *Progress) Failed(why string, now time.Time) {
	if p.Failing == nil {
		p.Failing = &Failing{Since: now}
	}
	p.Failing.Tries++
	p.Failing.Why = why
}

// Hopeless reports whether a message that fails is given up: its record is older than the patience, and nothing has
// arrived for as long.
func (p *Progress) Hopeless(recorded, now time.Time) bool {
	return p.Failing != nil && now.Sub(p.Failing.Since) >= Patience && now.Sub(recorded) >= Patience
}

// GiveUp passes the record that is due, whose message becomes a dead letter.
func (p *Progress) GiveUp(record uint64, why string, now time.Time) {
	p.Pass(record, record)
	if i := len(p.Dead) - 1; i >= 0 && p.Failing != nil {
		// Nothing has arrived since then.
		if last := p.Dead[i]; record > last.To && !last.At.Before(p.Failing.Since) {
			p.Dead[i] = Dead{Span{last.From, record}, last.Count + 1, why, now}
			return
		}
	}
	p.Dead = append(p.Dead, Dead{Span{record, record}, 1, why, now})
	if len(p.Dead) > mostDead {
		a, b := p.Dead[0], p.Dead[1]
		b.From, b.To, b.Count = min(a.From, b.From), max(a.To, b.To), a.Count+b.Count
		p.Dead = slices.Replace(p.Dead, 0, 2, b)
	}
}

// Letters returns how many messages were given up.
func (p *Progress) Letters() (n uint64) {
	for _, d := range p.Dead {
		n += d.Count
	}
	return n
}

// Replay marks the records from a number on to be sent again, before any other.
func (p *Progress) Replay(since uint64) error {
	if since >= p.Next {
		return fault.New(fault.Conflict, CodeNothing, "the webhook has not come to record %d yet", since).
			WithFix("give a number below %d, or wait: what comes is sent anyway", p.Next)
	}
	p.again(Span{since, p.Next - 1})
	return nil
}

// ReplayDead marks all dead letters to be sent again, and returns how many.
func (p *Progress) ReplayDead() (uint64, error) {
	n := p.Letters()
	if n == 0 {
		return 0, fault.New(fault.Conflict, CodeNothing, "the webhook has no dead letters").
			WithFix("--since NUMBER sends again what arrived")
	}
	for _, d := range p.Dead {
		p.again(d.Span)
	}
	p.Dead = nil
	return n, nil
}

// again adds a span to what is sent again, each record once and in order.
func (p *Progress) again(s Span) {
	all := append(slices.Clone(p.Again), s)
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	p.Again = all[:1]
	for _, s := range all[1:] {
		if last := &p.Again[len(p.Again)-1]; s.From <= last.To+1 {
			last.To = max(last.To, s.To)
		} else {
			p.Again = append(p.Again, s)
		}
	}
}

// Within keeps a progress within a log that has fewer records, such as one from a backup.
func (p *Progress) Within(size uint64) (was bool) {
	if p.Next <= size {
		return true
	}
	p.Next, p.Again, p.Dead = size, nil, nil
	return false
}
