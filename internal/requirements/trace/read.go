package trace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/system/tree"
)

const (
	maxFile = 2 << 20 // a larger file is no source that somebody wrote
	sniffed = 8 << 10 // a NUL in the first bytes shows a binary file
	maxLine = 4 << 10 // what stands further behind in a line was generated
)

// reader looks for ids in files. It is shared by goroutines, and nothing of it changes.
type reader struct {
	root  *os.Root
	marks *book
	names *idmatch.IDs
	hint  hint
}

// fileRead is what one file gave.
type fileRead struct {
	path    string
	text    bool   // it was read, and is no binary
	skipped string // why it was not looked at; "" also for what nobody would expect to be
	hits    []lineHit
}

// lineHit is a hit and its line.
type lineHit struct {
	hit

	number int
}

// readAll reads files side by side; the answer is in their order.
func (r *reader) readAll(ctx context.Context, files []string, progress func(done, total int)) ([]fileRead, error) {
	read := make([]fileRead, len(files))
	var next, done atomic.Int64
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		work.Go(func() {
			var buffer bytes.Buffer
			for i := int(next.Add(1)) - 1; i < len(files) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				read[i] = r.readFile(files[i], &buffer)
				if progress != nil {
					progress(int(done.Add(1)), len(files))
				}
			}
		})
	}
	work.Wait()
	return read, ctx.Err()
}

// readFile reads one file, with a buffer for its content. What is gone, or is no file, is passed over.
func (r *reader) readFile(path string, buffer *bytes.Buffer) fileRead {
	out := fileRead{path: path}
	content, err := r.content(filepath.FromSlash(path), buffer)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoText):
	case errors.Is(err, errTooLarge):
		out.skipped = "larger than 2 MiB"
	case err != nil:
		out.skipped = "cannot be read: " + reason(err)
	default:
		out.text = true
		out.hits = r.find(path, string(content))
	}
	return out
}

var (
	errNoText   = errors.New("no regular file, or a binary one")
	errTooLarge = errors.New("too large")
)

// content returns the text of a regular file; another one is not waited for.
func (r *reader) content(name string, buffer *bytes.Buffer) ([]byte, error) {
	info, err := r.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoText
	}
	f, err := tree.OpenUnblocked(r.root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errNoText, err) // another file stands here now
	}
	buffer.Reset()
	if _, err := buffer.ReadFrom(io.LimitReader(f, sniffed)); err != nil {
		return nil, err
	}
	if bytes.IndexByte(buffer.Bytes(), 0) >= 0 {
		return nil, errNoText
	}
	if info.Size() > maxFile {
		return nil, errTooLarge
	}
	if info.Size() > sniffed {
		_, err = buffer.ReadFrom(io.LimitReader(f, maxFile-sniffed))
	}
	return buffer.Bytes(), err
}

// reason returns what went wrong, without the names that the system's errors begin with.
func reason(err error) string {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// find returns what the lines of a file name, in their order; of one line marks come before tests.
func (r *reader) find(path, text string) (hits []lineHit) {
	inMarks := marks{ids: r.marks}
	inNames := names{in: languageOf(path), hint: r.hint}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line[:min(len(line), maxLine)], "\r\n")
		for _, h := range inMarks.line(line) {
			hits = append(hits, lineHit{h, number})
		}
		if inNames.in == nil {
			continue
		}
		for _, name := range inNames.line(line) {
			for _, id := range r.names.In(name) {
				hits = append(hits, lineHit{hit{named{id: id, known: true}, "", name}, number})
			}
		}
	}
	return hits
}
