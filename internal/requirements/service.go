// Package requirements holds the use cases on requirements: import, read, propose a change, export, verify.
//
// It connects the rules (rules/lifecycle, which decide) with the ledger (which commits a change and its
// audit record in one transaction). Every read is served from an immutable snapshot that is published
// after the commit is durable; project_status.json is a projection of that snapshot.
//
// Tables: requirements (id: Requirement), reports (SHA-256 of an attached report: its record), runs (identity of a run
// of tests: the commit that it counts for), idempotency (actor NUL key: the first answer), project (one key: name,
// sources, what was not read of them, workflow, branch, document order), tokens (one key: those the log accounts for).
// Where several processes serve the log, two more that it does not account for: credentials (one key: the hashes of the
// tokens) and refusals (actor NUL role NUL slot: a window of equal ones). Audit record kinds and the shape of their
// data are in package record.
package requirements

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/cited"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/folding"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/keptprogress"
	"orchestrator/internal/requirements/keptreview"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/texts"
	"orchestrator/internal/requirements/turn"
	"orchestrator/internal/rules/lifecycle"
)

// Options are the choices of an operator.
type Options struct {
	Workflow       lifecycle.Workflow         // of a new store, V1 unless named; another than the store's is refused
	ExportPath     string                     // "" writes no export
	ExportSpares   string                     // a folder of its own, where the export that was replaced is kept; or ""
	ExportWait     time.Duration              // how long a change waits for the export that contains it
	ExportSync     bool                       // it waits until the export is on the disk
	OnDuty         func() bool                // whether this process writes the export; nil is always
	RequireIfMatch bool                       // a change without If-Match is refused
	Reading        reqdoc.Options             // how requirement documents are read
	Evidence       string                     // one of projection; "" keeps the store's, EvidenceRecorded in a new one
	Cited          func(path string) string   // returns the path by which evidence cites a document; nil is the same
	Repository     Repository                 // where evidence is looked up; needed where evidence is verified
	Branch         string                     // that has what counts; "" keeps the store's, that of HEAD in a new one
	Signer         audit.Signer               // signs checkpoints of the log; without one there are none
	AcceptKey      string                     // why the Signer may have another key than the one on record
	Lost           []choices.Moment           // that the log has not gone through
	AcceptRollback string                     // why the service goes on all the same
	Origins        Origins                    // finds where documents come from; may be nil
	OnDisplaced    func(projection.Displaced) // told what stood in the place of a file of the export; may be nil
	OnFolding      func(Folding)              // told when further refusals of an actor are only counted; may be nil
	OnCommits      func([]ledger.Commit)      // told of commits after they are published; may be nil
	Replica        string                     // tells this process from others on the same log; "" where there are none
}

// Origins finds where the content of documents comes from, by their paths, as far as it can be told.
type Origins func(context.Context, []reqdoc.File) map[string]account.Origin

// Folding says that refusals of an actor are only counted from here on.
type Folding = folding.Folding

// shared is what all parts of the service have in common.
type shared struct {
	ledger  *ledger.Ledger
	clock   func() time.Time
	options Options
	current atomic.Pointer[projection.Snapshot] // that is published
	ids     idmatch.Cache                       // of the ids of current
}

// Service proposes changes, imports documents, and accounts for both. It is made of parts, each of which can be handed
// on by itself to who needs no more. All are safe for concurrent use.
type Service struct {
	*shared
	*Reader
	*Log
	*Rechecker
	*Reviews

	exporter  *projection.Exporter
	oneImport sync.Mutex // one at a time
	refusals  *folding.Refusals
}

// Reader reads the requirements as they are published.
type Reader struct{ *shared }

// Log reads the log of the requirements, signs it, and proves what is in it.
type Log struct {
	*shared

	signed atomic.Pointer[signedAt]
}

// Rechecker looks evidence up, and looks again whether what was found of it still holds.
type Rechecker struct {
	*shared

	one        turn.Turn                     // one recheck at a time
	begun      atomic.Uint64                 // rechecks
	tip        atomic.Pointer[branchTip]     // as the last recheck found it
	ended      bool                          // the last one came to its end; held by one
	lastReport atomic.Pointer[record.Report] // that was looked at: evidence cites one report many times
}

// Reviews reviews the project and its requirements.
type Reviews struct {
	*shared

	evidence   *Rechecker
	exporter   *projection.Exporter
	lastImport atomic.Pointer[outcome]
	log        *keptreview.Log
	rows       *keptreview.Rows
	progress   *keptprogress.Progress
	texts      *texts.Log
	cited      *cited.Looker
}

// Repository is where evidence is looked up.
type Repository interface {
	Look(context.Context, lifecycle.Evidence) (*lifecycle.Found, *fault.Field)
	Recheck(context.Context, []evidence.Subject) (evidence.Checked, error)
	Base(tip string) string
	Dirty(ctx context.Context, paths []string) (map[string]bool, error)
	Show(ctx context.Context, tip string, e lifecycle.Evidence, s evidence.Standing) evidence.Shown

	Follow(branch string) // from here on its tip counts
	HeadBranch(context.Context) (string, error)
	Tip(context.Context) (string, error)
}

// branchTip is the commit at the tip of the branch, or why it is not known.
type branchTip struct {
	commit string
	err    error
}

// signedAt is the signed checkpoint of one size of the log.
type signedAt struct {
	size uint64
	note []byte
}

// outcome is how an import went.
type outcome struct {
	at  time.Time
	err error
}
