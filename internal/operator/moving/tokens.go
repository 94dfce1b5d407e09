package moving

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/token"
)

// learnTokens finds out which tables are mirrored and which tokens move with the log: a store that several processes
// share has them in a table, and one of a data folder in a file beside it. Those that were revoked there must not come
// back here.
func (m *mover) learnTokens(ctx context.Context) (err error) {
	m.tables = m.head.Tables(tableSpent)
	from, to := m.from.isShared(), m.to.isShared()
	switch {
	case from && to:
		m.tables = m.head.Tables(tableSpent, credentials.Table)
		return nil
	case !from && !to:
		return nil // the file is beside the log, for the operator to copy
	case from:
		kept, err := read(ctx, m.source.store, credentials.Table, credentials.Key)
		if err != nil || kept == nil {
			return err
		}
		m.tokens, err = token.FileOf(kept)
		return err
	}
	path := m.from.folder.Tokens()
	content, err := tree.ReadFile(ctx, path, token.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		m.tokens, err = token.SharedOf(path, content)
	}
	return err
}

// placeTokens puts the token file into the data folder, and keeps another that is there.
func (m *mover) placeTokens(ctx context.Context) error {
	if m.tokens == nil {
		return nil
	}
	path := m.to.folder.Tokens()
	switch there, err := tree.ReadFile(ctx, path, token.MaxFile); {
	case err == nil && bytes.Equal(there, m.tokens):
		return nil
	case err == nil:
		if err := m.target.keep(path); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	err := durable.WriteFile(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(m.tokens)
		return err
	})
	if err != nil {
		return err
	}
	return m.target.own(path)
}
