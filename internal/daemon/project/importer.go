package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
)

const (
	// budgetEvery is how often it is looked whether the budget of imports that nobody asked for is whole again.
	budgetEvery = time.Minute
	maxProblems = 20 // of a broken document that are logged
)

// importer imports the documents at the start and when they change. Imports that nobody asked for by name have a budget
// together, so that whoever rewrites a document again and again does not fill the disk.
type importer struct {
	service   *requirements.Service
	documents documents.Set
	reading   reqdoc.Options
	named     string // the paths and patterns of the documents
	postponed *postponed
	log       zerolog.Logger
	wait      atomic.Bool  // for the budget: a document has changed that is not imported
	alone     func(func()) // as those of Process
	sparingly func(func())
	follow    Follow
	progress  *drift.Progress // of the import at the start
	later     bool            // the documents of the start are yet to be read
	served    bool            // first has read them, or a term has
}

// first imports the documents at the start. It must succeed on an empty database; later a broken document leaves the
// last good state in force, which readyz shows. Documents that are as they were imported are read when the service
// answers: nothing is found in them but what a newer program reads otherwise.
func (i *importer) first(ctx context.Context) error {
	i.served = true
	read := i.read(ctx)
	if i.service.State().Requirements > 0 {
		files, err := read()
		if err == nil && i.service.HasImported(files) {
			i.later = true
			return nil
		}
		read = func() ([]reqdoc.File, error) { return files, err }
	}
	i.progress = &drift.Progress{}
	var err error
	i.alone(func() { err = i.importAtStart(ctx, read) })
	i.progress = nil
	if err != nil && i.service.State().Requirements == 0 {
		if f := fault.As(err); f != nil {
			return documents.HintAssign(f, i.reading)
		}
		return err
	}
	return nil
}

// importAtStart imports the documents that are read. Where there are requirements, a failure leaves the last good state
// in force, and is logged.
func (i *importer) importAtStart(ctx context.Context, read func() ([]reqdoc.File, error)) error {
	err := i.importRead(ctx, read, projection.ViaStart)
	switch {
	case err == nil || i.service.State().Requirements == 0:
	case isFull(err):
		i.postponed.add("documents", err, func(ctx context.Context) error { return i.importNow(ctx, projection.ViaStart) })
	default:
		i.logFailure(err, i.named, "the requirement documents were not imported; the last good state stays in force")
	}
	return err
}

// importNow imports the documents as they are now.
func (i *importer) importNow(ctx context.Context, via string) error {
	return i.importRead(ctx, i.read(ctx), via)
}

// importRead imports the documents that are read. What nobody asked for is charged to a budget of its own.
func (i *importer) importRead(ctx context.Context, read func() ([]reqdoc.File, error), via string) error {
	unasked := via == projection.ViaWatch
	options := requirements.ImportOptions{Unasked: unasked, Progress: i.progress,
		Origin: projection.ImportOrigin{Via: via}}
	if i.later {
		options.Stop = ctx.Done()
	}
	hide := i.showProgress()
	report, err := i.service.Import(ctx, record.System(), read, options)
	hide()
	if errors.Is(err, drift.ErrStopped) {
		return nil // the next start reads them
	}
	if err != nil {
		return i.service.Refuse(ctx, record.System(),
			requirements.Refused{Request: "orchestrator serve", Unasked: unasked}, err)
	}
	var paths []string
	for _, d := range report.Documents {
		paths = append(paths, d.Path)
	}
	i.log.Info().Strs("documents", paths).Str("report", report.String()).
		Int("warnings", len(report.Warnings)).Int("skipped", len(report.Skipped)).Msg("imported")
	return nil
}

// showProgress shows how far the import at the start is, until hide is called.
func (i *importer) showProgress() (hide func()) {
	if i.progress == nil {
		return func() {}
	}
	follow := i.follow
	if follow == nil {
		follow = logging(i.log)
	}
	return follow(i.progress.Far)
}

// read returns what reads the documents as they are then.
func (i *importer) read(ctx context.Context) func() ([]reqdoc.File, error) {
	return func() ([]reqdoc.File, error) { return i.documents.Read(ctx) }
}

// logFailure logs why documents were not imported, with a line for each problem in them.
func (i *importer) logFailure(err error, document, msg string) {
	problems := drift.Failed(err).Errors
	located := slices.ContainsFunc(problems, func(r drift.Remark) bool { return r.Path != "" })
	event := i.log.Error().Str("document", document)
	if !located {
		event.Err(err).Msg(msg)
		return
	}
	event.Int("errors", len(problems)).Msg(msg)
	for _, r := range problems[:min(len(problems), maxProblems)] {
		i.log.Error().Str("at", fmt.Sprintf("%s:%d", r.Path, r.Line)).Str("fix", r.Fix).Msg(r.Message)
	}
}

// watch imports documents that change, until ctx ends. What changed while another replica did so, and was to import it,
// is imported first.
func (i *importer) watch(ctx context.Context, w *watcher) {
	if (i.later || !i.served) && ctx.Err() == nil {
		i.sparingly(func() { _ = i.importAtStart(ctx, i.read(ctx)) }) // it is logged
		i.later = false
	}
	i.served = false
	var retries sync.WaitGroup
	retries.Go(func() { i.retry(ctx, budgetEvery) })
	w.watch(ctx, i.documents.Watched(), documents.MaxFile, "import with POST /project/import",
		func(path string) { i.importChanged(ctx, path) })
	retries.Wait()
}

// importChanged imports the documents because one has changed.
func (i *importer) importChanged(ctx context.Context, path string) {
	if err := i.postponed.tryNow(ctx, "documents", i.importOrWait); err != nil {
		i.logFailure(err, path, "the changed document was not imported; the last good state stays in force")
	}
}

// importOrWait imports the documents. That the budget is spent is no failure: it is logged once, and retry imports them
// later.
func (i *importer) importOrWait(ctx context.Context) error {
	err := i.importNow(ctx, projection.ViaWatch)
	if !errors.Is(err, fault.RateLimited) {
		i.wait.Store(false)
		return err
	}
	if !i.wait.Swap(true) {
		i.log.Warn().Err(err).
			Msg("the budget of imports that nobody asked for is spent: changed documents are imported " +
				"when it resets, or when a pm asks for it with POST /project/import")
	}
	return nil
}

// retry imports what waits for the budget, once that is whole again.
func (i *importer) retry(ctx context.Context, every time.Duration) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if i.wait.Load() && i.service.CheckUnaskedBudget(ctx) == nil {
				i.importChanged(ctx, i.named)
			}
		}
	}
}
