package webhooks

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/record"
)

// kept is how far the webhooks of a project have come: in files of the data folder, or in the store that several
// processes share.
type kept struct {
	hook.Keeper
	by     string // the service that sends what is due now; "" where none runs
	shared bool
}

// with calls do with how far the webhooks have come.
func with(ctx context.Context, in storage.Place, do func(kept) error) error {
	return open(ctx, in, storage.Options{}, do)
}

// reading does the same for what changes nothing.
func reading(ctx context.Context, in storage.Place, do func(kept) error) error {
	return open(ctx, in, storage.Options{ReadOnly: true}, do)
}

func open(ctx context.Context, in storage.Place, o storage.Options, do func(kept) error) error {
	if !in.IsShared() {
		if err := in.CheckHere(ctx); err != nil {
			return err
		}
		k := kept{Keeper: folder.In(in.Data())}
		if apiclient.Runs(in.Data()) {
			k.by = "the service"
		}
		return do(k)
	}
	s, err := in.Open(ctx, o)
	if err != nil {
		return err
	}
	k, l, err := opened(ctx, in, s, o)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(do(k), l.Close())
}

// opened opens the log of a shared store, but makes none.
func opened(ctx context.Context, in storage.Place, s storage.Store, o storage.Options) (kept, *ledger.Ledger, error) {
	empty, err := storage.IsEmpty(ctx, s)
	if err == nil && empty {
		err = fault.New(fault.NotFound, database.CodeMissing, "%s has no log yet", in).
			WithFix("start the service once, which begins it")
	}
	if err != nil {
		return kept{}, nil, err
	}
	duty, err := storage.Shared(s).Holder(ctx, database.DutyLease)
	if err != nil {
		return kept{}, nil, err
	}
	begin := func() (*ledger.Ledger, error) { return ledger.Open(ctx, s, time.Now) }
	if o.ReadOnly {
		begin = func() (*ledger.Ledger, error) { return ledger.OpenReadOnly(ctx, s) }
	}
	l, err := begin()
	if err != nil {
		return kept{}, nil, err
	}
	l.Understand(int(lifecycle.LatestRules), replay.Kinds())
	return kept{record.Kept{Ledger: l}, duty.Holder, true}, l, nil
}
