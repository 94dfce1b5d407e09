package requirements

import (
	"context"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/lifecycle"
)

// KeepKeys is how long an Idempotency-Key is remembered.
const KeepKeys = 24 * time.Hour

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

// recall finds the first answer to a key that is still remembered.
func recall(from store.Getter, who lifecycle.Actor, key string, at time.Time) (firstAnswer, bool, error) {
	if key == "" {
		return firstAnswer{}, false, nil
	}
	first, found, err := tableIdempotency.Get(from, keyOf(who, key))
	return first, found && remembered(first.At, at), err
}

func remembered(since, at time.Time) bool { return at.Sub(since) < KeepKeys }

func keyOf(who lifecycle.Actor, key string) string {
	return who.Name + "\x00" + string(who.Role) + "\x00" + key
}

func (s *Service) keyReused(from finder, id string) (*fault.Error, error) {
	refusal := keyReused()
	req, size, err := from(id)
	if err == nil && size > 0 {
		_ = s.options.Workflow.At(req, refusal)
	}
	return refusal, err
}

func keyReused() *fault.Error {
	return fault.New(fault.Invalid, codeKeyReused, "this Idempotency-Key was used with another request").
		WithFix("use a new key for a new request")
}

// bodyDigest identifies a request with an Idempotency-Key: the requirement it is about and the body as sent.
func bodyDigest(p Proposal) string {
	if p.IdempotencyKey == "" {
		return ""
	}
	return digestOf(slices.Concat([]byte(p.ID), []byte{0}, p.Body))
}
