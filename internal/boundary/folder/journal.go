package folder

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/tree"
)

// MaxLine is the most bytes of a line, its end included. What a hook is given may be large; what it notes is not.
const MaxLine = 16 << 10

// MaxFile is the size from which a file of the journal gets no more lines: the next one of its day begins.
const MaxFile = 16 << 20

// mostRead is the size from which a file is no journal of ours: lines that were begun before it was full are added to
// it.
const mostRead = 4 * MaxFile

func (d Dir) journalPath() string { return filepath.Join(d.path, "journal") }

// Append adds a line, in one write, to the newest file of its day. Many processes may append at once: no line is lost
// or torn by another. It is not synced: after a power cut the last seconds may be missing.
func (d Dir) Append(l Line) error {
	raw, err := encodeLine(l)
	if err != nil {
		return err
	}
	f, err := d.openFor(l.At)
	if err != nil {
		return unwritable(d.journalPath(), err)
	}
	if torn(f) {
		raw = append([]byte("\n"), raw...)
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Close()); err != nil {
		return unwritable(d.journalPath(), err)
	}
	return nil
}

// torn reports whether the file ends within a line: a process was killed, or the disk was full, in the middle of its
// write. A line that another process is just writing is whole at once.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// encodeLine leaves out what does not fit, beginning with the files: in names of control characters each takes six
// bytes.
func encodeLine(l Line) ([]byte, error) {
	raw, err := marshal(l)
	for _, targets := range []int{12, 3, 1, 0} {
		if err != nil || len(raw) < MaxLine {
			break
		}
		short := l
		short.Parts, short.Named, short.Cut = shorten(l, targets), nil, true
		if short.Reads = shortenPaths(slices.Clone(l.Reads), targets); len(l.Reads) > 0 && targets == 0 {
			short.Reads = []boundary.Target{{Path: ".orchestrator/tokens"}} // one stands for all: each is a secret
		}
		raw, err = marshal(short)
	}
	if err == nil && len(raw) >= MaxLine {
		err = fmt.Errorf("a line of the journal has %d bytes", len(raw))
	}
	return append(raw, '\n'), err
}

// appending follows no link, and waits for no pipe, that took the place of a file since it was looked at.
const appending = os.O_APPEND | os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// openFor opens the newest file of a day for appending, or the next one where it is full.
func (d Dir) openFor(at time.Time) (*os.File, error) {
	day := at.UTC().Format(time.DateOnly)
	for n := 0; ; n++ {
		name := filepath.Join(d.journalPath(), fileName(day, n))
		info, err := os.Lstat(name)
		if err == nil && (info.Size() >= MaxFile || !info.Mode().IsRegular()) {
			continue
		}
		f, err := os.OpenFile(name, appending, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			if err := os.MkdirAll(d.journalPath(), 0o700); err != nil {
				return nil, err
			}
			f, err = os.OpenFile(name, appending, 0o600)
		}
		return f, err
	}
}

func fileName(day string, n int) string {
	if n == 0 {
		return day + ".jsonl"
	}
	return fmt.Sprintf("%s.%d.jsonl", day, n)
}

// Files returns the files of the journal, oldest first.
func (d Dir) Files() ([]string, error) {
	entries, err := tree.ReadDir(d.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, Unreadable(d.journalPath(), err)
	}
	type file struct {
		day, name string
		n         int
	}
	var files []file
	for _, e := range entries {
		if day, n, ok := parseName(e.Name()); ok && e.Type().IsRegular() {
			files = append(files, file{day, e.Name(), n})
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		if a.day != b.day {
			return strings.Compare(a.day, b.day)
		}
		return a.n - b.n
	})
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.name
	}
	return names, nil
}

// Unreadable returns the error of a journal, or a file of one, that cannot be read.
func Unreadable(path string, err error) error {
	return fault.New(fault.Unavailable, "journal_unreadable", "the journal %s cannot be read", path).
		WithFix("make it readable for this user, or move away what is no journal").Because(err)
}

func parseName(name string) (day string, n int, ok bool) {
	base, ok := strings.CutSuffix(name, ".jsonl")
	if !ok {
		return "", 0, false
	}
	day, number, numbered := strings.Cut(base, ".")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", 0, false
	}
	if numbered {
		var err error
		if n, err = strconv.Atoi(number); err != nil || n < 1 || strconv.Itoa(n) != number {
			return "", 0, false
		}
	}
	return day, n, true
}

