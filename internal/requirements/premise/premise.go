// Package premise lets a request be decided before it is known whether other processes have written: what it takes for
// granted is looked at in the transaction that decides it.
package premise

import (
	"context"
	"errors"

	"orchestrator/internal/ledger/store"
)

// ErrOpen says that a request was neither decided nor put on record: what it takes for granted is no longer so, or no
// transaction has come to the point where it is looked at. The request can be made again.
var ErrOpen = errors.New("premise: what the request takes for granted was not confirmed")

// Holds reports whether what a request takes for granted is so in a transaction. It may be called more than once.
type Holds func(store.Getter) (bool, error)

type key struct{}

// With returns a context for a request that takes something for granted.
func With(ctx context.Context, holds Holds) context.Context {
	return context.WithValue(ctx, key{}, holds)
}

// Open returns ErrOpen if the request of a context takes something for granted: it cannot be decided without a
// transaction.
func Open(ctx context.Context) error {
	if ctx.Value(key{}) != nil {
		return ErrOpen
	}
	return nil
}

// Check returns ErrOpen if what the request of a context takes for granted is not so in a transaction.
func Check(ctx context.Context, tx store.Getter) error {
	holds, has := ctx.Value(key{}).(Holds)
	if !has {
		return nil
	}
	so, err := holds(tx)
	if err == nil && !so {
		err = ErrOpen
	}
	return err
}
