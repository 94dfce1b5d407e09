package orchestrator

import (
	"context"
	"io"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/projection"
)

// CheckExport holds the export that lies beside a store against the store's log, before the service starts:
// a database that is older than the export, or another project's, would silently take back what was decided.
// An export that cannot be read is no obstacle, since the store is the truth and writes it anew; it is
// reported as readable == false.
func CheckExport(ctx context.Context, l *ledger.Ledger, path string, export io.Reader) (readable bool, err error) {
	log, err := projection.ReadLog(export)
	if err != nil {
		return false, nil //nolint:nilerr // reported as unreadable
	}
	head := l.Head()
	if log.Size > head.Size {
		return true, fault.New(fault.Conflict, "store_older_than_export", "%s is of a log with %d records, the database has only %d", path, log.Size, head.Size).
			WithFix("an old copy of the database was put back, or the export is another project's: put back the newer database, or move %s away to accept the loss", path)
	}
	root, err := l.RootAt(ctx, log.Size)
	if err == nil && root != log.Root {
		err = fault.New(fault.Conflict, "store_of_another_log", "%s was written from another log than this database holds", path).
			WithFix("give --data and --export that belong together, or move %s away to start over from this database", path)
	}
	return true, err
}
