package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/wal"
)

func create(t *testing.T) (*wal.Log, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j")
	j, err := wal.Create(path)
	require.NoError(t, err)
	require.NoError(t, j.Install())
	t.Cleanup(func() { _ = j.Discard() })
	return j, path
}

func payloads(batches []wal.Batch) (all []string) {
	for _, b := range batches {
		all = append(all, string(b.Payload))
	}
	return all
}

func TestAppendAndRead(t *testing.T) {
	j, path := create(t)
	kept, err := wal.Read(path)
	require.NoError(t, err)
	require.Equal(t, j.ID(), kept.ID)
	require.Empty(t, kept.Batches)
	var want []string
	for i := range 30 {
		if i == 10 || i == 20 {
			j.Turn()
			want = want[max(0, len(want)-10):]
		}
		want = append(want, fmt.Sprint("payload ", i))
		require.NoError(t, j.Append([]byte(want[len(want)-1])))
		kept, err := wal.Read(path)
		require.NoError(t, err)
		require.Equal(t, want[max(0, len(want)-len(kept.Batches)):], payloads(kept.Batches))
		require.GreaterOrEqual(t, len(kept.Batches), len(want))
		require.Equal(t, j.Last(), kept.Batches[len(kept.Batches)-1].Number)
	}
}

// A batch that a crash cut short is gone, and all before it are there, whatever the half held before.
func TestTornBatches(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		j, path := create(t)
		payload := func() []byte { return bytes.Repeat([]byte{byte(r.Uint32())}, r.IntN(30_000)) }
		for range r.IntN(4) { // former rounds
			for range r.IntN(6) {
				require.NoError(t, j.Append(payload()))
			}
			j.Turn()
		}
		var confirmed []wal.Batch
		for range r.IntN(8) {
			p := payload()
			require.NoError(t, j.Append(p))
			confirmed = append(confirmed, wal.Batch{Number: j.Last(), Payload: p})
		}
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		last := payload()
		require.NoError(t, j.Append(last))
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		for range 10 {
			mixed := bytes.Clone(before)
			for at := 0; at < len(mixed); at += 512 { // each sector is the old one or the new one
				if r.IntN(2) == 0 {
					copy(mixed[at:at+512], after[at:at+512])
				}
			}
			kept, err := wal.Parse(mixed)
			require.NoError(t, err)
			got := kept.Batches
			if bytes.Equal(mixed, after) || len(got) > 0 && got[len(got)-1].Number == j.Last() {
				require.Equal(t, last, got[len(got)-1].Payload)
				got = got[:len(got)-1]
			}
			if len(confirmed) > 0 {
				require.GreaterOrEqual(t, len(got), len(confirmed), "seed %d", seed)
				require.Equal(t, confirmed, got[len(got)-len(confirmed):])
			}
		}
	}
}

// A confirmed batch that is no longer as it was written is not taken for the end.
func TestDamage(t *testing.T) {
	j, path := create(t)
	for i := range 10 {
		require.NoError(t, j.Append(bytes.Repeat([]byte{byte(i)}, 1000)))
	}
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	kept, err := wal.Parse(whole)
	require.NoError(t, err)
	require.Len(t, kept.Batches, 10)
	for at := range 4096 + 10*1024 {
		if at > 20 && at < 4096 && at%512 != 0 || at >= 4096 && at%1024 > 24 && at%100 != 0 {
			continue // one of the bytes that are all checked alike
		}
		whole[at] ^= 1
		kept, err := wal.Parse(whole)
		whole[at] ^= 1
		last := at >= 4096+9*1024
		if last {
			require.NoError(t, err, "what looks like a cut at byte %d", at)
			require.Len(t, kept.Batches, 9)
		} else {
			require.ErrorIs(t, err, wal.ErrDamaged, "byte %d", at)
			if at >= 4096 {
				require.EqualError(t, err, fmt.Sprintf("batch %d is damaged, and a later one is intact", 1+(at-4096)/1024))
			}
		}
	}
}

// A file that claims a large batch at each place would have its bytes summed again and again, for hours.
func TestAForgedWALIsNotReadForHours(t *testing.T) {
	_, path := create(t)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	claim := append([]byte{0, 0, 0, 0, 0, 0, 32, 0}, whole[8:16]...) // a check sum, 2 MiB, the id
	copy(whole[4096+16:], bytes.Repeat(claim, (len(whole)-4096-16)/len(claim)))
	_, err = wal.Parse(whole)
	require.ErrorIs(t, err, wal.ErrDamaged)
	require.EqualError(t, err, "the batches of the log are longer than the file")
}

// An id can stand where no batch has room in front of it.
func TestAnIDAtTheBeginning(t *testing.T) {
	_, path := create(t)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for at := range 8 {
		copy(whole[4096+at:], whole[8:16])
		_, err = wal.Parse(whole)
		require.NoError(t, err)
		clear(whole[4096 : 4096+16])
	}
}

