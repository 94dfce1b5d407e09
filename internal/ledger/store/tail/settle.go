package tail

import (
	"context"
	"errors"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/overlay"
	"orchestrator/internal/ledger/store/wal"
)

// readyWAL reports whether the WAL takes the next batch.
func (t *Tail) readyWAL() (bool, error) {
	if t.failed {
		if err := t.closeWAL(); err != nil {
			return false, err
		}
	}
	if t.log == nil {
		if err := t.adopt(); err != nil {
			return false, err
		}
	}
	if t.log == nil {
		return false, nil
	}
	if t.log.Used() >= t.turnAt {
		t.turn()
	}
	if !t.log.Fits(maxBatch) { // the file does not have the other half yet
		if err := t.settle(); err != nil {
			return false, err
		}
		t.turn()
	}
	return true, nil
}

// turn lets the halves change places, unless the file does not have the old layer yet.
func (t *Tail) turn() {
	l := t.layers.Load()
	if t.log == nil || l.old.Len() > 0 || l.young.Len() == 0 {
		return
	}
	t.mark.Applied = t.log.Last()
	t.swap(func(now layers) layers { return layers{overlay.New(), now.young, now.moves + 1} })
	t.log.Turn()
	select {
	case t.turned <- struct{}{}:
	default:
	}
}

// settleAll gives the file everything.
func (t *Tail) settleAll() error {
	if err := t.settle(); err != nil {
		return err
	}
	t.turn()
	return t.settle()
}

// settle gives the file the old layer, while batches are appended and Views begin: they see no change that is not
// durable, since the WAL has it. After an error of want of room it can be tried again.
func (t *Tail) settle() error {
	t.settling.Lock()
	defer t.settling.Unlock()
	old := t.layers.Load().old
	if old.Len() == 0 {
		return nil
	}
	err := t.file.UpdateBeside(context.Background(), func(tx store.Tx) error {
		if err := putAll(tx, old.All()); err != nil {
			return err
		}
		return t.stamp(tx)
	})
	if err == nil {
		t.swap(func(now layers) layers { return layers{young: now.young, moves: now.moves + 1} })
	}
	if errors.Is(err, fault.InsufficientStorage) {
		t.stuck.Store(&err)
	} else {
		t.stuck.Store(nil)
	}
	return err
}

// makeWAL makes a WAL, where there is room for one, for a later batch to begin with.
func (t *Tail) makeWAL() {
	if free, err := t.file.Free(); err != nil || free < minFree {
		return
	}
	if j, err := wal.Create(t.path); err == nil {
		t.made <- j
	}
}

// adopt takes a WAL that has been made, if the file has everything, and notes in the file that there is one.
func (t *Tail) adopt() error {
	if !t.layers.Load().isEmpty() {
		return nil
	}
	select {
	case j := <-t.made:
		if installed := j.Install() == nil; !installed { // batches are committed to the file
			_ = j.Discard()
			return nil
		}
		t.log = j
		if err := t.note(mark{ID: j.ID(), Open: true}); err != nil {
			t.failed = true
			return err
		}
		t.hasWAL.Store(true)
		t.swap(func(now layers) layers { return layers{young: overlay.New(), moves: now.moves} })
	default:
	}
	return nil
}

// closeWAL removes the WAL when the file has everything. After an error it stays.
func (t *Tail) closeWAL() error {
	if err := t.settleAll(); err != nil {
		return err
	}
	// the last batch may be one of which Append could not say whether it is there
	if err := t.note(mark{ID: t.mark.ID, Applied: t.log.Last()}); err != nil {
		return err
	}
	_ = t.log.Discard() // one that stays has nothing that the file has not
	t.log, t.failed = nil, false
	t.hasWAL.Store(false)
	return nil
}

// note commits a mark.
func (t *Tail) note(m mark) error {
	t.mark = m
	return t.file.Update(context.Background(), t.stamp)
}
