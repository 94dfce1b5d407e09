package tail_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
	"orchestrator/internal/ledger/store/overlay"
	"orchestrator/internal/ledger/store/tail"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kept is a file with its tail.
type kept struct {
	*tail.Tail
	file *disk
	once *sync.Once
}

func (k kept) Close() (err error) {
	k.once.Do(func() { err = errors.Join(k.Tail.Close(), k.file.Close()) })
	return err
}

func (k kept) put(key, value string) error {
	return k.write(overlay.Write{Table: "t", Key: key, Value: []byte(value)})
}

func (k kept) write(w overlay.Write) error {
	return k.Write(func(g tail.Ground) error { return g.Put([]overlay.Write{w}) })
}

func (k kept) get(t *testing.T, key string) (value string) {
	t.Helper()
	require.NoError(t, k.View(t.Context(), func(r store.Reader) error {
		b, err := r.Get("t", key)
		value = string(b)
		return err
	}))
	return value
}

// disk is a file on a disk that may be full.
type disk struct {
	*onefile.Store
	free    int64       // 0 is enough
	noRoom  bool        // for any change
	noSpace atomic.Bool // for what the WAL has

	beforeView, beforeUpdate, beforeBeside, afterBeside func() // are called once, where they are set
}

func (d *disk) View(ctx context.Context, fn func(store.Reader) error) error {
	once(&d.beforeView)
	return d.Store.View(ctx, fn)
}

func (d *disk) Update(ctx context.Context, fn func(store.Tx) error) error {
	once(&d.beforeUpdate)
	return d.Store.Update(ctx, fn)
}

func once(f *func()) {
	if call := *f; call != nil {
		*f = nil
		call()
	}
}

var errFull = fault.New(fault.InsufficientStorage, "disk_full", "the disk has no room").WithFix("make some")

func (d *disk) Free() (int64, error) { return cmp.Or(d.free, 1<<40), nil }

func (d *disk) CheckRoom() error {
	if d.noRoom {
		return errFull
	}
	return d.Store.CheckRoom()
}

func (d *disk) UpdateBeside(ctx context.Context, fn func(store.Tx) error) error {
	if d.noSpace.Load() {
		return errFull
	}
	once(&d.beforeBeside)
	defer once(&d.afterBeside)
	return d.Store.UpdateBeside(ctx, fn)
}

func openTail(path string, readOnly bool, o tail.Options) (kept, error) {
	file, err := onefile.Open(path, onefile.Options{ReadOnly: readOnly})
	if err != nil {
		return kept{}, err
	}
	d := &disk{Store: file}
	tl, err := tail.Open(d, path, readOnly, o)
	if err != nil {
		return kept{}, errors.Join(err, file.Close())
	}
	return kept{tl, d, &sync.Once{}}, nil
}

// open opens a file and closes it when the test ends.
func open(t *testing.T, path string, o tail.Options) kept {
	t.Helper()
	k, err := openTail(path, false, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	return k
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "state.db") }

// openWithWAL opens a file whose next batch goes to the WAL, and which gets nothing until the test says so.
func openWithWAL(t *testing.T, path string, turnAt int) kept {
	t.Helper()
	k := open(t, path, tail.Options{WAL: true, SettleEvery: time.Hour, After: 1, TurnAt: turnAt})
	require.NoError(t, k.write(overlay.Write{Table: "t", Key: "nothing"}))
	require.Eventually(t, k.HasWAL, time.Minute, time.Millisecond)
	return k
}

// crash returns what a crash would leave of a store, in a folder of its own.
func crash(t *testing.T, path string) string {
	t.Helper()
	left := newPath(t)
	for _, end := range []string{"", ".wal"} {
		content, err := os.ReadFile(path + end)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(left+end, content, 0o600))
	}
	return left
}

func wantCode(t *testing.T, code string, err error) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, string(f.Code), "%v", err)
	require.NotEmpty(t, f.Fix)
}