func TestFilesThatAreNoWAL(t *testing.T) {
	j, path := create(t)
	require.NoError(t, j.Append([]byte("a")))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	dir := t.TempDir()
	head := bytes.Clone(whole)
	head[17] ^= 1
	const length, begin = "the log is not 8392704 bytes long", "the file is not a write-ahead log"
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"empty": {nil, length}, "text": {[]byte("hello"), length}, "cut": {whole[:len(whole)-1], length},
		"long": {append(bytes.Clone(whole), 0), length}, "zeros": {make([]byte, len(whole)), begin},
		"another head": {head, "the header of the log is damaged"},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, c.content, 0o600))
		_, err := wal.Read(path)
		require.ErrorIs(t, err, wal.ErrDamaged, name)
		require.EqualError(t, err, c.want)
	}
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	require.NoError(t, os.Symlink(path, link))
	_, err = wal.Read(link)
	require.ErrorIs(t, err, syscall.ELOOP)
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err = wal.Read(pipe)
	require.ErrorIs(t, err, wal.ErrDamaged)
	_, err = wal.Read(dir)
	require.ErrorIs(t, err, wal.ErrDamaged)
	require.ErrorContains(t, err, "not a regular file")
	_, err = wal.Read(filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Append notices that its file is not where the next start looks for it.
func TestALostWALIsNoticed(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"removed":  os.Remove,
		"renamed":  func(path string) error { return os.Rename(path, path+"2") },
		"cut":      func(path string) error { return os.Truncate(path, 4096) },
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) },
		"linked":   func(path string) error { return errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path)) },
	} {
		t.Run(name, func(t *testing.T) {
			j, path := create(t)
			require.NoError(t, j.Append([]byte("a")))
			require.NoError(t, j.Check())
			require.NoError(t, lose(path))
			require.ErrorIs(t, j.Check(), wal.ErrLost)
			require.ErrorIs(t, j.Append([]byte("b")), wal.ErrLost)
		})
	}
}

// A batch of which Append could not say whether it is there can be taken back.
func TestRetract(t *testing.T) {
	j, path := create(t)
	require.NoError(t, j.Append([]byte("a")))
	require.NoError(t, os.Rename(path, path+"2"))
	require.ErrorIs(t, j.Append([]byte("b")), wal.ErrLost)
	kept, err := wal.Read(path + "2")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, payloads(kept.Batches))
	require.NoError(t, j.Retract())
	kept, err = wal.Read(path + "2")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, payloads(kept.Batches))
}

func TestDiscardRemovesItsOwnFileAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), ".j.new"), []byte("left by a crash"), 0o600))
	j, err := wal.Create(path)
	require.NoError(t, err)
	require.NoError(t, j.Discard())
	all, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Empty(t, all)

	j, path = create(t)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("another's"), 0o600))
	require.NoError(t, j.Discard())
	require.FileExists(t, path)
}

func TestFits(t *testing.T) {
	j, path := create(t)
	const head = 24
	require.True(t, j.Fits(wal.Half-head))
	require.False(t, j.Fits(wal.Half-head+1))
	require.NoError(t, j.Append(make([]byte, wal.Half-head)))
	require.Equal(t, wal.Half, j.Used())
	require.False(t, j.Fits(0))
	j.Turn()
	require.NoError(t, j.Append([]byte("b")))
	kept, err := wal.Read(path)
	require.NoError(t, err)
	require.Len(t, kept.Batches, 2)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
}

func TestAfter(t *testing.T) {
	kept := wal.Kept{Batches: []wal.Batch{{Number: 5}, {Number: 6}, {Number: 7}}}
	for applied, want := range map[uint64]int{4: 3, 5: 2, 6: 1, 7: 0, 8: 0} {
		list, err := kept.After(applied)
		require.NoError(t, err)
		require.Len(t, list, want)
	}
	_, err := kept.After(3)
	require.ErrorIs(t, err, wal.ErrGap)
}

type write struct {
	table, key string
	value      []byte
}

func writesOf(b wal.Batch) (all []write, err error) {
	err = b.EachWrite(func(table, key string, value []byte) { all = append(all, write{table, key, value}) })
	return all, err
}

func TestWrites(t *testing.T) {
	want := []write{
		{"t", "k", []byte("value")},
		{"\x00", "\xff", []byte{}},
		{"t", string(make([]byte, 300)), nil},
		{"u", "k", make([]byte, 70_000)},
	}
	var payload []byte
	for _, w := range want {
		payload = wal.AppendWrite(payload, w.table, w.key, w.value)
	}
	got, err := writesOf(wal.Batch{Payload: payload})
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NotNil(t, got[1].value)
	require.Nil(t, got[2].value)
	cuts := 0
	for n := range payload[:400] {
		if _, err := writesOf(wal.Batch{Payload: payload[:n]}); err != nil {
			require.ErrorIs(t, err, wal.ErrDamaged)
			cuts++
		}
	}
	require.Equal(t, 400-4, cuts, "but at the start and after each of three writes")
	for _, wrong := range [][]byte{{0, 1, 'k', 0}, {1, 't', 0, 0}} {
		_, err := writesOf(wal.Batch{Payload: wrong})
		require.ErrorIs(t, err, wal.ErrDamaged, "an empty name")
	}
}

// Whatever a payload holds, what is read of it can be written again.
func FuzzEachWrite(f *testing.F) {
	f.Add(wal.AppendWrite(nil, "t", "k", []byte("v")))
	f.Add([]byte{1, 't', 1, 'k', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, payload []byte) {
		all, err := writesOf(wal.Batch{Payload: payload})
		if err != nil {
			require.ErrorIs(t, err, wal.ErrDamaged)
			return
		}
		var again []byte
		for _, w := range all {
			again = wal.AppendWrite(again, w.table, w.key, w.value)
		}
		same, err := writesOf(wal.Batch{Payload: again})
		require.NoError(t, err)
		require.Equal(t, all, same)
	})
}

// A batch is confirmed by the sync of its bytes alone, and by no other.
func TestAppendSyncs(t *testing.T) {
	j, path := create(t)
	synced := 0
	refused := errors.New("refused")
	var outcome error
	j.OnSync(func(*os.File) error {
		kept, err := wal.Read(path)
		require.NoError(t, err)
		require.Len(t, kept.Batches, synced+1, "what is synced was written before")
		synced++
		return outcome
	})
	require.NoError(t, j.Append([]byte("a")))
	require.NoError(t, j.Append([]byte("b")))
	require.Equal(t, 2, synced)
	outcome = refused
	require.ErrorIs(t, j.Append([]byte("c")), refused)
}
