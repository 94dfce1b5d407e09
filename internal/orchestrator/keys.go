package orchestrator

import (
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/store"
)

// maxSweep bounds one transaction of ForgetKeys.
const maxSweep = 1000

// ForgetKeys removes the Idempotency-Keys that are older than KeepKeys, and returns how many. The
// operator's process calls it from time to time.
func (s *Service) ForgetKeys(ctx context.Context) (int, error) {
	var expired []string
	now := s.clock()
	err := s.ledger.View(ctx, func(r store.Reader) error {
		var found []string
		err := tableIdempotency.Scan(r, func(key string, _ []byte, first firstAnswer) error {
			if now.Sub(first.At) >= KeepKeys {
				found = append(found, key)
			}
			if len(found) == maxSweep {
				return store.ErrStop
			}
			return nil
		})
		expired = found
		return err
	})
	if err != nil || len(expired) == 0 {
		return 0, err
	}
	return len(expired), s.ledger.Update(ctx, func(tx *ledger.Tx) error {
		return forget(tx, expired)
	})
}

// forget deletes what is expired in this transaction too: a key may have been used anew since it was read.
func forget(tx *ledger.Tx, candidates []string) error {
	gone := make([]string, 0, len(candidates))
	for _, key := range candidates {
		first, found, err := tableIdempotency.Get(tx, key)
		if err != nil {
			return err
		}
		if !found || tx.At().Sub(first.At) < KeepKeys {
			continue
		}
		if err := tableIdempotency.Delete(tx, key); err != nil {
			return err
		}
		gone = append(gone, key)
	}
	if len(gone) == 0 {
		return nil
	}
	return tx.Append(ledger.Event{Kind: kindKeysForgotten, Actor: ledger.System(), Data: keysForgotten{gone}})
}