// A batch is in the WAL alone until the file gets it, and a closed store is one file.
//
// Verifies: ORC-390
func TestTheFileGetsWhatTheWALHas(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 0)
	for i := range 100 {
		require.NoError(t, s.put(fmt.Sprint(i), "value"))
	}
	require.Equal(t, 100, s.Unsettled())
	require.NoError(t, s.file.Check())
	require.NoError(t, s.SettleAll())
	require.Zero(t, s.Unsettled())
	require.NoError(t, s.put("a", "young"))
	require.NoError(t, s.Close())
	all, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, all, 1)
	s = open(t, path, tail.Options{})
	require.NoError(t, s.file.Check())
	require.True(t, s.get(t, "99") != "")
	require.True(t, s.get(t, "a") != "")
}

// Whatever the file and the WAL each had of it, after a crash everything is there that was confirmed, once.
//
// Verifies: ORC-390
func TestCrashes(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 2))
		path := newPath(t)
		s := openWithWAL(t, path, 1+r.IntN(2000))
		require.NoError(t, s.put("0", "0"))
		model := map[string]string{"0": "0"}
		for range 120 {
			key, value := fmt.Sprint(r.IntN(30)), fmt.Sprint(r.Uint32())
			switch r.IntN(12) {
			case 0:
				require.NoError(t, s.SettleAll())
			case 1:
				value = string(make([]byte, 2<<20)) // too long for the WAL
				require.NoError(t, s.put(key, value))
				model[key] = value
			case 2:
				require.NoError(t, s.write(overlay.Write{Table: "t", Key: key}))
				delete(model, key)
			case 3:
				require.NoError(t, s.put("copied", model["0"]))
				require.NoError(t, s.Write(func(g tail.Ground) error { // what Get returned may be put
					b, err := g.Get("t", "0")
					return errors.Join(err, g.Put([]overlay.Write{{Table: "t", Key: "copied", Value: b}}))
				}))
				if model["copied"] = model["0"]; model["0"] == "" {
					delete(model, "copied")
				}
			case 4:
				s.Rest()
				wantModel(t, model, crash(t, path))
			default:
				require.NoError(t, s.put(key, value))
				model[key] = value
			}
		}
		require.NoError(t, s.Close())
		wantModel(t, model, path)
	}
}

// wantModel opens a file in each of the ways in which it can be opened after a crash.
func wantModel(t *testing.T, model map[string]string, path string) {
	t.Helper()
	for _, how := range []struct{ readOnly, wal bool }{{true, false}, {true, false}, {false, true}, {false, false}} {
		s, err := openTail(path, how.readOnly, tail.Options{WAL: how.wal})
		require.NoError(t, err)
		require.NoError(t, s.file.Check())
		got := map[string]string{}
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			return r.Scan("t", "", "", func(key string, value []byte) error { got[key] = string(value); return nil })
		}))
		require.Equal(t, model, got)
		for key, value := range model {
			require.Equal(t, value, s.get(t, key))
		}
		if !how.readOnly {
			require.NoError(t, s.put("new", "1"))
			require.NoError(t, s.write(overlay.Write{Table: "t", Key: "new"}))
		}
		require.NoError(t, s.Close())
	}
	require.NoFileExists(t, path+".wal")
}

// A View that began before the file got something sees what it saw.
func TestAViewLastsWhileTheWALTurns(t *testing.T) {
	s := openWithWAL(t, newPath(t), 0)
	require.NoError(t, s.put("a", "1"))
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for i := range 3 {
			require.NoError(t, s.put("a", fmt.Sprint("later ", i)))
			require.NoError(t, s.put(fmt.Sprint("b", i), "new"))
			require.NoError(t, s.SettleAll())
		}
		value, err := r.Get("t", "a")
		require.Equal(t, "1", string(value))
		return errors.Join(err, r.Scan("t", "", "", func(key string, value []byte) error {
			require.Equal(t, "a=1", key+"="+string(value))
			return nil
		}))
	}))
}

