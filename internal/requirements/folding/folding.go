// Package folding counts refusals that an actor repeats. Of equal refusals within one window the first few are recorded
// one by one; the rest is only counted, and one record accounts for them when the window is over.
package folding

import (
	"context"
	"slices"
	"sync"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
)

// MaxWindows is how many windows one actor may have open. What is refused beyond shares one window for all kinds.
const MaxWindows = 1000

const (
	foldCheck    = time.Second // how often windows are looked for that are over
	maxSummaries = 500         // in one transaction
)

// Folding says that refusals of an actor are only counted from here on, until their window is over. A kind that is
// empty stands for refusals of any kind.
type Folding struct {
	Actor audit.Actor
	record.RefusalKind
}

// window holds the equal refusals of one actor since the first of them. It is guarded by Refusals.
type window struct {
	actor    audit.Actor
	kind     record.RefusalKind
	begun    time.Time // when the first was decided, in the time of the log
	newest   time.Time // when the last was decided that was not undone since, in the same time
	seen     time.Time // by the clock of the service, when the window was first looked at
	taken    int       // of the places for records
	underway int       // decided, and not known to be durable yet
	recorded []uint64  // the records
	from     time.Time // of the first record
	count    uint64    // refused beyond them
	to       time.Time // when the last of these was
}

// Ticket is the place of one request in a window. Its transaction may run more than once, of which the last run counts.
type Ticket struct {
	window *window
	folded bool      // it is only counted
	seq    uint64    // of its record
	at     time.Time // of the decision
}

// Refusals folds equal refusals. A crash loses what the open windows have counted, and nothing else.
type Refusals struct {
	replica string // tells this process from others with the same log; "" where it has the log to itself

	mu       sync.Mutex
	settled  sync.Cond // underway went down
	underway int
	closed   bool // every refusal is recorded from here on
	open     map[audit.Actor]map[record.RefusalKind]*window
	over     []*window // not accounted for yet
	folded   uint64    // since the start
	begins   func(Folding)
	one      sync.Mutex // flushes one at a time

	ended map[uint64]time.Time // when shared windows were ended here, by their first records
}

// New returns Refusals that have counted nothing. begins is told when refusals of an actor are only counted from here
// on; it may be nil. replica tells this process from others that serve the same log, with which it shares the windows;
// it is "" where there are none.
func New(begins func(Folding), replica string) *Refusals {
	r := &Refusals{replica: replica, begins: begins, open: map[audit.Actor]map[record.RefusalKind]*window{},
		ended: map[uint64]time.Time{}}
	r.settled.L = &r.mu
	return r
}

