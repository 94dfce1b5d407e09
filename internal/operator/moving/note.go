package moving

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/credentials"
)

const tableAudit = "audit"

// The codes of moves that are refused.
const (
	codeInUse    fault.Code = "migrate_in_use"    // a service uses the log
	codeBusy     fault.Code = "migrate_busy"      // another move is at work
	codeMoved    fault.Code = "migrate_moved"     // the log is in a third place
	codeNotEmpty fault.Code = "migrate_not_empty" // there is something at the target
	codeAnother  fault.Code = "migrate_another"   // another log is being moved there
	codeDiffers  fault.Code = "migrate_differs"   // what was copied is not what was read
	codeFailed   fault.Code = "migrate_failed"
)

const stopFirst = "stop every service that uses it first, such as with orchestrator down"

// read returns a copy of one value.
func read(ctx context.Context, s store.Store, table, key string) (value []byte, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		raw, err := r.Get(table, key)
		value = bytes.Clone(raw)
		return err
	})
	return value, err
}

// isThere reports whether the log was moved before, whole, and perhaps has grown since.
func (m *mover) isThere(ctx context.Context) (bool, error) {
	if m.head.Moved == "" {
		return false, nil
	}
	s, err := m.to.openToLook(ctx)
	if s == nil || err != nil {
		return false, err
	}
	is, err := m.has(ctx, s)
	if is {
		m.done.Records, m.done.Root = m.head.Size, m.head.Root
	}
	return is, errors.Join(err, s.Close())
}

// has reports whether a log goes on in a store that has gone through the head of the source.
func (m *mover) has(ctx context.Context, s store.Store) (bool, error) {
	if to, err := movedTo(ctx, s); err != nil || to != "" {
		return false, err
	}
	l, err := ledger.OpenReadOnly(ctx, s)
	if fault.Is(err, moved.CodeUnfinished, ledger.CodeEmpty) {
		return false, nil
	}
	if err != nil || l.Head().Size < m.head.Size {
		return false, err
	}
	root, err := l.RootAt(ctx, m.head.Size)
	return root == m.head.Root, err
}

// note makes sure that the target is empty, or has what an earlier run of this move has copied, and notes there what
// is being moved.
func (m *mover) note(ctx context.Context) error {
	raw, err := read(ctx, m.target.store, moved.Table, moved.Key)
	switch {
	case err != nil:
		return err
	case raw != nil && !m.Afresh:
		m.done.Resumed = true
		return m.checkNote(ctx, raw)
	case raw != nil:
		return m.takeOver(raw)
	}
	if head, err := read(ctx, m.target.store, tableMeta, keyHead); err != nil || bytes.Equal(head, m.meta[keyHead]) {
		m.done.Resumed = true // all but its place is done
		return err
	}
	if err := m.checkEmpty(ctx); err != nil {
		return err
	}
	return m.putNote()
}

func (m *mover) putNote() error {
	raw, err := moved.Note{From: m.from.name, Size: m.head.Size, Root: m.head.Root, Tables: m.tables}.Encode()
	if err != nil {
		return err
	}
	return m.target.store.Update(m.target.under, func(tx store.Tx) error { return tx.Put(moved.Table, moved.Key, raw) })
}

// takeOver notes this move in place of an unfinished one, and lets its tables be made equal, too.
func (m *mover) takeOver(raw []byte) error {
	begun, err := moved.ReadNote(raw)
	if err != nil {
		return err
	}
	m.tables = slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.tables, begun.Tables))))
	return m.putNote()
}

// checkNote refuses to go on with the move of another log.
func (m *mover) checkNote(ctx context.Context, raw []byte) error {
	begun, err := moved.ReadNote(raw)
	if err != nil {
		return err
	}
	if begun.Size <= m.head.Size {
		l, err := ledger.OpenReadOnly(ctx, m.source.store)
		if err != nil {
			return err
		}
		root, err := l.RootAt(ctx, begun.Size)
		if err != nil || root == begun.Root {
			return err
		}
	}
	return fault.New(fault.Conflict, codeAnother, "another log, that of %s, is being moved to %s", begun.From, m.to).
		WithFix("finish that move; or give another --to")
}

// checkEmpty refuses a target that has anything.
func (m *mover) checkEmpty(ctx context.Context) error {
	return m.target.store.View(ctx, func(r store.Reader) error {
		for _, table := range m.head.Tables(tableSpent, tableMeta, credentials.Table) {
			err := r.Scan(table, "", "", func(string, []byte) error {
				return notEmpty(m.to, "give an empty schema: another ?search_path= in the URL")
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func notEmpty(p Place, instead string) error {
	return fault.New(fault.Conflict, codeNotEmpty, "there is something in %s already", p).WithFix("%s", instead)
}

func unusable(folder datadir.Dir, cause error) error {
	return fault.New(fault.Unavailable, "data_folder", "the folder %s cannot be used", folder).
		WithFix("create it and make it writable for this user, or give another").Because(cause)
}

func differs(format string, args ...any) error {
	return fault.New(fault.Unavailable, codeDiffers, "what was copied is not what was read: %s",
		fmt.Sprintf(format, args...)).
		WithFix("look at the disks, and repeat the command: the log is still where it was")
}

// notMoved tells of an error that does not say so where the log is.
func (m *mover) notMoved(err error) error {
	f := fault.As(err)
	wrong := errors.As(err, new(*auditor.Bad)) || errors.As(err, new(auditor.Finding))
	switch {
	case err == nil, errors.Is(err, context.Canceled), wrong, fault.Is(err, store.CodeDamaged):
		return err
	case f != nil && f.Kind != fault.Internal:
		return err
	}
	return fault.New(fault.Unavailable, codeFailed, "the log of %s was not moved to %s", m.from, m.to).
		WithFix("look at the cause, and repeat the command: it goes on where it was").Because(err)
}
