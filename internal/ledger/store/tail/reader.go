package tail

import (
	"errors"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/overlay"
)

// reader reads a snapshot of the file with the layers over it.
type reader struct {
	layers
	file store.Reader
}

func (r *reader) Get(table, key string) ([]byte, error) {
	if value, written := r.written(table, key); written {
		return value, nil
	}
	return r.file.Get(table, key)
}

// Scan visits the entries of the file, and between them those of the layers. Of one key the newest counts.
func (r *reader) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	o := &over{next: overlay.Merged(r.young, r.old, table, from), to: to, visit: visit}
	o.at, o.found = o.next()
	ended := false // by visit
	err := r.file.Scan(table, from, to, func(key string, value []byte) error {
		err := o.visitUntil(func(w overlay.Write) bool { return w.Key >= key })
		switch {
		case err != nil:
		case o.found && o.at.Key == key:
			err = o.visitOne()
		default:
			err = visit(key, value)
		}
		ended = err != nil
		return err
	})
	if err == nil && !ended {
		err = o.visitUntil(func(overlay.Write) bool { return false })
	}
	if errors.Is(err, store.ErrStop) {
		return nil
	}
	return err
}

// over visits what is written in layers.
type over struct {
	next  func() (overlay.Write, bool)
	at    overlay.Write // what is visited next, if it was found
	found bool
	to    string
	visit func(key string, value []byte) error
}

// visitUntil visits what comes before the first write that is reached, and before the end of the scan.
func (o *over) visitUntil(reached func(overlay.Write) bool) error {
	for o.found && !reached(o.at) && (o.to == "" || o.at.Key < o.to) {
		if err := o.visitOne(); err != nil {
			return err
		}
	}
	return nil
}

// visitOne visits what is next, unless it was deleted.
func (o *over) visitOne() error {
	w := o.at
	o.at, o.found = o.next()
	if w.Value == nil {
		return nil
	}
	return o.visit(w.Key, w.Value)
}