// Fold decides in the transaction of a refusal whether it is only counted; if not, its record must be appended. The
// ticket must be settled when the transaction is over.
func (r *Refusals) Fold(tx *ledger.Tx, t *Ticket, kind record.RefusalKind, e ledger.Event) (folded bool, err error) {
	if e.Subject != "" {
		known, err := tx.Get(projection.TableRequirements.Name, e.Subject)
		if err != nil {
			return false, err
		}
		if known != nil {
			kind.Subject = e.Subject
		}
	}
	if r.replica != "" {
		return r.foldShared(tx, t, e.Actor, kind)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack(t)
	t.seq, t.at = tx.Seq(), tx.At()
	if !r.closed {
		r.take(t, r.windowOf(e.Actor, kind, t.at))
	}
	return t.folded, nil
}

func (r *Refusals) take(t *Ticket, w *window) {
	w.underway++
	r.underway++
	t.window, t.folded = w, w.taken == record.RecordedEach
	if !t.folded {
		w.taken++
	}
}

// Restart forgets what an earlier run of the same transaction took.
func (r *Refusals) Restart(t *Ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack(t)
}

func (r *Refusals) giveBack(t *Ticket) {
	w := t.window
	if w == nil {
		return
	}
	if !t.folded {
		w.taken--
	}
	t.window, t.folded = nil, false
	r.leave(w)
}

func (r *Refusals) leave(w *window) {
	w.underway--
	r.underway--
	r.settled.Broadcast()
}

// Settle accounts for what became of the transaction. Nothing is counted that was not answered.
func (r *Refusals) Settle(t *Ticket, err error) {
	r.mu.Lock()
	w := t.window
	if w == nil || err != nil {
		r.giveBack(t)
		r.mu.Unlock()
		return
	}
	begins := t.folded && w.count == 0
	if t.folded {
		w.count++
		r.folded++
		w.to = slices.MaxFunc([]time.Time{w.to, t.at}, time.Time.Compare)
	} else {
		if len(w.recorded) == 0 || t.at.Before(w.from) {
			w.from = t.at
		}
		w.recorded = append(w.recorded, t.seq)
	}
	t.window = nil // it stays as it is
	r.leave(w)
	r.mu.Unlock()
	if begins && r.begins != nil {
		r.begins(Folding{w.actor, w.kind})
	}
}

// windowOf finds the open window of a kind, or opens one.
func (r *Refusals) windowOf(actor audit.Actor, kind record.RefusalKind, at time.Time) *window {
	mine := r.open[actor]
	if mine == nil {
		mine = map[record.RefusalKind]*window{}
		r.open[actor] = mine
	}
	if mine[kind] == nil && len(mine) >= MaxWindows {
		kind = record.RefusalKind{}
	}
	w := mine[kind]
	if w != nil && (at.Sub(w.begun) >= record.FoldWindow || at.Before(w.newest)) { // the clock may have been set back
		r.end(w)
		w = nil
	}
	if w == nil {
		w = &window{actor: actor, kind: kind, begun: at}
		mine[kind] = w
	}
	w.newest = at
	return w
}

// end closes a window. What it has counted, or may still come to, is left to be accounted for.
func (r *Refusals) end(w *window) {
	delete(r.open[w.actor], w.kind)
	if r.replica != "" {
		r.ended[w.recorded[0]] = w.newest
	}
	if w.underway > 0 || w.count > 0 {
		r.over = append(r.over, w)
	}
}

// due closes the windows that are over, all of them when the service ends, and returns those to account for. A window
// is timed from when it was first looked at.
func (r *Refusals) due(now time.Time) []*window {
	r.mu.Lock()
	defer r.mu.Unlock()
	for actor, mine := range r.open {
		for _, w := range mine {
			if w.seen.IsZero() {
				w.seen = now
			}
			if r.closed || now.Sub(w.seen) >= record.FoldWindow && (r.replica == "" || !isOpen(w.begun, now)) {
				r.end(w)
			}
		}
		if len(mine) == 0 {
			delete(r.open, actor)
		}
	}
	r.over = slices.DeleteFunc(r.over, func(w *window) bool { return w.underway == 0 && w.count == 0 })
	r.forgetEnded(now)
	var found []*window
	for _, w := range r.over {
		if w.underway == 0 {
			slices.Sort(w.recorded)
			found = append(found, w)
		}
	}
	return found
}

func (r *Refusals) accountedFor(done []*window) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range done {
		w.count = 0
	}
}

// close lets every further refusal be recorded by itself, and returns when the decisions under way are made.
func (r *Refusals) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for r.underway > 0 {
		r.settled.Wait()
	}
}

// Total returns how many refusals were only counted since the start.
func (r *Refusals) Total() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.folded
}

// Open returns how many windows each actor has open.
func (r *Refusals) Open() map[audit.Actor]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	open := make(map[audit.Actor]int, len(r.open))
	for actor, mine := range r.open {
		open[actor] = len(mine)
	}
	return open
}

// Underway returns how many refusals are decided, and not known to be durable yet.
func (r *Refusals) Underway() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.underway
}

// event accounts for what a window has counted. The window is over: nobody changes it any more.
func (r *Refusals) event(w *window) ledger.Event {
	return ledger.Event{Kind: record.KindFolded, Actor: ledger.System(), Subject: w.kind.Subject,
		Data: record.RefusalsFolded{
			Actor: w.actor, Request: w.kind.Request, Code: w.kind.Code, Count: w.count, From: w.from, To: w.to,
			Recorded: w.recorded, Replica: r.replica,
		}}
}

// Run accounts for folded refusals until ctx ends, and then for all that are left. What could not be written is
// tried again; only the last error is returned.
func (r *Refusals) Run(ctx context.Context, l *ledger.Ledger, clock func() time.Time) error {
	ticks := time.NewTicker(foldCheck)
	defer ticks.Stop()
	for ctx.Err() == nil {
		select {
		case <-ticks.C:
			_ = r.Account(ctx, l, clock()) // it stays due
		case <-ctx.Done():
		}
	}
	r.close()
	return r.Account(context.WithoutCancel(ctx), l, clock())
}

// Account puts on record what the windows that are over have counted.
func (r *Refusals) Account(ctx context.Context, l *ledger.Ledger, now time.Time) error {
	r.one.Lock()
	defer r.one.Unlock()
	for part := range slices.Chunk(r.due(now), maxSummaries) {
		err := l.Update(ctx, func(tx *ledger.Tx) error {
			for _, w := range part {
				if err := tx.Append(r.event(w)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		r.accountedFor(part)
	}
	return nil
}
