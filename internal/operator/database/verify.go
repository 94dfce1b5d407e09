package database

import (
	"context"
	"errors"
	"io"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements/projection"
)

// Verify checks more than an outsider can: the structure of the file, and the tables. The checkpoint beside the export
// is held against the log as well, as far as it can be read. A database of an older format is verified as it is: the
// report says where its tables are not what this program would make of the log.
func Verify(ctx context.Context, data datadir.Dir, export string, o auditor.Options) (r auditor.Report, err error) {
	path, err := Existing(data)
	r = auditor.Report{Source: path, Against: []auditor.Held{}, CannotShow: []string{}}
	if err != nil {
		return r, err
	}
	store, err := boltstore.Open(path, boltstore.Options{ReadOnly: true})
	if err != nil {
		return r, InUse(ctx, finding(err), data,
			"orchestrator verify --server ADDRESS checks its log while it runs; to check the database itself, "+
				"stop it first")
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Check(); err != nil {
		return r, finding(err)
	}
	l, err := ledger.OpenToReplay(ctx, store)
	if err != nil {
		return r, finding(err)
	}
	o.Against = append(o.Against, beside(ctx, export)...)
	r, err = verifyLedger(ctx, path, l, export, o)
	return r, finding(err)
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
