package audit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// TileWidth is how many hashes or records a full tile holds, by C2SP tlog-tiles.
const TileWidth = 1 << TileHeight

// TileHeight is how many levels of the tree one tile spans.
const TileHeight = 8

// Tile is a piece of the log that never changes, as C2SP tlog-tiles names it: Width hashes of one level of the
// tree, or that many records (entries), from number Number*TileWidth on.
type Tile struct {
	Level   int // 0 has the leaves; entries have none
	Entries bool
	Number  uint64
	Width   int // 1 to TileWidth; less than that is a partial tile
}

// ParseTile reads a path such as 0/x001/234 (the hashes 1234*256… of level 0), entries/000 or 1/000.p/7.
func ParseTile(path string) (Tile, error) {
	level, rest, _ := strings.Cut(path, "/")
	switch level {
	case "entries":
		level = "data" // as package tlog calls it
	case "data":
		return Tile{}, fmt.Errorf("%q is no path of a tile", path)
	}
	t, err := tlog.ParseTilePath(fmt.Sprintf("tile/%d/%s/%s", TileHeight, level, rest))
	if err != nil || t.L > 62/TileHeight {
		return Tile{}, fmt.Errorf("%q is no path of a tile", path)
	}
	return Tile{max(t.L, 0), t.L < 0, uint64(t.N), t.W}, nil
}

// Path returns the path that ParseTile reads.
func (t Tile) Path() string {
	path := strings.TrimPrefix(t.hashes().Path(), fmt.Sprintf("tile/%d/", TileHeight))
	if t.Entries {
		_, rest, _ := strings.Cut(path, "/")
		return "entries/" + rest
	}
	return path
}

func (t Tile) hashes() tlog.Tile {
	return tlog.Tile{H: TileHeight, L: t.Level, N: int64(t.Number), W: t.Width}
}

// Needs returns the size a log must have so that the tile is in it.
func (t Tile) Needs() uint64 {
	end := t.Number*TileWidth + uint64(t.Width)
	if shift := t.Level * TileHeight; end <= (1<<62)>>shift {
		return end << shift
	}
	return 1 << 63
}

// In returns the tile with this number of a log of one size, as wide as it is there; a Width of 0 says that there is
// none.
func (t Tile) In(size uint64) Tile {
	count, first := size>>(t.Level*TileHeight), t.Number*TileWidth
	t.Width = 0
	if first < count {
		t.Width = int(min(TileWidth, count-first))
	}
	return t
}

// Hashes reads the bytes of a tile of hashes from the nodes of a log that is large enough.
func (t Tile) Hashes(nodes tlog.HashReader) ([]byte, error) {
	return tlog.ReadTileData(t.hashes(), nodes)
}

// TilesFor returns the tiles of hashes that a log of one size has and did not have in full at another: all of them for
// old 0. The last of each level may be partial.
func TilesFor(old, size uint64) []Tile {
	var tiles []Tile
	for _, t := range tlog.NewTiles(TileHeight, int64(old), int64(size)) {
		tiles = append(tiles, Tile{Level: t.L, Number: uint64(t.N), Width: t.W})
	}
	return tiles
}

// AppendEntry adds a record to the bytes of a tile of records: its length in two bytes, big-endian, and itself.
func AppendEntry(bundle, record []byte) []byte {
	bundle = binary.BigEndian.AppendUint16(bundle, uint16(len(record)))
	return append(bundle, record...)
}

// SplitEntries cuts the bytes of a tile of records into its records. With an error come those before it.
func SplitEntries(bundle []byte) ([][]byte, error) {
	var records [][]byte
	for len(bundle) > 0 {
		if len(bundle) < 2 {
			return records, errors.New("the bundle ends inside a length")
		}
		n := 2 + int(binary.BigEndian.Uint16(bundle))
		if len(bundle) < n {
			return records, errors.New("the bundle ends inside a record")
		}
		records = append(records, bundle[2:n])
		bundle = bundle[n:]
	}
	return records, nil
}
