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

// KeepProgress keeps how far a hook has come.
func KeepProgress(ctx context.Context, l *ledger.Ledger, name string, p hook.Progress) error {
	return l.Update(ctx, func(tx *ledger.Tx) error { return progress.Keep(tx, name, p) })
}

// ProgressKept returns how far a hook had come; found is false where nothing was kept.
func ProgressKept(ctx context.Context, l *ledger.Ledger, name string) (p hook.Progress, found bool, err error) {
	err = l.View(ctx, func(r store.Reader) (err error) {
		p, found, err = progress.Get(r, name)
		return err
	})
	return p, found, err
}
