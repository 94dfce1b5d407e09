package tokens

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// Token is a token as it is kept.
type Token = token.Token

// Place is where a project keeps its tokens: a file in the data folder, or the store that several processes share.
type Place interface {
	List(ctx context.Context) ([]token.Token, error)
	Add(ctx context.Context, name, role string, expires, now time.Time) (secret string, made token.Token, err error)
	Revoke(ctx context.Context, id string) (token.Token, error)
	RevokeName(ctx context.Context, name string) ([]token.Token, error)
}

// At calls do with the place where a project keeps its tokens.
func At(ctx context.Context, data datadir.Dir, in storage.Place, do func(Place) error) error {
	if !in.IsShared() {
		if err := in.CheckHere(ctx); err != nil {
			return err
		}
		return do(File(data))
	}
	s, err := in.Open(ctx, storage.Options{})
	if err != nil {
		return err
	}
	empty, err := storage.IsEmpty(ctx, s)
	if err == nil && empty {
		err = fault.New(fault.NotFound, "tokens_missing", "%s has no log yet, and no tokens", in).
			WithFix("start the server once, which makes the first ones")
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	l, err := ledger.Open(ctx, s, time.Now)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	l.Understand(int(lifecycle.LatestRules), replay.Kinds())
	return errors.Join(do(InLedger(l)), l.Close())
}

// File returns the token file of a data folder.
func File(data datadir.Dir) Place { return file{Open(data)} }

// file is a token file.
type file struct{ *token.File }

// List implements Place.
func (f file) List(context.Context) ([]token.Token, error) { return f.File.List() }

// Add implements Place.
func (f file) Add(_ context.Context, name, role string, expires, now time.Time) (string, token.Token, error) {
	return f.File.Add(name, role, expires, now)
}

// Revoke implements Place.
func (f file) Revoke(_ context.Context, id string) (token.Token, error) { return f.File.Revoke(id) }

// RevokeName implements Place.
func (f file) RevokeName(_ context.Context, name string) ([]token.Token, error) {
	return f.File.RevokeName(name)
}
