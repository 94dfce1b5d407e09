package folding

import (
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
)

// keepEnded is how long it is known that a shared window was ended here. A transaction that was held up for longer
// than that would find its window replaced.
const keepEnded = 10 * record.FoldWindow

// shared has the windows in which the processes of one log record refusals: actor NUL role NUL slot. An actor has
// MaxWindows slots, and one more that kinds share whose slot is taken. A window stays until another takes its slot.
var shared = ledger.Table[sharedWindow]{Name: "refusals"}

// sharedWindow is a window as all processes of the log know it. What each of them counts it knows alone.
type sharedWindow struct {
	Kind     record.RefusalKind `json:"kind"`
	From     time.Time          `json:"from"` // of the first record
	Recorded []uint64           `json:"recorded"`
}

// foldShared decides as Fold does, with the window that all processes of the log have in common.
//
// Implements: ORC-373
func (r *Refusals) foldShared(tx *ledger.Tx, t *Ticket, actor audit.Actor, kind record.RefusalKind) (bool, error) {
	key, w, err := sharedWindowOf(tx, actor, kind)
	if err != nil {
		return false, err
	}
	if len(w.Recorded) >= record.RecordedEach {
		return r.countShared(t, actor, w, tx.At()), nil
	}
	r.Restart(t)
	w.Recorded = append(w.Recorded, tx.Seq())
	return false, shared.Keep(tx, key, w)
}

// sharedWindowOf returns the open window of a kind, or else a new one, and its key.
func sharedWindowOf(tx *ledger.Tx, actor audit.Actor, kind record.RefusalKind) (string, sharedWindow, error) {
	key := slotOf(actor, kind)
	w, err := openShared(tx, key)
	if err != nil || w.Kind == kind {
		return key, w, err
	}
	if len(w.Recorded) > 0 { // another kind has the slot
		kind, key = record.RefusalKind{}, slotOf(actor, record.RefusalKind{})
		if w, err = openShared(tx, key); err != nil || len(w.Recorded) > 0 {
			return key, w, err
		}
	}
	return key, sharedWindow{Kind: kind, From: tx.At()}, nil
}

// openShared returns the window of a slot; one that is over is the zero window.
func openShared(tx *ledger.Tx, key string) (sharedWindow, error) {
	w, _, err := shared.Get(tx, key)
	if err != nil || !isOpen(w.From, tx.At()) {
		return sharedWindow{}, err
	}
	return w, nil
}

// isOpen reports whether a window is open at a moment by the clock of a process. The clock of another may have dated
// its beginning.
func isOpen(from, at time.Time) bool {
	passed := at.Sub(from)
	return passed > -record.FoldWindow && passed < record.FoldWindow
}

// slotOf returns the key of the slot of a kind.
func slotOf(actor audit.Actor, kind record.RefusalKind) string {
	of := actor.Name + "\x00" + actor.Role + "\x00"
	if kind == (record.RefusalKind{}) {
		return of + "all"
	}
	h := fnv.New64a()
	for _, part := range []string{kind.Request, kind.Subject, string(kind.Code)} {
		_, _ = io.WriteString(h, part+"\x00") // no hash fails
	}
	return of + strconv.FormatUint(h.Sum64()%MaxWindows, 10)
}

// countShared takes a place among what is only counted, and reports false where the window has been accounted for.
func (r *Refusals) countShared(t *Ticket, actor audit.Actor, of sharedWindow, at time.Time) (folded bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.giveBack(t)
	if _, over := r.ended[of.Recorded[0]]; over || r.closed {
		return false
	}
	mine := r.open[actor]
	if mine == nil {
		mine = map[record.RefusalKind]*window{}
		r.open[actor] = mine
	}
	w := mine[of.Kind]
	if w != nil && w.recorded[0] != of.Recorded[0] {
		r.end(w)
		w = nil
	}
	if w == nil {
		w = &window{actor: actor, kind: of.Kind, begun: of.From, from: of.From, to: of.From, taken: record.RecordedEach,
			recorded: slices.Clone(of.Recorded)}
		mine[of.Kind] = w
	}
	w.newest, t.at = at, at
	r.take(t, w)
	return true
}

// forgetEnded bounds what is known of windows that were ended. Call it under the lock.
func (r *Refusals) forgetEnded(now time.Time) {
	for first, at := range r.ended {
		if now.Sub(at).Abs() >= keepEnded {
			delete(r.ended, first)
		}
	}
}