// Another hand takes the WAL away, or spoils its length: the file gets everything, and another WAL is made.
//
// Verifies: ORC-390
func TestALostWALLosesNothing(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"removed": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 100) },
		"replaced": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("theirs"), 0o600))
		},
	} {
		for _, looks := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, seen by a look %v", name, looks), func(t *testing.T) {
				path := newPath(t)
				s := openWithWAL(t, path, 0)
				require.NoError(t, s.put("a", "1"))
				require.NoError(t, s.put("b", "1"))
				require.NoError(t, lose(path+".wal"))
				if looks {
					s.Look()
					require.Zero(t, s.Unsettled(), "what was confirmed needs no WAL")
				} else {
					require.NoError(t, s.put("b", "2"))
					require.Zero(t, s.Unsettled())
					s.Look()
				}
				_ = os.Remove(path + ".wal") // which a new one would replace
				require.Eventually(t, s.HasWAL, time.Minute, time.Millisecond)
				require.NoError(t, s.put("c", "3"))
				require.Equal(t, 1, s.Unsettled())
				left := open(t, crash(t, path), tail.Options{})
				require.True(t, left.get(t, "a") != "")
				require.True(t, left.get(t, "c") != "")
				require.NoError(t, s.file.Check())
			})
		}
	}
}

// On a full disk a batch is refused before it is written, and one whose place in the file cannot be had is kept.
//
// Verifies: ORC-390
func TestAWALOnAFullDisk(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 0)
	require.NoError(t, s.put("a", "1"))
	s.file.noRoom = true
	require.ErrorIs(t, s.put("a", "2"), errFull)
	s.file.noRoom = false
	require.NoError(t, s.put("a", "3"))
	require.NoError(t, s.Full())

	s.file.noSpace.Store(true)
	require.ErrorIs(t, s.SettleAll(), errFull)
	require.ErrorIs(t, s.put("a", "4"), errFull)
	require.ErrorIs(t, s.Full(), errFull)
	require.Equal(t, "3", s.get(t, "a"))
	left := crash(t, path)

	s.file.noSpace.Store(false)
	s.Look()
	require.NoError(t, s.Full())
	require.NoError(t, s.put("a", "5"))
	require.Equal(t, "3", open(t, left, tail.Options{}).get(t, "a"))
}

// A store that is closed or opened while the disk is full loses nothing, and can be read.
func TestAWALThatCannotBeSettledStays(t *testing.T) {
	path := newPath(t)
	s, err := openTail(path, false, tail.Options{WAL: true, SettleEvery: time.Hour, After: 1})
	require.NoError(t, err)
	require.NoError(t, s.write(overlay.Write{Table: "t", Key: "nothing"}))
	require.Eventually(t, s.HasWAL, time.Minute, time.Millisecond)
	require.NoError(t, s.put("a", "1"))
	s.file.noSpace.Store(true)
	require.NoError(t, s.Close())
	require.FileExists(t, path+".wal")

	file, err := onefile.Open(path, onefile.Options{})
	require.NoError(t, err)
	d := &disk{Store: file}
	d.noSpace.Store(true)
	tl, err := tail.Open(d, path, false, tail.Options{WAL: true, SettleEvery: time.Hour, After: 1})
	require.NoError(t, err)
	s = kept{tl, d, &sync.Once{}}
	require.Equal(t, "1", s.get(t, "a"))
	require.ErrorIs(t, s.put("a", "2"), errFull)
	require.ErrorIs(t, s.Full(), errFull)
	wantModel(t, map[string]string{"a": "1"}, crash(t, path))
	d.noSpace.Store(false)
	s.Look()
	require.NoError(t, s.put("a", "3"))
	require.Eventually(t, s.HasWAL, time.Minute, time.Millisecond)
	require.NoError(t, s.put("a", "4"))
	wantModel(t, map[string]string{"a": "4"}, crash(t, path))
	require.NoError(t, s.Close())
	require.NoFileExists(t, path+".wal")
}