// Read visits the lines of the journal in order. A line that cannot be read is given with its error: it is counted, and
// never fatal. The last line of a file is left out while it has no end: it is being written.
func (d Dir) Read(visit func(l Line, err error) error) error {
	names, err := d.Files()
	if err != nil {
		return err
	}
	for _, name := range names {
		_, err := d.ReadFrom(name, 0, func(raw []byte) error {
			l, err := ParseLine(raw)
			return visit(l, err)
		})
		if err != nil {
			return Unreadable(name, err)
		}
	}
	return nil
}

// Size returns how many bytes a file of the journal has.
func (d Dir) Size(name string) (int64, error) {
	info, err := os.Stat(filepath.Join(d.journalPath(), name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadFrom visits the whole lines of one file from an offset on, without their ends, and returns the offset after them.
// Empty lines are passed over. A line longer than any is given cut.
func (d Dir) ReadFrom(name string, offset int64, visit func(raw []byte) error) (int64, error) {
	return readFrom(filepath.Join(d.journalPath(), name), offset, visit)
}

// ReadFile visits the lines of any one file of a journal, as Read does.
func ReadFile(path string, visit func(l Line, err error) error) error {
	_, err := readFrom(path, 0, func(raw []byte) error {
		l, err := ParseLine(raw)
		return visit(l, err)
	})
	return err
}

func readFrom(path string, offset int64, visit func(raw []byte) error) (int64, error) {
	f, err := tree.OpenFile(context.Background(), path, mostRead)
	if err != nil {
		return offset, err
	}
	defer f.Close()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return offset, err
	}
	r := bufio.NewReaderSize(f, 2*MaxLine)
	for {
		line, n, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return offset, nil
		}
		if err == nil && len(bytes.TrimSpace(line)) > 0 {
			err = visit(line)
		}
		if err != nil {
			return offset, err
		}
		offset += n
	}
}

// readLine reads a whole line, and says how long it is with its end; io.EOF for one that has no end.
func readLine(r *bufio.Reader) (line []byte, n int64, err error) {
	line, err = r.ReadSlice('\n')
	n = int64(len(line))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.TrimSuffix(line, []byte("\n")), n, err
	}
	line = bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		var more []byte
		more, err = r.ReadSlice('\n')
		n += int64(len(more))
	}
	return line, n, err
}

// ParseLine reads a line. Members that it does not know are let through: a newer program may have written them.
func ParseLine(raw []byte) (l Line, err error) {
	if err = jsonv2.Unmarshal(raw, &l, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Line{}, err
	}
	if l.ID == "" || l.Kind == "" || l.At.IsZero() {
		return Line{}, errors.New("a line of the journal needs id, at and kind")
	}
	return l, nil
}

// mostPath is the most bytes of a file's name that a line keeps, where all of it would not fit.
const mostPath = 400

// shorten makes one part of all that a call does, with at most so many files.
func shorten(l Line, most int) []boundary.Part {
	all := boundary.Part{Class: boundary.Reads, Targets: boundary.Written(l.Named, l.Parts)}
	if l.Verdict != nil {
		all.Class = l.Verdict.Class
	}
	for _, p := range l.Parts {
		if all.Why == "" && p.Class == all.Class {
			all.Words, all.Why, all.Foreign = p.Words, p.Why, p.Foreign
		}
	}
	all.Targets = shortenPaths(all.Targets, most)
	all.Words = slices.Clone(all.Words[:min(4, len(all.Words))])
	for i, w := range all.Words {
		all.Words[i] = fault.Clip(w, 60)
	}
	all.Why = fault.Clip(all.Why, 200)
	return []boundary.Part{all}
}

// shortenPaths keeps so many files, and of each no more of its name than a line has room for.
func shortenPaths(targets []boundary.Target, most int) []boundary.Target {
	targets = targets[:min(most, len(targets))]
	for i, t := range targets {
		targets[i] = boundary.Target{Path: cut(t.Path), Real: cut(t.Real), Unknown: t.Unknown || len(t.Path) > mostPath}
	}
	return targets
}

func cut(path string) string { return path[:min(mostPath, len(path))] }
