package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// disk is a file system in a file, mounted through a loop device. The power can be cut off under it.
type disk struct {
	image, mount string
	mounted      bool
}

// newDisk makes and mounts an ext4 of so many megabytes below dir. Without a reserve of blocks for root it is full when
// it says so. Its image is on the disk that dir is on.
func newDisk(ctx context.Context, dir, name string, megabytes int64) (*disk, error) {
	d := &disk{image: filepath.Join(dir, name+".img"), mount: filepath.Join(dir, name)}
	if err := os.Mkdir(d.mount, 0o700); err != nil {
		return nil, err
	}
	f, err := os.Create(d.image)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Truncate(megabytes<<20), f.Close()); err != nil {
		return nil, err
	}
	if err := command(ctx, "mkfs.ext4", "-q", "-F", "-m", "0", d.image); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	if err := d.attach(ctx); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	return d, nil
}

// attach mounts the disk, and replays its journal where the power was cut off. The loop device goes with the mount.
func (d *disk) attach(ctx context.Context) error {
	err := command(ctx, "mount", "-o", "loop", d.image, d.mount)
	d.mounted = d.mounted || err == nil
	return err
}

// cut shuts the file system down at once, as a power cut does: nothing more reaches the image. What was written and not
// synced is gone, and so is what the journal has not flushed; with flushed the journal is flushed before.
func (d *disk) cut(ctx context.Context, flushed bool) error {
	shutdown := "shutdown"
	if flushed {
		shutdown += " -f"
	}
	return command(ctx, "xfs_io", "-x", "-c", shutdown, d.mount)
}

// detach unmounts the disk. A process that has just been killed may hold it a moment longer. A disk that stays in use
// is taken out of sight, which is an error; it goes when nobody uses it any more.
func (d *disk) detach() (err error) {
	if !d.mounted {
		return nil
	}
	for range 100 {
		if err = command(context.Background(), "umount", d.mount); err == nil {
			d.mounted = false
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	lazy := command(context.Background(), "umount", "-l", d.mount)
	d.mounted = lazy != nil
	return errors.Join(err, lazy)
}

// remove unmounts the disk and deletes its image.
func (d *disk) remove() error {
	return errors.Join(d.detach(), os.RemoveAll(d.image), os.Remove(d.mount))
}

// fill takes all room that is left, and returns how to give it back.
func (d *disk) fill() (free func() error, err error) {
	path := filepath.Join(d.mount, "filler")
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

// command runs a program, to its end even when ctx ends or the terminal interrupts: a mount that is cut short would be
// left behind.
func command(ctx context.Context, name string, args ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
