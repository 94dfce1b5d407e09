package audit

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"
)

func raw(hashes []Hash) (out [][]byte) {
	for _, h := range hashes {
		out = append(out, append([]byte{}, h[:]...))
	}
	return out
}

func roots(t *testing.T, size int, stored nodes) []Hash {
	t.Helper()
	all := make([]Hash, size+1)
	for n := 1; n <= size; n++ {
		var err error
		all[n], err = tlog.TreeHash(int64(n), stored)
		require.NoError(t, err)
	}
	return all
}

// Every proof of every size is checked by our code and by that of another project, and stops being one when any
// of its hashes is changed, left out or added: none in the middle goes unread.
//
// Verifies: ORC-101
func TestInclusion(t *testing.T) {
	const largest = 24
	_, stored, leaves := grow(t, largest)
	root := roots(t, largest, stored)
	for size := 1; size <= largest; size++ {
		for index := range size {
			p, err := ProveInclusion(uint64(index), uint64(size), stored)
			require.NoError(t, err)
			require.NoError(t, p.Check(leaves[index], root[size]))
			require.NoError(t, proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(index), uint64(size),
				rfc6962.DefaultHasher.HashLeaf(leaves[index]), raw(p.Hashes), root[size][:]))
			require.Error(t, p.Check([]byte("another"), root[size]))
			for i := range p.Hashes {
				p.Hashes[i][i%32] ^= 1
				require.Error(t, p.Check(leaves[index], root[size]), "hash %d of %d", i, len(p.Hashes))
				p.Hashes[i][i%32] ^= 1
				require.Error(t, Inclusion{p.Index, p.Size, append(append([]Hash{}, p.Hashes[:i]...), p.Hashes[i+1:]...)}.Check(leaves[index], root[size]))
			}
			require.Error(t, Inclusion{p.Index, p.Size, append(p.Hashes, Hash{})}.Check(leaves[index], root[size]))
		}
	}
	_, err := ProveInclusion(9, 9, stored)
	require.Error(t, err)
	require.Error(t, Inclusion{Index: 9, Size: 9}.Check(nil, Hash{}))
}

// Verifies: ORC-101
func TestConsistency(t *testing.T) {
	const largest = 24
	_, stored, _ := grow(t, largest)
	root := roots(t, largest, stored)
	for size := 1; size <= largest; size++ {
		for old := 1; old <= size; old++ {
			p, err := ProveConsistency(uint64(old), uint64(size), stored)
			require.NoError(t, err)
			require.NoError(t, p.Check(root[old], root[size]))
			require.NoError(t, proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(old), uint64(size), raw(p.Hashes), root[old][:], root[size][:]))
			require.Error(t, p.Check(Hash{}, root[size]))
			require.Error(t, p.Check(root[old], Hash{}))
			for i := range p.Hashes {
				p.Hashes[i][31-i] ^= 1
				require.Error(t, p.Check(root[old], root[size]), "hash %d of %d", i, len(p.Hashes))
				p.Hashes[i][31-i] ^= 1
				require.Error(t, Consistency{p.Old, p.New, append(append([]Hash{}, p.Hashes[:i]...), p.Hashes[i+1:]...)}.Check(root[old], root[size]))
			}
			require.Error(t, Consistency{p.Old, p.New, append(p.Hashes, Hash{})}.Check(root[old], root[size]))
		}
	}
	_, err := ProveConsistency(0, 9, stored)
	require.Error(t, err)
	require.Error(t, Consistency{Old: 10, New: 9}.Check(Hash{}, Hash{}))
}

func TestPathsOfTiles(t *testing.T) {
	for path, want := range map[string]Tile{
		"0/000":             {0, false, 0, 256},
		"0/x001/x234/067":   {0, false, 1234067, 256},
		"1/x001/234.p/7":    {1, false, 1234, 7},
		"entries/000.p/255": {0, true, 0, 255},
		"entries/x123/456":  {0, true, 123456, 256},
		"7/000.p/1":         {7, false, 0, 1},
	} {
		got, err := ParseTile(path)
		require.NoError(t, err, path)
		require.Equal(t, want, got, path)
		require.Equal(t, path, got.Path())
	}
	for _, bad := range []string{
		"", "0", "0/", "/000", "0/0", "0/00", "0/0000", "0/000/", "0/x000/001", "0/000.p/0", "0/000.p/256", "0/000.p/01", "0/000.p/", "data/000",
		"entries", "-1/000", "00/000", "8/000", "63/000", "64/000", "0/x001", "0/../000", "0/000?", "x/000",
	} {
		_, err := ParseTile(bad)
		require.ErrorContains(t, err, "no path of a tile", "%q", bad)
	}
}