func TestNoWALIsMadeWhereThereIsLittleRoom(t *testing.T) {
	s := open(t, newPath(t), tail.Options{After: 1})
	s.file.free = 10 << 20
	require.NoError(t, s.put("a", "1"))
	s.Look()
	require.False(t, s.HasWAL())
	require.Zero(t, s.Unsettled())
	s.file.free = 1 << 30
	s.Look()
	require.True(t, s.HasWAL())
}

// writeUnaware writes to a file as a program does that knows no WAL.
func writeUnaware(t *testing.T, path string) {
	t.Helper()
	file, err := onefile.Open(path, onefile.Options{})
	require.NoError(t, err)
	require.NoError(t, file.Update(t.Context(), func(tx store.Tx) error { return tx.Put("t", "a", []byte("2")) }))
	require.NoError(t, file.Close())
}

// A WAL belongs to one state of one file.
//
// Verifies: ORC-390
func TestWALsOfOthers(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 0)
	require.NoError(t, s.put("a", "1"))
	require.NoError(t, s.SettleAll())
	settled := crash(t, path)
	require.NoError(t, s.put("b", "1"))
	refused := func(path, code string) {
		t.Helper()
		for _, readOnly := range []bool{true, false} {
			_, err := openTail(path, readOnly, tail.Options{WAL: true})
			wantCode(t, code, err)
		}
	}

	left := crash(t, path)
	require.NoError(t, os.Remove(left+".wal"))
	refused(left, "store_wal_missing")
	accepted, err := openTail(left, false, tail.Options{AcceptMissing: true})
	require.NoError(t, err)
	require.True(t, accepted.get(t, "a") != "")
	require.False(t, accepted.get(t, "b") != "")
	require.NoError(t, accepted.put("c", "1"))
	require.NoError(t, accepted.Close())
	require.NoError(t, open(t, left, tail.Options{}).Close(), "it is accepted once")

	left = crash(t, path)
	require.NoError(t, os.WriteFile(left+".wal", []byte("none"), 0o600))
	refused(left, "store_wal_damaged")

	left = crash(t, path)
	require.NoError(t, os.Remove(left))
	_, err = openTail(left, false, tail.Options{})
	wantCode(t, "store_wal_foreign", err)

	left = crash(t, path) // a program that knows no WAL writes
	writeUnaware(t, left)
	refused(left, "store_wal_foreign")

	left = crash(t, settled) // the file had everything
	writeUnaware(t, left)
	require.Equal(t, "2", open(t, left, tail.Options{}).get(t, "a"))

	require.NoError(t, s.put("c", "1"))
	require.NoError(t, s.SettleAll())
	require.NoError(t, s.put("d", "1"))
	left = crash(t, path) // an older copy of the file, and the WAL of today
	content, err := os.ReadFile(settled)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(left, content, 0o600))
	s2 := open(t, left, tail.Options{})
	require.True(t, s2.get(t, "d") != "", "the WAL still has all that it lacks")
}

// The WAL lies beside the file, wherever a link to it is.
func TestTheWALOfALinkedFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real.db"), filepath.Join(t.TempDir(), "state.db")
	require.NoError(t, open(t, path, tail.Options{}).Close())
	require.NoError(t, os.Symlink(path, link))
	s := openWithWAL(t, link, 0)
	require.NoError(t, s.put("a", "1"))
	require.FileExists(t, path+".wal")
	require.NoFileExists(t, link+".wal")
}

// A copy of the file gets what lies in the WAL alone, and needs no WAL then.
func TestSave(t *testing.T) {
	path, saved := newPath(t), newPath(t)
	s := openWithWAL(t, path, 0)
	require.NoError(t, s.put("a", "1"))
	require.NoError(t, s.SettleAll())
	require.NoError(t, s.put("b", "1"))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(saved, content, 0o600))
	copied, err := onefile.Open(saved, onefile.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Save(copied))
	require.NoError(t, copied.Close())
	for _, end := range []string{"", ".wal"} { // with or without the WAL of the file
		if end != "" {
			content, err := os.ReadFile(path + end)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(saved+end, content, 0o600))
		}
		k, err := openTail(saved, false, tail.Options{})
		require.NoError(t, err)
		require.Equal(t, "1", k.get(t, "a"))
		require.Equal(t, "1", k.get(t, "b"))
		require.NoError(t, k.Close())
		require.NoFileExists(t, saved+".wal")
	}
}

