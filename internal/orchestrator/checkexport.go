package orchestrator

import (
	"bufio"
	"bytes"
	"context"
	"errors"
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

// headBytes is enough of an export to find the size of its log.
const headBytes = 64 << 10

// Matches holds an export of the present size of the log against the state, byte for byte: where they differ,
// the tables or the export were changed behind the service's back. An export of an earlier moment, as a crash
// leaves it, says nothing; Verify compares that one too.
func (s *Service) Matches(export io.Reader) error {
	snap := s.current.Load()
	buffered := bufio.NewReaderSize(export, headBytes)
	head, _ := buffered.Peek(headBytes) // all of it, when the export is small
	log, err := projection.ReadLog(bytes.NewReader(head))
	if err != nil || log.Size != snap.Head.Size {
		return nil //nolint:nilerr // CheckExport has reported it as unreadable
	}
	same := &comparer{want: buffered}
	if err := snap.Write(same); err != nil || !same.atEnd() {
		return fault.New(fault.Internal, "store_differs", "the database and the export are of the same moment and do not agree").
			WithFix("run orchestrator verify, which says which of the two was changed; put back a good database, or move the export away")
	}
	return nil
}

// comparer is a writer that fails when it is given other bytes than it wants.
type comparer struct{ want *bufio.Reader }

func (c *comparer) Write(b []byte) (int, error) {
	got := make([]byte, len(b))
	if _, err := io.ReadFull(c.want, got); err != nil || !bytes.Equal(got, b) {
		return 0, errors.New("it differs")
	}
	return len(b), nil
}

func (c *comparer) atEnd() bool {
	_, err := c.want.ReadByte()
	return errors.Is(err, io.EOF)
}
