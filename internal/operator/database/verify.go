package database

import (
	"cmp"
	"context"
	"errors"
	"io"

	"orchestrator/internal/auditor"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/projection"
)

// Verify checks more than an outsider can: the structure of the file, and the tables. The checkpoint beside the export
// is held against the log as well, as far as it can be read. A database of an older format is verified as it is: the
// report says where its tables are not what this program would make of the log.
//
// Implements: ORC-379
func Verify(ctx context.Context, place storage.Place, export string, o auditor.Options) (r auditor.Report, err error) {
	name, err := Existing(ctx, place)
	r = auditor.Report{Source: name, Against: []auditor.Held{}, CannotShow: []string{}}
	if err != nil {
		return r, err
	}
	const instead = "orchestrator verify --server ADDRESS checks its log while it runs; to check the database " +
		"itself, stop it first"
	s, err := place.Open(ctx, storage.Options{ReadOnly: true})
	if err != nil {
		return r, InUse(ctx, finding(err), place.Data(), instead)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := cmp.Or(Unused(ctx, s, place, instead), finding(storage.Check(s))); err != nil {
		return r, err
	}
	l, err := ledger.OpenToReplay(ctx, s)
	if err != nil {
		return r, finding(err)
	}
	o.Against = append(o.Against, beside(ctx, export)...)
	r, err = verifyLedger(ctx, name, l, export, o)
	return r, cmp.Or(unchanged(ctx, s, l), finding(err))
}

// unchanged refuses a log that grew while it was verified: its tables are then of another moment.
func unchanged(ctx context.Context, s storage.Store, l *ledger.Ledger) error {
	if storage.Shared(s) == nil {
		return nil // it is locked
	}
	now, err := ledger.OpenToReplay(ctx, s)
	if err == nil && now.Head().Size != l.Head().Size {
		return fault.New(fault.Unavailable, store.CodeLocked, "the log grew from %d records to %d while it was verified",
			l.Head().Size, now.Head().Size).
			WithFix("stop every service that uses it; orchestrator verify --server URL verifies a log that grows")
	}
	return nil // what is wrong the verification has told
}

// beside returns the checkpoint beside an export, as far as it can be read.
func beside(ctx context.Context, export string) []auditor.Kept {
	path := projection.CheckpointPath(export)
	note, err := projection.ReadCheckpoint(ctx, path)
	if err != nil {
		return nil
	}
	return []auditor.Kept{{Name: path, Signed: note}}
}

func verifyLedger(ctx context.Context, name string, l *ledger.Ledger, export string,
	options auditor.Options) (auditor.Report, error) {
	f, err := projection.OpenExport(ctx, export)
	if err != nil {
		return auditor.Report{Source: name}, err
	}
	if f == nil {
		return auditor.Database(ctx, name, l, nil, options)
	}
	defer f.Close()
	read := func() (io.Reader, error) {
		_, err := f.Seek(0, io.SeekStart)
		return f, err
	}
	return auditor.Database(ctx, name, l, read, options)
}

// notChecked are the codes of what keeps a database from being looked at.
var notChecked = []fault.Code{store.CodeLocked, store.CodeDenied, store.CodeMissing, store.CodeIO, ledger.CodeFormat,
	ledger.CodeEmpty, projection.CodeExportUnreadable, auditor.CodeCheckpointUnreadable}

// finding marks an error that says what is wrong with a database.
func finding(err error) error {
	if err == nil || fault.Is(err, notChecked...) {
		return err
	}
	return auditor.Finding{Err: err}
}
