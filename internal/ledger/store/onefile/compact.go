package onefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"orchestrator/internal/ledger/store/onefile/file"

	bolt "go.etcd.io/bbolt"
)

// maxCopy is how many bytes of keys and values Compact writes in one transaction, which bbolt holds in memory.
const maxCopy = 4 << 20

// Compacted is what Compact did.
type Compacted struct {
	Before, After int64          // bytes of the file; equal when nothing was to be won, and the file was left as it is
	Entries       map[string]int // by table
}

// Compact writes the file anew without its free pages, and puts it in the place of the old one. It changes no entry:
// the new file must pass Check, hold the same tables with the same entries, byte for byte, and please accept, which
// is given it for reading; else the old one stays.
//
// The new file is written beside the old one, synced, and renamed over it, with mode and owner of the old one. A crash
// at any moment leaves the one or the other, whole; what it leaves beside is removed by the next Compact. Updates wait
// meanwhile. After it the Store answers nothing more: open the file again.
func (s *Store) Compact(ctx context.Context, accept func(*Store) error) (Compacted, error) {
	return s.compact(ctx, accept, func(string) error { return nil })
}

// compact calls reached after every step; an error of it, in tests, stands for a failure of the next step.
func (s *Store) compact(ctx context.Context, accept func(*Store) error,
	reached func(step string) error) (c Compacted, err error) {
	if s.readOnly {
		return c, errReadOnly(s.path)
	}
	writer, err := s.db.Begin(true) // keeps updates out
	if err != nil {
		return c, err
	}
	defer func() { _ = writer.Rollback() }()
	target, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return c, notCompacted(s.path, err)
	}
	temp := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".compact")
	defer func() { _ = os.Remove(temp) }() // after the rename there is none
	if c.Before, err = s.size(); err == nil {
		err = compaction{s}.copyTo(temp, reached)
	}
	if err == nil {
		c.Entries, c.After, err = compaction{s}.checkCopy(ctx, temp, accept)
	}
	if err == nil {
		err = reached("checked")
	}
	if err != nil {
		return c, notCompacted(s.path, err)
	}
	if c.After >= c.Before {
		c.After = c.Before
		return c, nil
	}
	return c, compaction{s}.replaceBy(temp, target, reached)
}

// compaction is a store whose file is written anew.
type compaction struct{ *Store }

// copyTo writes and syncs the new file, with mode and owner of the old one.
func (s compaction) copyTo(temp string, reached func(string) error) error {
	// what a crash left; the lock keeps others out
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.copyEntries(temp, reached); err != nil {
		return err
	}
	f, err := os.OpenFile(temp, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = errors.Join(s.trim(f), f.Sync(), f.Close())
	if err == nil {
		err = reached("synced")
	}
	return err
}

func (s compaction) copyEntries(temp string, reached func(string) error) (err error) {
	defer s.catch(&err)
	dst, err := bolt.Open(temp, 0o600, &bolt.Options{
		PageSize: s.db.Info().PageSize, FreelistType: bolt.FreelistMapType, InitialMmapSize: mapSize,
		NoStatistics: true,
		NoSync:       true, NoGrowSync: true, // it is synced once, when it is whole
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			return os.OpenFile(name, flag|os.O_EXCL, mode)
		},
	})
	if err == nil {
		err = reached("created")
	}
	if err == nil {
		defer func() { err = errors.Join(err, dst.Close()) }()
		err = bolt.Compact(dst, s.db, maxCopy)
	}
	if err == nil {
		err = reached("copied")
	}
	return err
}

// trim cuts off what bbolt allotted beyond the last page, and gives the new file mode and owner of the old one.
func (s compaction) trim(f *os.File) error {
	heads, err := file.ReadHeads(f, func() (int64, error) { info, err := f.Stat(); return info.Size(), err })
	if err != nil {
		return err
	}
	h, err := file.Newest(heads)
	if err == nil {
		err = f.Truncate(int64(h.Pages * h.PageSize))
	}
	old, err2 := s.file.Stat()
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if as, ok := old.Sys().(*syscall.Stat_t); ok && (int(as.Uid) != os.Geteuid() || int(as.Gid) != os.Getegid()) {
		if err := f.Chown(int(as.Uid), int(as.Gid)); err != nil {
			return err
		}
	}
	return f.Chmod(old.Mode().Perm())
}

// checkCopy holds the new file against the old one.
func (s compaction) checkCopy(ctx context.Context, temp string,
	accept func(*Store) error) (entries map[string]int, size int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	c, err := Open(temp, Options{ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Check(); err != nil {
		return nil, 0, err
	}
	if entries, err = sameEntries(ctx, s.Store, c); err != nil {
		return nil, 0, err
	}
	if err := accept(c); err != nil {
		return nil, 0, err
	}
	size, err = c.size()
	return entries, size, errors.Join(err, ctx.Err())
}

// sameEntries counts the entries of every table, which must be those of the other store.
func sameEntries(ctx context.Context, a, b *Store) (counts map[string]int, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer a.catch(&err)
	one, err := a.begin()
	if err != nil {
		return nil, err
	}
	defer func() { _ = one.Rollback() }()
	other, err := b.begin()
	if err != nil {
		return nil, err
	}
	defer func() { _ = other.Rollback() }()
	counts = map[string]int{}
	err = sameCursors(one.Cursor(), other.Cursor(), func(name, _ []byte) error {
		count := 0
		err := sameCursors(one.Bucket(name).Cursor(), other.Bucket(name).Cursor(),
			func(_, _ []byte) error { count++; return ctx.Err() })
		if err != nil {
			return fmt.Errorf("table %q: %w", name, err)
		}
		counts[string(name)] = count
		return nil
	})
	return counts, err
}

// sameCursors visits the entries of two cursors, which must be the same.
func sameCursors(a, b *bolt.Cursor, visit func(key, value []byte) error) error {
	k, v := a.First()
	k2, v2 := b.First()
	for k != nil || k2 != nil {
		if !bytes.Equal(k, k2) || !bytes.Equal(v, v2) {
			return file.Flaw("the copy has another value at key %q", k)
		}
		if err := visit(k, v); err != nil {
			return err
		}
		k, v = a.Next()
		k2, v2 = b.Next()
	}
	return nil
}

// replaceBy puts the new file in the place of the old one. From then on the old one, which this Store has open, must
// not be written to.
func (s compaction) replaceBy(temp, target string, reached func(string) error) error {
	if err := s.rename(temp, target); err != nil {
		return notCompacted(s.path, err)
	}
	err := reached("renamed")
	if err == nil {
		err = syncDir(filepath.Dir(target))
	}
	if err != nil {
		return refuse("store_compact_sync", err, "%s was compacted, but its folder could not be synced", s.path).
			WithFix("both files are whole, and a power cut now may bring the old one back: look at the cause, and compact again")
	}
	return nil
}

// rename keeps others from looking at the file before they can know that it was replaced on purpose.
func (s compaction) rename(temp, target string) error {
	s.commit.Lock()
	defer s.commit.Unlock()
	if err := os.Rename(temp, target); err != nil {
		return err
	}
	_ = s.fail(refuse("store_replaced", errReplaced, "%s was replaced by its compacted copy", s.path).
		WithFix("open it again"))
	return nil
}

// notCompacted returns an error that left the file as it was.
func notCompacted(path string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return refuse("store_compact", err, "%s was not compacted, and is as it was", path).
		WithFix("look at the cause; compacting needs as much free room in the folder as the database takes")
}