func TestWhatATileNeeds(t *testing.T) {
	require.EqualValues(t, 256, Tile{Width: 256}.Needs())
	require.EqualValues(t, 3*256+7, Tile{Number: 3, Width: 7}.Needs())
	require.EqualValues(t, (256+7)<<8, Tile{Level: 1, Number: 1, Width: 7}.Needs())
	require.EqualValues(t, 3*256+7, Tile{Entries: true, Number: 3, Width: 7}.Needs())
	require.Greater(t, Tile{Level: 7, Number: 1 << 40, Width: 1}.Needs(), uint64(1)<<62, "no log is that large")
}

func TestTilesOfASize(t *testing.T) {
	for _, size := range []uint64{1, 255, 256, 257, 65535, 65536, 65537, 65536*256 + 300} {
		all := TilesFor(0, size)
		for _, tile := range []Tile{all[0], all[len(all)/2], all[len(all)-1]} {
			require.Equal(t, tile, tile.In(size))
			tile.Entries = true
			require.Equal(t, tile, tile.In(size))
		}
	}
	require.Equal(t, Tile{Number: 1, Width: 1}, Tile{Number: 1, Width: 256}.In(257), "not full yet")
	require.Zero(t, Tile{Number: 2, Width: 1}.In(257).Width)
	require.Zero(t, Tile{Level: 1, Width: 1}.In(255).Width)
}

// The tiles of a log hold its leaves and the roots of its complete subtrees, whatever the size.
func TestTilesHoldTheTree(t *testing.T) {
	_, stored, leaves := grow(t, 700)
	for _, size := range []uint64{1, 255, 256, 257, 512, 700} {
		seen := uint64(0)
		for _, tile := range TilesFor(0, size) {
			require.LessOrEqual(t, tile.Needs(), size)
			data, err := tile.Hashes(stored)
			require.NoError(t, err)
			require.Len(t, data, tile.Width*32)
			if tile.Level == 0 {
				for i := range tile.Width {
					require.Equal(t, rfc6962.DefaultHasher.HashLeaf(leaves[seen]), data[i*32:][:32])
					seen++
				}
				continue
			}
			want, err := tlog.TreeHash(256, tlog.HashReaderFunc(stored.ReadHashes))
			require.NoError(t, err)
			require.Equal(t, want[:], data[:32])
		}
		require.Equal(t, size, seen, "every leaf is in a tile")
	}
	require.Equal(t, []Tile{{Level: 0, Number: 2, Width: 188}}, TilesFor(699, 700), "only what is new")
	_, err := Tile{Number: 3, Width: 1}.Hashes(stored)
	require.Error(t, err)
}

func TestEntries(t *testing.T) {
	records := [][]byte{[]byte("one"), {}, bytes.Repeat([]byte("x"), MaxRecord)}
	var bundle []byte
	for _, r := range records {
		bundle = AppendEntry(bundle, r)
	}
	require.EqualValues(t, 3, binary.BigEndian.Uint16(bundle))
	got, err := SplitEntries(bundle)
	require.NoError(t, err)
	require.Equal(t, records, got)
	for cut, whole := range map[int]int{1: 0, 4: 0, 6: 1, len(bundle) - 1: 2} {
		got, err := SplitEntries(bundle[:cut])
		require.ErrorContains(t, err, "ends inside", "%d", cut)
		require.Equal(t, append([][]byte(nil), records[:whole]...), got)
	}
	none, err := SplitEntries(nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

// A server that claims a log of an impossible size is told so; it does not hold up who checks.
func TestImpossibleSizes(t *testing.T) {
	for _, size := range []uint64{maxSize + 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		require.ErrorIs(t, Consistency{1, size, make([]Hash, 64)}.Check(Hash{}, Hash{}), errTooLarge)
		require.ErrorIs(t, Consistency{size, size, nil}.Check(Hash{}, Hash{}), errTooLarge)
		require.ErrorIs(t, Inclusion{1, size, make([]Hash, 64)}.Check(nil, Hash{}), errTooLarge)
		require.ErrorIs(t, Inclusion{size, 1, nil}.Check(nil, Hash{}), errTooLarge)
		_, err := ParseText(Checkpoint{"a", size, Hash{}}.Text())
		require.ErrorContains(t, err, "no size")
	}
	require.ErrorContains(t, Consistency{1, maxSize, make([]Hash, 62)}.Check(Hash{}, Hash{}), "does not show")
	require.ErrorContains(t, Inclusion{1, maxSize, make([]Hash, 62)}.Check(nil, Hash{}), "does not show")
}
