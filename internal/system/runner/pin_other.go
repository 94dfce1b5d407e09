//go:build !linux

package runner

import (
	"os"
	"time"
)

// identity is what changes with a file's content.
type identity struct {
	size     int64
	modified time.Time
}

func (i identity) content() identity { return i }

func identityOf(file *os.File) (identity, error) {
	info, err := file.Stat()
	if err != nil {
		return identity{}, err
	}
	return identity{size: info.Size(), modified: info.ModTime()}, nil
}

func (p *pin) files() []*os.File { return nil }

// path returns a name, and names can be given to other files: between the check and the start there is a race.
func (p *pin) path() string { return p.real }
