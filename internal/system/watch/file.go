package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orchestrator/internal/system/tree"
)

// Seen holds what the files of each path had in them.
type Seen map[string]content

// content is what a path stands for at one look: the SHA-256 of a file, or of all names and contents that match a
// pattern, and how large which file was.
type content struct {
	sum   [sha256.Size]byte
	parts map[string]part // by name
}

type part struct {
	info fs.FileInfo // says whether it is the same file still
	size int64       // as it was read
	sum  [sha256.Size]byte
	at   time.Time // when it was read
}

// settled is the time after which a file that is written again has another time of modification, on every file system.
const settled = 2 * time.Second

// holds reports whether a file is, by all that the system tells without reading it, what it was.
func (p part) holds(now fs.FileInfo) bool {
	return os.SameFile(p.info, now) && p.info.Size() == now.Size() && p.info.ModTime().Equal(now.ModTime()) &&
		p.at.Sub(now.ModTime()) > settled
}

// Look returns the contents that the files have now, of at most maxBytes each. A file that is missing or cannot be read
// is left out, so that Files reports it once it can be.
func Look(ctx context.Context, maxBytes int64, paths ...*tree.Path) Seen {
	seen := Seen{}
	for _, path := range paths {
		f := file{path: path.Given, in: path, most: maxBytes}
		if now, err := f.read(ctx); err == nil && len(now.parts) > 0 {
			seen[path.Given] = now
		}
	}
	return seen
}

// file is one watched path, or one pattern.
type file struct {
	path     string // as given
	in       *tree.Path
	most     int64 // bytes that are read of a file
	absolute string
	entries  []string // see entries
	places   []place  // of a pattern
	last     content  // that was believed last, if known
	known    bool
	files    int       // that the pattern matched at the last look
	gone     bool      // it was known, and is missing or cannot be read
	reason   string    // why
	touched  bool      // there was an event since it was read
	due      time.Time // when to look at it; zero is not at all
	latest   time.Time // due is not put off beyond this
	doubt    *doubt    // that it is whole, or nil
	changed  bool      // and not reported yet
}

// newFile prepares a path, which must lie in a folder that exists, or did when it was seen. Of a pattern that is the
// part that is fixed.
func newFile(path *tree.Path, most int64, seen Seen) (*file, error) {
	absolute, err := filepath.Abs(path.Given)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", path.Given, err)
	}
	folder, err := filepath.Abs(path.Fixed())
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", path.Given, err)
	}
	if !path.IsPattern() {
		folder = filepath.Dir(absolute)
	}
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	last, known := seen[path.Given]
	if err != nil && !known { // one that was there is gone since, which is a change
		return nil, fmt.Errorf("watch %s: folder %s: %w", path.Given, folder, err)
	}
	return &file{path: path.Given, in: path, most: most, absolute: absolute, last: last, known: known}, nil
}

// read digests what the path stands for now. Without an event, what looks as it did when it was read last is not read.
func (f *file) read(ctx context.Context) (content, error) {
	now := content{parts: map[string]part{}}
	names, err := f.in.Match(ctx)
	if err != nil {
		return now, fmt.Errorf("the pattern %s cannot be read: %w", f.path, err)
	}
	digest := sha256.New()
	left := MostFull * f.most
	for _, name := range names {
		it, err := f.readPart(ctx, name, min(left, f.most))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it may have gone since
		}
		if errors.Is(err, tree.ErrTooLarge) && left < f.most {
			return now, fmt.Errorf("the files of %s have together more than %d bytes: %w", f.path, MostFull*f.most, err)
		}
		if err != nil {
			return now, err
		}
		left -= it.size
		now.parts[name] = it
		fmt.Fprintf(digest, "%q %x\n", name, it.sum)
	}
	f.touched = false
	now.sum = [sha256.Size]byte(digest.Sum(nil))
	return now, nil
}

func (f *file) readPart(ctx context.Context, name string, most int64) (part, error) {
	opened, err := f.in.Open(ctx, name, most)
	if err != nil {
		return part{}, err
	}
	defer opened.Close()
	if was, known := f.last.parts[name]; known && !f.touched && was.holds(opened.Info()) {
		return was, nil
	}
	it := part{info: opened.Info(), at: time.Now()}
	digest := sha256.New()
	if it.size, err = io.Copy(digest, opened); err != nil {
		return it, fmt.Errorf("read %s: %w", name, err)
	}
	it.sum = [sha256.Size]byte(digest.Sum(nil))
	return it, nil
}

// locate finds anew which folder entries decide what the path reads.
func (f *file) locate(ctx context.Context) {
	if !f.in.IsPattern() {
		f.entries = f.confined(entries(f.absolute))
		return
	}
	f.places, f.entries = f.locatePattern(ctx)
	files, _ := f.in.Match(ctx) // read reports what is wrong with it
	for _, name := range files {
		if absolute, err := filepath.Abs(name); err == nil {
			f.entries = append(f.entries, f.confined(entries(absolute))...)
		}
	}
}

// confined leaves out what a link out of the folder leads to: it is not read, and so need not be watched.
func (f *file) confined(entries []string) []string {
	root, err := filepath.Abs(f.in.Folder())
	if err != nil {
		return nil
	}
	last := entries[len(entries)-1]
	if last != root && !strings.HasPrefix(last, strings.TrimSuffix(root, separator)+separator) {
		return entries[:len(entries)-1]
	}
	return entries
}

// folders returns those in which something may happen to what the path reads.
func (f *file) folders() (all []string) {
	for _, entry := range f.entries {
		all = append(all, filepath.Dir(entry))
	}
	for _, p := range f.places {
		all = append(all, p.folder)
	}
	return all
}

// postpone makes the file due once it has been left alone for debounce, from now; in doubt, for longer.
func (f *file) postpone(now time.Time, debounce time.Duration) {
	if f.doubt != nil {
		debounce *= settling
	}
	if f.due.IsZero() {
		f.latest = now.Add(patience * debounce)
	}
	f.due = now.Add(debounce)
	if f.due.After(f.latest) {
		f.due = f.latest
	}
}

// dependsOn reports whether an event on name may change what the file reads: on one of its entries, or on
// the folder of one, which may have been removed or replaced; of a pattern, on a name that matches.
func (f *file) dependsOn(name string) bool {
	for _, p := range f.places {
		if p.holds(name) {
			return true
		}
	}
	for _, entry := range f.entries {
		if name == entry || name == filepath.Dir(entry) {
			return true
		}
	}
	return false
}

// entries returns the folder entries that decide what an absolute path reads: each symbolic link on the
// way, and the file at the end, all without links in the path to them.
func entries(absolute string) []string {
	const mostLinks = 40
	var links []string
	at, rest := separator, strings.Split(absolute, separator)
	for len(rest) > 0 && len(links) < mostLinks {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil {
			at = next // no link, or nothing there yet
			continue
		}
		links = append(links, next)
		if filepath.IsAbs(target) {
			at = separator
		}
		rest = append(strings.Split(target, separator), rest...)
	}
	return append(links, at)
}
