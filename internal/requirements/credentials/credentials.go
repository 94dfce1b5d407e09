// Package credentials accounts for the tokens that are in force, and keeps what proves them where several processes
// serve one log.
package credentials

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
)

// Table has, under Key, the tokens of a log that several processes serve, as they encode them: hashes, and never a
// token. The log does not account for it, since hashes never come there.
const (
	Table = "credentials"
	Key   = "tokens"
)

var kept = ledger.Table[jsontext.Value]{Name: Table}

// Account puts on record which tokens are new and which are gone since the log last said so. The same ones, in any
// order, are no record.
func Account(tx *ledger.Tx, inForce []record.Credential) error {
	before, _, err := record.TableTokens.Get(tx, record.KeyTokens)
	if err != nil {
		return err
	}
	data := record.TokensChanged{Added: record.Without(inForce, before), Revoked: record.Without(before, inForce)}
	if len(data.Added)+len(data.Revoked) == 0 {
		return nil
	}
	if _, err := record.TableTokens.Put(tx, record.KeyTokens, record.SortedByID(inForce)); err != nil {
		return err
	}
	return tx.Append(ledger.Event{Kind: record.KindTokensChanged, Actor: ledger.System(), Data: data})
}

// Kept returns what is kept, or nil before anything was.
func Kept(ctx context.Context, l *ledger.Ledger) (raw []byte, err error) {
	err = l.View(ctx, func(r store.Reader) error {
		found, _, err := kept.Get(r, Key)
		raw = found
		return err
	})
	return raw, err
}

// AreKept reports whether just these bytes are kept.
func AreKept(from store.Getter, raw []byte) (bool, error) {
	stored, err := from.Get(Table, Key)
	return bytes.Equal(stored, raw), err
}

// Change replaces what is kept by what change makes of it, and accounts for the tokens that are in force then, in one
// transaction. Where change returns no bytes, nothing is changed. Whoever follows the ledger is told of a change that
// has a record.
func Change(ctx context.Context, l *ledger.Ledger,
	change func(kept []byte) (changed []byte, inForce []record.Credential, err error)) error {
	return l.Update(ctx, func(tx *ledger.Tx) error {
		before, _, err := kept.Get(tx, Key)
		if err != nil {
			return err
		}
		after, inForce, err := change(before)
		if err != nil || after == nil {
			return err
		}
		if err := kept.Keep(tx, Key, after); err != nil {
			return err
		}
		return Account(tx, inForce)
	})
}

// In returns what a batch of commits keeps last, or nil where they keep nothing.
func In(batch []ledger.Commit) (raw []byte) {
	for _, commit := range batch {
		for _, w := range commit.Writes {
			if w.Table == Table && w.Key == Key {
				raw = w.Value
			}
		}
	}
	return raw
}

// Stored returns what is kept as the writes of a commit; none before anything was.
func Stored(r store.Getter) ([]ledger.Write, error) {
	raw, found, err := kept.Get(r, Key)
	if err != nil || !found {
		return nil, err
	}
	return []ledger.Write{{Table: Table, Key: Key, Value: raw.Clone()}}, nil
}