// What the file gets while a View is about to begin does not mix with what the View has from the layers.
//
// Verifies: ORC-390
func TestAViewIsOneState(t *testing.T) {
	short := []overlay.Write{{Table: "t", Key: "a", Value: []byte("2")}, {Table: "t", Key: "b", Value: []byte("2")}}
	long := append(short[:2:2], overlay.Write{Table: "t", Key: "long", Value: make([]byte, 2<<20)})
	write := func(s kept, writes []overlay.Write) {
		require.NoError(t, s.Write(func(g tail.Ground) error { return g.Put(writes) }))
	}
	for name, prepare := range map[string]func(s kept, viewed chan struct{}){
		"the file gets a later batch from the WAL": func(s kept, _ chan struct{}) {
			s.file.beforeView = func() {
				write(s, short)
				require.NoError(t, s.SettleAll())
			}
		},
		"the file has just got a later batch": func(s kept, viewed chan struct{}) {
			committed := make(chan struct{})
			s.file.beforeView = func() {
				write(s, short)
				s.file.afterBeside = func() {
					close(committed)
					<-viewed
				}
				go func() { _ = s.SettleAll() }()
				<-committed
			}
		},
		"a later batch is committed to the file": func(s kept, _ chan struct{}) {
			s.file.beforeView = func() { write(s, long) }
		},
		"one is committed to the file when that has the old layer": func(s kept, _ chan struct{}) {
			s.file.noSpace.Store(true)
			require.ErrorIs(t, s.SettleAll(), errFull)
			s.file.noSpace.Store(false)
			s.file.beforeView = func() { write(s, long) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openWithWAL(t, newPath(t), 0)
			require.NoError(t, s.put("a", "1"))
			viewed := make(chan struct{})
			defer close(viewed)
			prepare(s, viewed)
			require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
				a, err := r.Get("t", "a")
				b, err2 := r.Get("t", "b")
				require.Contains(t, []string{"1 ", "2 2"}, string(a)+" "+string(b))
				return errors.Join(err, err2)
			}))
		})
	}
}

// A look that falls on the commit after which a WAL is wanted does not make two of them.
func TestOneWALIsMade(t *testing.T) {
	path := newPath(t)
	s, err := openTail(path, false, tail.Options{WAL: true, SettleEvery: time.Millisecond, After: 1})
	require.NoError(t, err)
	s.file.beforeUpdate = func() { time.Sleep(100 * time.Millisecond) } // in which a look begins to wait
	require.NoError(t, s.write(overlay.Write{Table: "t", Key: "nothing"}))
	require.Eventually(t, s.HasWAL, time.Minute, time.Millisecond)
	time.Sleep(200 * time.Millisecond)
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("Close waits for ever")
	}
}

func copyOver(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o600))
}

// An older copy of the WAL, which ends before the file does, is not taken for the WAL.
//
// Verifies: ORC-390
func TestAnOldCopyOfTheWAL(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 0)
	require.NoError(t, s.put("a", "1"))
	old := crash(t, path)
	require.NoError(t, s.put("a", "2"))
	require.NoError(t, s.SettleAll())
	require.NoError(t, s.put("b", "confirmed"))
	left := crash(t, path)
	copyOver(t, old+".wal", left+".wal")
	for _, readOnly := range []bool{true, false} {
		_, err := openTail(left, readOnly, tail.Options{})
		wantCode(t, "store_wal_foreign", err)
	}
}

