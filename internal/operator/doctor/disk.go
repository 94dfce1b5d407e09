package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"orchestrator/internal/system/tree"
)

// room is what a file system has.
type room struct {
	bytes, files uint64
	counted      bool // it counts files
	readOnly     bool
}

// Limits below which there is little space.
const (
	fewBytes  = 256 << 20
	noBytes   = 8 << 20
	fewFiles  = 1000
	noFiles   = 10
	mebibytes = 20 // bits
)

func (e *examination) lookAtDisk() {
	folder := string(e.Data)
	if !tree.Exists(folder) {
		folder = filepath.Dir(folder)
	}
	has, err := roomOf(folder)
	if err != nil {
		e.fail("disk", Problem, err)
		return
	}
	e.judge(folder, has)
}

// roomOf asks the file system of a folder.
func roomOf(folder string) (room, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return room{}, &os.PathError{Op: "statfs", Path: folder, Err: err}
	}
	return room{bytes: s.Bavail * uint64(s.Bsize), files: s.Ffree, counted: s.Files > 0,
		readOnly: errors.Is(syscall.Access(folder, 2), syscall.EROFS)}, nil
}

// judge says what follows from the room that there is.
func (e *examination) judge(folder string, has room) {
	smaller := e.orchestrator("compact")
	if e.known.served {
		smaller = e.orchestrator("down") + " && " + smaller + " && " + e.orchestrator("up")
	}
	switch {
	case has.readOnly:
		e.say("disk", Problem, "sudo mount -o remount,rw "+quoted(mountPoint(folder)),
			"%s is on a read-only file system",
			folder)
	case has.bytes < noBytes:
		e.advise("disk", Problem, "make space; changes are refused until there is some", "%d MiB are free",
			has.bytes>>mebibytes)
	case has.counted && has.files < noFiles:
		e.advise("disk", Problem, "remove files that nobody needs", "the file system takes %d more files", has.files)
	case has.bytes < fewBytes && e.Store.IsShared():
		e.advise("disk", Warning, "remove files that nobody needs", "%d MiB are free", has.bytes>>mebibytes)
	case has.bytes < fewBytes:
		e.say("disk", Warning, smaller, "%d MiB are free", has.bytes>>mebibytes)
	case has.counted && has.files < fewFiles:
		e.advise("disk", Warning, "remove files that nobody needs", "the file system takes %d more files", has.files)
	default:
		e.say("disk", OK, "", "%d MiB are free", has.bytes>>mebibytes)
	}
}

// mountPoint returns the top of the file system that a folder lies on.
func mountPoint(folder string) string {
	at := tree.Real(folder)
	for device := deviceOf(at); at != filepath.Dir(at) && deviceOf(filepath.Dir(at)) == device; {
		at = filepath.Dir(at)
	}
	return at
}

func deviceOf(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev) //nolint:unconvert // of another type on other systems
	}
	return 0
}
