package main

import (
	"context"
	"os"
	"path/filepath"

	"orchestrator/internal/system/child"
	"orchestrator/internal/system/loopdisk"
)

// disk is a file system in a file. The power can be cut off under it.
type disk struct{ *loopdisk.Disk }

// newDisk makes and mounts an ext4 of so many megabytes below dir.
func newDisk(ctx context.Context, dir, name string, megabytes int64) (disk, error) {
	d, err := loopdisk.New(ctx, dir, name, loopdisk.Ext4, megabytes)
	return disk{d}, err
}

// cut shuts the file system down at once, as a power cut does: nothing more reaches the image. What was written and not
// synced is gone, and so is what the journal has not flushed; with flushed the journal is flushed before.
func (d disk) cut(ctx context.Context, flushed bool) error {
	shutdown := "shutdown"
	if flushed {
		shutdown += " -f"
	}
	return child.Run(ctx, "xfs_io", "-x", "-c", shutdown, d.Dir)
}

// fill takes all room that is left, and returns how to give it back.
func (d disk) fill() (free func() error, err error) {
	path := filepath.Join(d.Dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for size := 1 << 20; size >= 1<<10; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	_ = f.Sync() // what the disk could not take it says here; it is full either way
	return func() error { return os.Remove(path) }, nil
}
