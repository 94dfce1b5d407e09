package doctor

import (
	"context"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/offline"
)

// lookAtDocuments compares the documents with the state, and says what of them is not read.
func (e *examination) lookAtDocuments(ctx context.Context) {
	if e.Settings != nil {
		return // which documents there are is not known
	}
	outcome, err := offline.Project{Data: e.Data, Export: e.Export, Requirements: e.Documents,
		Reading: e.Reading}.Preview(ctx)
	if fault.Is(err, store.CodeLocked) {
		return // they are compared with the database where the export is gone, which is said of that
	}
	if err != nil {
		e.fail("documents", Problem, err)
		return
	}
	r := outcome.Report
	if err := outcome.Broken(); err != nil {
		e.fail("documents", Problem, err)
		for _, wrong := range r.Errors[:min(len(r.Errors), shownErrors)] {
			e.advise("documents", Problem, wrong.Fix, "%s:%d: %s", wrong.Path, wrong.Line, wrong.Message)
		}
		return
	}
	if n := len(r.Skipped); n > 0 {
		first := r.Skipped[0]
		e.say("documents", Warning, e.orchestrator("import --dry-run"),
			"%d places look like requirements and are not read, the first at %s:%d", n, first.Path, first.Line)
	}
	if n := len(r.Warnings); n > 0 {
		first := r.Warnings[0]
		e.say("documents", Warning, e.orchestrator("import --dry-run"), "%d warnings, the first at %s:%d: %s", n,
			first.Path,
			first.Line, first.Message)
	}
	if outcome.Against == "" || !r.Drifted() {
		e.say("documents", OK, "", "%d requirements in %d documents", r.Found, len(r.Documents))
		return
	}
	if e.clone {
		e.say("documents", OK, "", "the service of the project imports, once it has them: %s", r)
		return
	}
	mend := e.orchestrator("up")
	if e.known.served {
		mend = e.restart()
	}
	e.say("documents", Warning, mend, "they are not what %s shows, which a start imports: %s", outcome.Against, r)
}

// shownErrors is how many errors in documents are listed; orchestrator import --dry-run lists all.
const shownErrors = 3
