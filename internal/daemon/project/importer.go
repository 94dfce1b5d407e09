package project

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/documents"
)

// budgetEvery is how often it is looked whether the budget of imports that nobody asked for is whole again.
const budgetEvery = time.Minute

// watchDocuments takes over changed documents.
func (s *server) watchDocuments(ctx context.Context) {
	imports := &watchedImports{server: s}
	var retries sync.WaitGroup
	retries.Go(func() { imports.retry(ctx, budgetEvery) })
	s.watch(ctx, s.paths, documents.MaxFile, "import with POST /project/import",
		func(path string) { imports.importChanged(ctx, path) })
	retries.Wait()
}

// watchedImports are the imports of documents that changed, which nobody asked for by name. Together they have a
// budget, so that whoever rewrites a document again and again does not fill the disk.
type watchedImports struct {
	server *server
	wait   atomic.Bool // for the budget: a document has changed that is not imported
}

// importChanged imports the documents because one has changed.
func (w *watchedImports) importChanged(ctx context.Context, path string) {
	if err := w.importOrWait(ctx); isFull(err) {
		w.server.putOff("documents", err, w.importOrWait)
	} else if err != nil {
		w.server.logFailure(err, path, "the changed document was not imported; the last good state stays in force")
	}
}

// importOrWait imports the documents. That the budget is spent is no failure: it is said once, and retry imports them
// later.
func (w *watchedImports) importOrWait(ctx context.Context) error {
	err := w.server.reimport(ctx, true)
	if !errors.Is(err, fault.RateLimited) {
		w.wait.Store(false)
		return err
	}
	if !w.wait.Swap(true) {
		w.server.log.Warn().Err(err).
			Msg("the budget of imports that nobody asked for is spent: changed documents are imported " +
				"when it resets, or when a pm asks for it with POST /project/import")
	}
	return nil
}

// retry imports what waits for the budget, once that is whole again.
func (w *watchedImports) retry(ctx context.Context, every time.Duration) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if w.wait.Load() && w.server.service.CheckUnaskedBudget(ctx) == nil {
				w.importChanged(ctx, strings.Join(w.server.options.Requirements, " "))
			}
		}
	}
}
