// Package loopdisk makes file systems in files, mounted through loop devices, for the programs that torture the product
// and those that measure it. Making one needs root.
package loopdisk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"orchestrator/internal/system/child"
)

// The kinds of file systems.
const (
	Ext4 = "ext4"
	XFS  = "xfs"
)

// makers are the commands that make a file system in the file that follows them. An ext4 without a reserve of blocks
// for root is full when it says so, and what it would initialize later by itself is written at once.
var makers = map[string][]string{
	Ext4: {"mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0"},
	XFS:  {"mkfs.xfs", "-q", "-f"},
}

// Disk is a file system in a file.
type Disk struct {
	Dir     string // where it is mounted
	image   string
	mounted bool
}

// Needs returns the programs that a kind of disk needs.
func Needs(kind string) []string { return []string{makers[kind][0], "mount", "umount"} }

// New makes and mounts a file system of so many megabytes below dir. Its image is on the disk that dir is on, and takes
// no more of it than what is written. After an error nothing is left.
func New(ctx context.Context, dir, name, kind string, megabytes int64) (*Disk, error) {
	d := &Disk{image: filepath.Join(dir, name+".img"), Dir: filepath.Join(dir, name)}
	if err := os.Mkdir(d.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := d.make(ctx, makers[kind], megabytes); err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	return d, nil
}

func (d *Disk) make(ctx context.Context, maker []string, megabytes int64) error {
	f, err := os.Create(d.image)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(megabytes<<20), f.Close()); err != nil {
		return err
	}
	if err := child.Run(ctx, maker[0], append(maker[1:len(maker):len(maker)], d.image)...); err != nil {
		return err
	}
	return d.Attach(ctx)
}

// Attach mounts the disk, and replays its journal where the power was cut off. The loop device goes with the mount.
func (d *Disk) Attach(ctx context.Context) error {
	err := child.Run(ctx, "mount", "-o", "loop", d.image, d.Dir)
	d.mounted = d.mounted || err == nil
	return err
}

// Detach unmounts the disk. A process that has just been killed may hold it a moment longer. A disk that stays in use
// is taken out of sight, which is an error; it goes when nobody uses it any more.
func (d *Disk) Detach() (err error) {
	if !d.mounted {
		return nil
	}
	for range 100 {
		if err = child.Run(context.Background(), "umount", d.Dir); err == nil {
			d.mounted = false
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	lazy := child.Run(context.Background(), "umount", "-l", d.Dir)
	d.mounted = lazy != nil
	return errors.Join(err, lazy)
}

// Remove unmounts the disk and deletes its image.
func (d *Disk) Remove() error {
	return errors.Join(d.Detach(), os.RemoveAll(d.image), os.Remove(d.Dir))
}

// Written brings everything to the device that the file system holds, and returns how many bytes the device has taken
// since it was attached.
func (d *Disk) Written() (int64, error) {
	root, err := os.Open(d.Dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	if err := unix.Syncfs(int(root.Fd())); err != nil {
		return 0, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(root.Fd()), &st); err != nil {
		return 0, err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		return 0, err
	}
	return bytesWritten(string(stat))
}

// bytesWritten reads the statistics of a block device. The seventh number counts sectors that were written, of 512
// bytes on every device.
func bytesWritten(stat string) (int64, error) {
	f := strings.Fields(stat)
	if len(f) < 7 {
		return 0, fmt.Errorf("the statistics of a block device have at least 7 numbers, not %q", stat)
	}
	sectors, err := strconv.ParseInt(f[6], 10, 64)
	return sectors * 512, err
}
