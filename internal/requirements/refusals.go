package requirements

import (
	"slices"
	"sync"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
)

const (
	foldCheck    = time.Second // how often windows are looked for that are over
	maxWindows   = 1000        // that one actor may have open; what is refused beyond shares one window for all kinds
	maxSummaries = 500         // in one transaction
)

// Folding says that refusals of an actor are only counted from here on, until their window is over. A kind that is
// empty stands for refusals of any kind.
type Folding struct {
	Actor audit.Actor
	record.RefusalKind
}

// refusalWindow holds the equal refusals of one actor since the first of them. It is guarded by refusals.
type refusalWindow struct {
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

// ticket is the place of one request in a window. Its transaction may run more than once, of which the last run counts.
type ticket struct {
	window *refusalWindow
	folded bool      // it is only counted
	seq    uint64    // of its record
	at     time.Time // of the decision
}

// refusals folds equal refusals. A crash loses what the open windows have counted, and nothing else.
type refusals struct {
	mu       sync.Mutex
	settled  sync.Cond // underway went down
	underway int
	closed   bool // every refusal is recorded from here on
	open     map[audit.Actor]map[record.RefusalKind]*refusalWindow
	over     []*refusalWindow // not accounted for yet
	folded   uint64           // since the start
	begins   func(Folding)
	one      sync.Mutex // flushes one at a time
}

func (r *refusals) init(begins func(Folding)) {
	r.settled.L, r.begins, r.open = &r.mu, begins, map[audit.Actor]map[record.RefusalKind]*refusalWindow{}
}

// fold decides in the transaction of a refusal whether it is only counted; if not, its record must be appended. The
// ticket must be settled when the transaction is over.
func (r *refusals) fold(tx *ledger.Tx, t *ticket, kind record.RefusalKind, e ledger.Event) (folded bool, err error) {
	if e.Subject != "" {
		known, err := tx.Get(projection.TableRequirements.Name, e.Subject)
		if err != nil {
			return false, err
		}
		if known != nil {
			kind.Subject = e.Subject
		}
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

func (r *refusals) take(t *ticket, w *refusalWindow) {
	w.underway++
	r.underway++
	t.window, t.folded = w, w.taken == record.RecordedEach
	if !t.folded {
		w.taken++
	}
}

// restart forgets what an earlier run of the same transaction took.
func (r *refusals) restart(t *ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack(t)
}

func (r *refusals) giveBack(t *ticket) {
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

func (r *refusals) leave(w *refusalWindow) {
	w.underway--
	r.underway--
	r.settled.Broadcast()
}

// settle accounts for what became of the transaction. Nothing is counted that was not answered.
func (r *refusals) settle(t *ticket, err error) {
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
func (r *refusals) windowOf(actor audit.Actor, kind record.RefusalKind, at time.Time) *refusalWindow {
	mine := r.open[actor]
	if mine == nil {
		mine = map[record.RefusalKind]*refusalWindow{}
		r.open[actor] = mine
	}
	if mine[kind] == nil && len(mine) >= maxWindows {
		kind = record.RefusalKind{}
	}
	w := mine[kind]
	if w != nil && (at.Sub(w.begun) >= record.FoldWindow || at.Before(w.newest)) { // the clock may have been set back
		r.end(w)
		w = nil
	}
	if w == nil {
		w = &refusalWindow{actor: actor, kind: kind, begun: at}
		mine[kind] = w
	}
	w.newest = at
	return w
}

// end closes a window. What it has counted, or may still come to, is left to be accounted for.
func (r *refusals) end(w *refusalWindow) {
	delete(r.open[w.actor], w.kind)
	if w.underway > 0 || w.count > 0 {
		r.over = append(r.over, w)
	}
}

// due closes the windows that are over, all of them when the service ends, and returns those to account for. A window
// is timed from when it was first looked at.
func (r *refusals) due(now time.Time) []*refusalWindow {
	r.mu.Lock()
	defer r.mu.Unlock()
	for actor, mine := range r.open {
		for _, w := range mine {
			if w.seen.IsZero() {
				w.seen = now
			}
			if r.closed || now.Sub(w.seen) >= record.FoldWindow {
				r.end(w)
			}
		}
		if len(mine) == 0 {
			delete(r.open, actor)
		}
	}
	r.over = slices.DeleteFunc(r.over, func(w *refusalWindow) bool { return w.underway == 0 && w.count == 0 })
	var found []*refusalWindow
	for _, w := range r.over {
		if w.underway == 0 {
			slices.Sort(w.recorded)
			found = append(found, w)
		}
	}
	return found
}

func (r *refusals) accountedFor(done []*refusalWindow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range done {
		w.count = 0
	}
}

// close lets every further refusal be recorded by itself, and returns when the decisions under way are made.
func (r *refusals) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for r.underway > 0 {
		r.settled.Wait()
	}
}

func (r *refusals) total() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.folded
}

// event accounts for what a window has counted. The window is over: nobody changes it any more.
func (w *refusalWindow) event() ledger.Event {
	return ledger.Event{Kind: record.KindFolded, Actor: ledger.System(), Subject: w.kind.Subject,
		Data: record.RefusalsFolded{
			Actor: w.actor, Request: w.kind.Request, Code: w.kind.Code, Count: w.count, From: w.from, To: w.to,
			Recorded: w.recorded,
		}}
}
