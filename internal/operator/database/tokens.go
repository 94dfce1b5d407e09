package database

import (
	"context"
	"errors"
	"io/fs"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/token"
)

// Tokens returns the token file that has the tokens of a store which several processes share; fs.ErrNotExist where it
// has none yet.
func Tokens(ctx context.Context, place storage.Place) (content []byte, err error) {
	s, err := place.Open(ctx, storage.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.View(ctx, func(r store.Reader) error {
		raw, err := r.Get(credentials.Table, credentials.Key)
		if err == nil && raw == nil {
			err = fs.ErrNotExist
		}
		if err == nil {
			content, err = token.FileOf(raw)
		}
		return err
	})
	return content, err
}
