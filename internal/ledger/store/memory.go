package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Memory is a store without a disk, for tests. It is strict on purpose: every third Update runs its function
// twice, throwing the first run's writes away, and bytes handed out are spoiled when the function returns, so
// that a function which breaks the contract fails here first.
type Memory struct {
	state   atomic.Pointer[tree] // what the last Update left; never changed, only replaced
	writer  chan struct{}        // holds a token while an Update runs
	updates uint64               // guarded by writer

	closing sync.RWMutex // read-held by every transaction
	closed  bool
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{writer: make(chan struct{}, 1)} }

// View calls fn on a snapshot. It neither waits for an Update nor makes one wait.
func (m *Memory) View(ctx context.Context, fn func(Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.enter(); err != nil {
		return err
	}
	defer m.closing.RUnlock()
	tx := &memoryTx{state: m.state.Load()}
	defer tx.spoil()
	return Call(fn, Reader(tx))
}

// Update calls fn alone and publishes what it wrote.
func (m *Memory) Update(ctx context.Context, fn func(Tx) error) error {
	if err := m.enter(); err != nil {
		return err
	}
	defer m.closing.RUnlock()
	select {
	case m.writer <- struct{}{}:
		defer func() { <-m.writer }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if m.updates++; m.updates%3 == 0 {
		_, _ = m.run(ctx, fn)
	}
	next, err := m.run(ctx, fn)
	if err != nil {
		return err
	}
	m.state.Store(next)
	return nil
}

// Close waits for the transactions under way.
func (m *Memory) Close() error {
	m.closing.Lock()
	defer m.closing.Unlock()
	m.closed = true
	m.state.Store(nil)
	return nil
}

// Dump returns all that the store holds, by table and key.
func (m *Memory) Dump() map[string]map[string]string {
	all := map[string]map[string]string{}
	_ = m.state.Load().scan(Place{}, func(at Place, value []byte) error {
		if all[at.Table] == nil {
			all[at.Table] = map[string]string{}
		}
		all[at.Table][at.Key] = string(value)
		return nil
	})
	return all
}

func (m *Memory) enter() error {
	m.closing.RLock()
	if m.closed {
		m.closing.RUnlock()
		return ErrClosed
	}
	return nil
}

func (m *Memory) run(ctx context.Context, fn func(Tx) error) (*tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tx := &memoryTx{state: m.state.Load()}
	defer tx.spoil()
	err := Call(fn, Tx(tx))
	return tx.state, err
}

// memoryTx is a Reader and a Tx over its own version of the tree.
type memoryTx struct {
	state  *tree
	handed [][]byte
}

func (tx *memoryTx) Get(table, key string) ([]byte, error) {
	if err := CheckKey(table, key); err != nil {
		return nil, err
	}
	return tx.hand(tx.state.get(Place{table, key})), nil
}

func (tx *memoryTx) Put(table, key string, value []byte) error {
	if err := CheckKey(table, key); err != nil {
		return err
	}
	if err := CheckValue(table, key, value); err != nil {
		return err
	}
	// A copy, because value may be bytes that this transaction will spoil.
	tx.state = tx.state.put(Place{table, key}, append([]byte{}, value...))
	return nil
}

func (tx *memoryTx) Delete(table, key string) error {
	if err := CheckKey(table, key); err != nil {
		return err
	}
	tx.state = tx.state.remove(Place{table, key})
	return nil
}

func (tx *memoryTx) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	err := tx.state.scan(Place{table, from}, func(at Place, value []byte) error {
		if at.Table != table || to != "" && at.Key >= to {
			return ErrStop
		}
		return visit(at.Key, tx.hand(value))
	})
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

// hand returns a copy of value that spoil will overwrite.
func (tx *memoryTx) hand(value []byte) []byte {
	if value == nil {
		return nil
	}
	value = append(make([]byte, 0, len(value)), value...)
	tx.handed = append(tx.handed, value)
	return value
}

func (tx *memoryTx) spoil() {
	for _, b := range tx.handed {
		for i := range b {
			b[i] = 0xDB
		}
	}
}
