package premise

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
)

// Verifies: ORC-388
func TestAPremiseIsLookedAtInTheTransaction(t *testing.T) {
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		holds     Holds
		open, err error
	}{
		"no premise": {nil, nil, nil},
		"holds":      {func(store.Getter) (bool, error) { return true, nil }, ErrOpen, nil},
		"does not":   {func(store.Getter) (bool, error) { return false, nil }, ErrOpen, ErrOpen},
		"is unknown": {func(store.Getter) (bool, error) { return false, failed }, ErrOpen, failed},
	} {
		ctx := context.Background()
		if c.holds != nil {
			ctx = With(ctx, c.holds)
		}
		require.Equal(t, c.open, Open(ctx), name)
		require.Equal(t, c.err, Check(ctx, nil), name)
	}
}