// A WAL that was given up does not come back over what was written since.
//
// Verifies: ORC-390
func TestAWALThatWasGivenUp(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 0)
	require.NoError(t, s.put("a", "1"))
	left := crash(t, path)
	require.NoError(t, os.Rename(left+".wal", left+".away"))
	accepted, err := openTail(left, false, tail.Options{AcceptMissing: true})
	require.NoError(t, err)
	require.NoError(t, accepted.put("a", "2"))
	require.NoError(t, accepted.Close())
	require.NoError(t, os.Rename(left+".away", left+".wal"))
	for _, readOnly := range []bool{true, false} {
		_, err := openTail(left, readOnly, tail.Options{})
		wantCode(t, "store_wal_foreign", err)
	}
	require.NoError(t, os.Remove(left+".wal"))
	require.Equal(t, "2", open(t, left, tail.Options{}).get(t, "a"))
}

// A change that was refused for want of room is not there after a crash, although the WAL had it for a moment.
//
// Verifies: ORC-390
func TestARefusedChangeDoesNotComeBack(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 0)
	require.NoError(t, s.put("a", "1"))
	require.NoError(t, os.Rename(path+".wal", path+".away"))
	s.file.noSpace.Store(true)
	require.ErrorIs(t, s.put("a", "2"), errFull)
	require.NoError(t, os.Rename(path+".away", path+".wal"))
	require.Equal(t, "1", s.get(t, "a"))
	require.Equal(t, "1", open(t, crash(t, path), tail.Options{}).get(t, "a"))
	s.file.noSpace.Store(false)
}

// A half is not written beyond its end while the file is slow to get the other.
func TestAFullHalfWaitsForTheFile(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 1)
	begun := make(chan struct{})
	s.file.beforeBeside = func() {
		close(begun)
		time.Sleep(time.Second)
	}
	require.NoError(t, s.put("a", "1"))
	require.NoError(t, s.put("b", "1")) // in the other half
	<-begun
	for i := range 6 {
		require.NoError(t, s.put(fmt.Sprint(i), string(make([]byte, 1_000_000))))
	}
	s.Rest()
	left := open(t, crash(t, path), tail.Options{})
	for i := range 6 {
		require.NotEmpty(t, left.get(t, fmt.Sprint(i)))
	}
}

// Nothing is confirmed by a file that has failed, although the WAL has it.
func TestNothingIsConfirmedAfterAFailure(t *testing.T) {
	s := openWithWAL(t, newPath(t), 0)
	require.ErrorIs(t, s.Write(func(g tail.Ground) error {
		_ = s.file.FailCommit(errors.New("an I/O error"))
		return g.Put([]overlay.Write{{Table: "t", Key: "a", Value: []byte("1")}})
	}), store.ErrCommit)
}

// A file that had everything when it crashed can be opened again and again, and one that was closed before its WAL was
// used is one file.
func TestOpenAndClose(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 0)
	require.NoError(t, s.put("a", "1"))
	require.NoError(t, s.SettleAll())
	left := crash(t, path)
	require.NoError(t, open(t, left, tail.Options{}).Close())
	require.NoFileExists(t, left+".wal")
	require.NoError(t, open(t, left, tail.Options{}).Close())

	path = newPath(t)
	require.NoError(t, openWithWAL(t, path, 0).Close())
	all, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, all, 1)
}

// A WAL that was away when it got its only batch may come back: the file has that batch.
func TestAWALThatComesBack(t *testing.T) {
	path := newPath(t)
	s := openWithWAL(t, path, 0)
	require.NoError(t, s.Write(func(g tail.Ground) error { // from which on the WAL is in its place
		require.True(t, tail.Remembers(g))
		return nil
	}))
	require.NoError(t, os.Rename(path+".wal", path+".away"))
	require.NoError(t, s.put("a", "2"))
	require.NoError(t, s.Close())
	require.NoError(t, os.Rename(path+".away", path+".wal"))
	require.Equal(t, "2", open(t, path, tail.Options{}).get(t, "a"))
}
