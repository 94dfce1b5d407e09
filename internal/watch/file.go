package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
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
}

// Look returns the contents that the files have now. A file that is missing or cannot be read is left
// out, so that Files reports it once it can be.
func Look(paths ...string) Seen {
	seen := Seen{}
	for _, path := range paths {
		f := file{path: path, absolute: path, pattern: IsPattern(path)}
		if now, err := f.read(); err == nil && len(now.parts) > 0 {
			seen[path] = now
		}
	}
	return seen
}

// file is one watched path, or one pattern.
type file struct {
	path     string // as given
	absolute string
	pattern  bool
	entries  []string // see entries
	places   []place  // of a pattern
	last     content  // that was believed last, if known
	known    bool
	files    int       // that the pattern matched at the last look
	gone     bool      // it was known, and is missing or cannot be read
	due      time.Time // when to look at it; zero is not at all
	latest   time.Time // due is not put off beyond this
	doubt    *doubt    // that it is whole, or nil
	changed  bool      // and not reported yet
}

// newFile prepares a path, which must lie in a folder that exists, or did when it was seen. Of a pattern that is the part that is fixed.
func newFile(path string, seen Seen) (*file, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", path, err)
	}
	pattern, folder := IsPattern(path), filepath.Dir(absolute)
	if pattern {
		if folder, err = filepath.Abs(folderOf(path)); err != nil {
			return nil, fmt.Errorf("watch %s: %w", path, err)
		}
	}
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	last, known := seen[path]
	if err != nil && !known { // one that was there is gone since, which is a change
		return nil, fmt.Errorf("watch %s: folder %s: %w", path, folder, err)
	}
	return &file{path: path, absolute: absolute, pattern: pattern, last: last, known: known}, nil
}

// read digests what the path stands for now.
func (f *file) read() (content, error) {
	if f.pattern {
		return hashAll(f.path)
	}
	now := content{parts: map[string]part{}}
	sum, it, err := hash(f.absolute)
	if now.sum = sum; it.info != nil {
		now.parts[f.path] = it
	}
	return now, err
}

// locate finds anew which folder entries decide what the path reads.
func (f *file) locate() {
	if !f.pattern {
		f.entries = entries(f.absolute)
		return
	}
	f.places, f.entries = places(f.path)
	files, _ := Match(f.path) // read reports what is wrong with it
	for _, name := range files {
		if absolute, err := filepath.Abs(name); err == nil {
			f.entries = append(f.entries, entries(absolute)...)
		}
	}
}

// folders are those in which something may happen to what the path reads.
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

// dependsOn says whether an event on name may change what the file reads: on one of its entries, or on
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

// hash digests the content of a regular file; one that does not exist has no info. Anything else is an error, because
// reading it may block.
func hash(path string) (sum [sha256.Size]byte, it part, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return sum, it, fmt.Errorf("read %s: it is no regular file", path)
	}
	var opened *os.File
	if err == nil {
		opened, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return sum, it, nil
	}
	if err != nil {
		return sum, it, err
	}
	defer opened.Close()
	if info, err = opened.Stat(); err != nil { // of the very file that is read
		return sum, it, err
	}
	digest := sha256.New()
	size, err := io.Copy(digest, opened)
	if err != nil {
		return sum, it, fmt.Errorf("read %s: %w", path, err)
	}
	return [sha256.Size]byte(digest.Sum(nil)), part{info, size}, nil
}
