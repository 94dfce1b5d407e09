package background

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
)

// Older is what the name of a log ends with whose content was moved there.
const Older = ".1"

// Log writes to a file that is open for appending, and moves its content to a second file before it grows over a limit.
// The two together have at most twice the limit. The file stays the same one, so whatever else this process writes to
// it, such as a trace when it crashes, lands there too.
type Log struct {
	file  *os.File
	path  string
	limit int64
	mu    sync.Mutex
}

// NewLog returns a log that writes to file, which is at path.
func NewLog(file *os.File, path string, limit int64) *Log {
	return &Log{file: file, path: path, limit: limit}
}

// Write adds to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, err := l.file.Stat(); err == nil && info.Size() > 0 && info.Size()+int64(len(p)) > l.limit {
		if err := l.turn(); err != nil {
			return 0, err
		}
	}
	return l.file.Write(p)
}

// turn moves the content to the second file. Where it cannot be kept, it is dropped: the limit holds.
func (l *Log) turn() error {
	return errors.Join(l.keep(), l.file.Truncate(0))
}

func (l *Log) keep() error {
	from, err := os.OpenFile(l.path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil // somebody removed it: there is nothing to keep
	}
	defer from.Close()
	to, err := os.OpenFile(l.path+Older, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
