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

// Seen holds the SHA-256 of file contents by path; of a pattern, that of all names and contents.
type Seen map[string][sha256.Size]byte

// Look returns the contents that the files have now. A file that is missing or cannot be read is left
// out, so that Files reports it once it can be.
func Look(paths ...string) Seen {
	seen := Seen{}
	for _, path := range paths {
		f := file{path: path, absolute: path, pattern: IsPattern(path)}
		if sum, files, err := f.read(); err == nil && files > 0 {
			seen[path] = sum
		}
	}
	return seen
}

// file is one watched path, or one pattern.
type file struct {
	path     string // as given
	absolute string
	pattern  bool
	entries  []string          // see entries
	places   []place           // of a pattern
	sum      [sha256.Size]byte // of the content reported last, if known
	known    bool
	files    int       // that the pattern matched at the last look
	gone     bool      // it was known, and is missing or cannot be read
	due      time.Time // when to look at it; zero is not at all
	latest   time.Time // due is not put off beyond this
}

// newFile prepares a path, which must lie in a folder that exists. Of a pattern that is the part that is fixed.
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
	if err != nil {
		return nil, fmt.Errorf("watch %s: folder %s: %w", path, folder, err)
	}
	sum, known := seen[path]
	return &file{path: path, absolute: absolute, pattern: pattern, sum: sum, known: known}, nil
}

// read digests what the path stands for now, and says how many files that is.
func (f *file) read() (sum [sha256.Size]byte, files int, err error) {
	if f.pattern {
		return hashAll(f.path)
	}
	sum, exists, err := hash(f.absolute)
	if exists {
		files = 1
	}
	return sum, files, err
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

// postpone makes the file due once it has been left alone for debounce, from now.
func (f *file) postpone(now time.Time, debounce time.Duration) {
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

// hash digests the content of a regular file. Anything else is an error, because reading it may block.
func hash(path string) (sum [sha256.Size]byte, exists bool, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return sum, false, fmt.Errorf("read %s: it is no regular file", path)
	}
	var content *os.File
	if err == nil {
		content, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return sum, false, nil
	}
	if err != nil {
		return sum, false, err
	}
	defer content.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, content); err != nil {
		return sum, false, fmt.Errorf("read %s: %w", path, err)
	}
	return [sha256.Size]byte(digest.Sum(nil)), true, nil
}
