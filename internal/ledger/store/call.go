package store

import (
	"fmt"
	"runtime/debug"

	"orchestrator/internal/fault"
)

// Limits that every store keeps, so that what one accepts another accepts too.
const (
	MaxKeySize   = 2 << 10 // of a key and its table name together, in bytes: an index of PostgreSQL takes 2,704
	MaxValueSize = 64 << 20
)

// Panic is the panic of a function given to a store, as an error. It unwraps to the value if that is an error.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Unwrap returns the panic's value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Call returns fn(arg), or its panic as an error of kind Internal that wraps a *Panic. For those who write stores.
func Call[T any](fn func(T) error, arg T) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "store_panic", "a transaction panicked").
				Because(&Panic{Value: p, Stack: debug.Stack()})
		}
	}()
	return fn(arg)
}

// CheckKey refuses an empty table name or key, and what is too long.
func CheckKey(table, key string) error {
	switch {
	case table == "":
		return fault.New(fault.Internal, "store_table", "a table without a name")
	case key == "" || len(table)+len(key) > MaxKeySize:
		return fault.New(fault.Internal, "store_key", "a key of %d bytes in table %q; they may have %d together, the key 1 "+
			"at least", len(key), fault.Clip(table, 80), MaxKeySize)
	}
	return nil
}

// CheckValue refuses a value that is too long.
func CheckValue(table, key string, value []byte) error {
	if len(value) > MaxValueSize {
		return fault.New(fault.Internal, "store_value", "a value of %d bytes for %q in table %q; %d are possible",
			len(value), key, table, MaxValueSize)
	}
	return nil
}

// Damaged returns the error of a store that is not as it was written.
func Damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Internal, CodeDamaged, format, args...).
		WithFix("run orchestrator verify, and put back the last good copy of the database")
}
