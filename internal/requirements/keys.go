package requirements

import (
	"context"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
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
		err := record.TableIdempotency.Scan(r, func(key string, _ []byte, first record.FirstAnswer) error {
			if now.Sub(first.At) >= record.KeepKeys {
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
		first, found, err := record.TableIdempotency.Get(tx, key)
		if err != nil {
			return err
		}
		if !found || tx.At().Sub(first.At) < record.KeepKeys {
			continue
		}
		if err := record.TableIdempotency.Delete(tx, key); err != nil {
			return err
		}
		gone = append(gone, key)
	}
	if len(gone) == 0 {
		return nil
	}
	return tx.Append(ledger.Event{Kind: record.KindKeysForgotten, Actor: ledger.System(),
		Data: record.KeysForgotten{Keys: gone}})
}

// answered reports whether a request was answered before, perhaps under an id that its requirement has no longer.
func (s *Service) answered(ctx context.Context, who lifecycle.Actor, p Proposal) (is bool) {
	if p.IdempotencyKey == "" || p.DryRun {
		return false
	}
	err := s.ledger.View(ctx, func(r store.Reader) error {
		first, known, err := recall(r, who, p.IdempotencyKey, s.clock())
		is = known && first.BodySHA256 == bodyDigest(p)
		return err
	})
	return is && err == nil
}

// recall finds the first answer to a key that is still remembered.
func recall(from store.Getter, who lifecycle.Actor, key string, at time.Time) (record.FirstAnswer, bool, error) {
	if key == "" {
		return record.FirstAnswer{}, false, nil
	}
	first, found, err := record.TableIdempotency.Get(from, record.KeyOf(who, key))
	return first, found && record.Remembered(first.At, at), err
}
