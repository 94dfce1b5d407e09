package record

import (
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/webhook/hook"
)

// progress has how far each hook has come by its name, for the next process that goes on with it. The log does not
// account for it.
var progress = ledger.Table[hook.Progress]{Name: "webhook_progress"}

// Kept is how far hooks have come where several processes tell them in turns.
type Kept struct{ Ledger *ledger.Ledger }

// Progress returns how far a hook has come; found is false where it has not begun.
func (k Kept) Progress(ctx context.Context, h hook.Hook) (p hook.Progress, found bool, err error) {
	err = k.Ledger.View(ctx, func(r store.Reader) (err error) {
		p, found, err = progress.Get(r, h.Name)
		return err
	})
	return p, found && p.Hook == h.ID, err
}

// Advance changes how far a hook has come, which begins with start, and returns it when it is durable. It may call
// change twice, with the same progress.
//
// Implements: ORC-368
func (k Kept) Advance(ctx context.Context, h hook.Hook, start uint64,
	change func(*hook.Progress) error) (p hook.Progress, err error) {
	err = k.Ledger.Update(ctx, func(tx *ledger.Tx) error {
		was, found, err := progress.Get(tx, h.Name)
		if err != nil {
			return err
		}
		if !found || was.Hook != h.ID {
			was = hook.Progress{Hook: h.ID, Next: start}
		}
		if err := change(&was); err != nil {
			return err
		}
		p = was
		return progress.Keep(tx, h.Name, was)
	})
	return p, err
}
