package projection

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
)

// ExportFile opens an export to be read from its beginning. It is read several times, and not held in memory.
type ExportFile func() (io.Reader, error)

// ExportOf returns an export that is in memory already.
func ExportOf(content []byte) ExportFile {
	return func() (io.Reader, error) { return bytes.NewReader(content), nil }
}

// Log returns the log that the export names, and reads no further.
func (e ExportFile) Log() (log FileLog, err error) {
	err = e.read(func(from io.Reader) error {
		var unread error
		if log, unread = ReadLog(from); errors.Is(unread, errNoLog) {
			return nil
		}
		return unread
	})
	if err == nil && log.Size == 0 {
		err = ExportDiffers("it names no log")
	}
	return log, err
}

// Head reads the export to its end, and returns what stands before the requirements.
func (e ExportFile) Head() (head FileHead, err error) {
	err = e.read(func(from io.Reader) error { return jsonv2.UnmarshalRead(from, &head) })
	if err == nil && head.Log.Size == 0 {
		err = ExportDiffers("it names no log")
	}
	return head, err
}

// read has the export read. An error other than one of reading the file says that it is not whole.
func (e ExportFile) read(read func(io.Reader) error) error {
	from, err := e()
	if err != nil {
		return err
	}
	watched := &watchedReader{Reader: from}
	if err := read(watched); watched.err != nil {
		return watched.err
	} else if err != nil {
		return ExportDiffers("it is not whole").Because(err)
	}
	return nil
}

// Equals reports whether the export has the bytes that write writes, and no more. An error is one of reading it.
func (e ExportFile) Equals(write func(io.Writer) error) (bool, error) {
	from, err := e()
	if err != nil {
		return false, err
	}
	watched := &watchedReader{Reader: from}
	same := equals(watched, write)
	return same && watched.err == nil, watched.err
}

// equals reports whether what can be read is what write writes, and no more.
func equals(from io.Reader, write func(io.Writer) error) bool {
	c := &comparer{want: bufio.NewReaderSize(from, 64<<10)}
	return write(c) == nil && c.atEnd()
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

// ExportDiffers returns the error of an export that is not what the log amounts to.
func ExportDiffers(format string, args ...any) *fault.Error {
	return fault.New(fault.Conflict, "export_differs", "the export does not match the store: "+format, args...).
		WithFix("the store is the truth: move the export away and start the service, which writes it anew; if the " +
			"export is the newer one, put back the newer database")
}
