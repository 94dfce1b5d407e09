package report

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/boundary/folder"
)

// Tail reads what is added to a journal, from file to file. It is not for use by several goroutines.
type Tail struct {
	dir     folder.Dir
	offsets map[string]int64 // by the names of files: up to where they were read
	once    folder.Once
}

// NewTail returns the newest lines of a journal in their order, and a Tail for those that come after them: at most so
// many, and none from before a moment; 0 and the zero time set no bound. Lines that cannot be read, and decisions that
// repeat another one, are left out.
func NewTail(dir folder.Dir, most int, since time.Time) (*Tail, []folder.Line, error) {
	t := &Tail{dir: dir, offsets: map[string]int64{}}
	names, err := dir.Files()
	if err != nil {
		return nil, nil, err
	}
	var files [][]folder.Line // newest first
	n := 0
	for _, name := range slices.Backward(names) {
		if most > 0 && n >= most || dayOf(name) < since.UTC().Format(time.DateOnly) {
			t.offsets[name], _ = dir.Size(name) // one that is gone has nothing more to read
			continue
		}
		lines, err := t.file(name)
		if err != nil {
			return nil, nil, err
		}
		lines = slices.DeleteFunc(lines, func(l folder.Line) bool { return l.At.Before(since) })
		files, n = append(files, lines), n+len(lines)
	}
	slices.Reverse(files)
	newest := slices.Concat(files...)
	if most > 0 && n > most {
		newest = newest[n-most:]
	}
	return t, newest, nil
}

// dayOf returns the day that a file of the journal is of.
func dayOf(name string) string {
	day, _, _ := strings.Cut(name, ".")
	return day
}

// Next returns the lines that were added since the last time, in the order of the files.
func (t *Tail) Next() (added []folder.Line, err error) {
	names, err := t.dir.Files()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		lines, err := t.file(name)
		if err != nil {
			return added, err
		}
		added = append(added, lines...)
	}
	return added, nil
}

// file reads what one file has more. A file that is gone has nothing, and one that was replaced by a shorter one is
// read anew.
func (t *Tail) file(name string) (lines []folder.Line, err error) {
	size, err := t.dir.Size(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		delete(t.offsets, name)
		return nil, nil
	case err != nil:
		return nil, folder.Unreadable(name, err)
	case size == t.offsets[name]:
		return nil, nil
	case size < t.offsets[name]:
		t.offsets[name] = 0
	}
	t.offsets[name], err = t.dir.ReadFrom(name, t.offsets[name], func(raw []byte) error {
		if l, err := folder.ParseLine(raw); err == nil && !t.once.Again(l) {
			lines = append(lines, l)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return lines, folder.Unreadable(name, err)
	}
	return lines, nil
}
