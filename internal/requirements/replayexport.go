package requirements

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
)

// ExportFile opens an export to be read from its beginning. It is read twice, and never held in memory.
type ExportFile func() (io.Reader, error)

// ExportOf is an export that is in memory already.
func ExportOf(content []byte) ExportFile {
	return func() (io.Reader, error) { return bytes.NewReader(content), nil }
}

// head reads the export to its end, and returns what stands before the requirements.
func (e ExportFile) head() (head projection.FileHead, err error) {
	from, err := e()
	if err != nil {
		return head, err
	}
	watched := &watchedReader{Reader: from}
	if err := jsonv2.UnmarshalRead(watched, &head); watched.err != nil {
		return head, watched.err
	} else if err != nil {
		return head, damagedExport("it is not whole").Because(err)
	}
	if head.Log.Size == 0 {
		return head, damagedExport("it names no log")
	}
	return head, nil
}

// watchedReader keeps the error of reading apart from what is wrong with what was read.
type watchedReader struct {
	io.Reader
	err error
}

func (w *watchedReader) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// compareExport holds the export against the state that the log has come to, byte by byte.
func (f *fold) compareExport(head audit.Head) error {
	if f.export == nil {
		return nil
	}
	counts, err := f.counts()
	if err != nil {
		return err
	}
	from, err := f.export()
	if err != nil {
		return err
	}
	watched := &watchedReader{Reader: from}
	same := &comparer{want: bufio.NewReaderSize(watched, headBytes)}
	err = projection.WriteFile(same, f.project, counts, head, func(yield func([]byte) bool) {
		for _, id := range f.project.IDs {
			if !yield(f.states.raw(id)) {
				return
			}
		}
	})
	if watched.err != nil {
		return watched.err
	}
	if err != nil || !same.atEnd() {
		return damagedExport("it is not the state of the log at size %d", head.Size)
	}
	return nil
}

// counts counts the requirements, each of which the project must list once.
func (f *fold) counts() (counts projection.Counts, err error) {
	listed := make(map[string]bool, len(f.project.IDs))
	for _, id := range f.project.IDs {
		one := f.states.byID[id]
		if one == nil {
			return counts, projection.Disagreement("the project lists %q, which is not among the requirements", id)
		}
		listed[id] = true
		counts.Add(projection.Summary{Status: one.status, Suspect: one.suspect, Stale: one.stale,
			Retired: one.retired, Revision: one.revision})
	}
	if len(listed) != len(f.states.byID) || len(listed) != len(f.project.IDs) {
		return counts, projection.Disagreement("the project lists %d requirements, the store has %d", len(listed),
			len(f.states.byID))
	}
	return counts, nil
}

func damagedExport(format string, args ...any) *fault.Error {
	return fault.New(fault.Conflict, "export_differs", "the export does not match the store: "+format, args...).
		WithFix("the store is the truth: move the export away and start the service, which writes it anew; if the " +
			"export is the newer one, put back the newer database")
}
