package runner

import (
	"os"
	"syscall"
)

// identity is what changes with a file's content. The time of change, unlike that of modification, cannot be set by
// whoever may write the file.
type identity struct {
	device, number uint64
	size           int64
	modified       syscall.Timespec
	changed        syscall.Timespec
}

// content leaves out what changes with the names and rights of a file too.
func (i identity) content() identity {
	i.changed = syscall.Timespec{}
	return i
}

func identityOf(file *os.File) (identity, error) {
	var s syscall.Stat_t
	if err := syscall.Fstat(int(file.Fd()), &s); err != nil {
		return identity{}, &os.PathError{Op: "stat", Path: file.Name(), Err: err}
	}
	return identity{device: s.Dev, number: s.Ino, size: s.Size, modified: s.Mtim, changed: s.Ctim}, nil
}

// files returns what is passed on to the program: the first is its descriptor 3. An interpreter opens its script by it.
func (p *pin) files() []*os.File {
	if p.file == nil {
		return nil
	}
	return []*os.File{p.file}
}

// path returns what is started. The kernel follows it to the very file that was hashed, whatever has its name by then.
func (p *pin) path() string {
	if p.file == nil {
		return p.real
	}
	return "/proc/self/fd/3"
}
