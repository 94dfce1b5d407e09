// Package auditor checks a log with nothing but what an outsider has: its files, a key, and checkpoints that were kept.
//
// It trusts no hash, no decision and no state that it is given: it computes the tree from the bytes of the records,
// decides every record again by the rules, and holds what that amounts to against the signed checkpoint, the export
// and every checkpoint from outside. A bundle, a server and a database look alike to it: they are a Source.
package auditor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"orchestrator/internal/audit"
	"orchestrator/internal/client"
	"orchestrator/internal/ledger"
)

// Paths of a Source, besides tile/… of C2SP tlog-tiles and blobs/<SHA-256>.
const (
	pathCheckpoint = "checkpoint"
	pathKey        = "key"
	pathState      = "project_status.json"
	tilePrefix     = "tile/"
	blobPrefix     = "blobs/"
)

// Source has the files of one log. Read returns fs.ErrNotExist for one that is not there.
type Source interface {
	Name() string
	Read(ctx context.Context, path string) ([]byte, error)
}

type server struct {
	name string
	c    *client.Client
}

// FromServer reads from a running service. The log may grow meanwhile.
func FromServer(name string, c *client.Client) Source { return server{name, c} }

func (s server) Name() string { return s.name }

func (s server) Read(ctx context.Context, path string) ([]byte, error) {
	switch {
	case path == pathState:
		return s.c.Get(ctx, "/project", "application/json")
	case strings.HasPrefix(path, tilePrefix):
		return s.c.Get(ctx, "/audit/"+path, "application/octet-stream")
	case strings.HasPrefix(path, blobPrefix):
		return s.c.Get(ctx, "/audit/"+path, "application/json")
	}
	return s.c.Get(ctx, "/audit/"+path, "text/plain")
}

type database struct {
	name   string
	l      *ledger.Ledger
	signer audit.Signer
	state  []byte
}

// FromLedger reads from an open database. signer makes the checkpoint; state is the export, or nil.
func FromLedger(name string, l *ledger.Ledger, signer audit.Signer, state []byte) Source {
	return database{name, l, signer, state}
}

func (d database) Name() string { return d.name }

func (d database) Read(ctx context.Context, path string) ([]byte, error) {
	switch path {
	case pathCheckpoint:
		return d.signer.Sign(d.l.Head())
	case pathKey:
		return []byte(d.signer.Key + "\n"), nil
	case pathState:
		if d.state == nil {
			return nil, fs.ErrNotExist
		}
		return d.state, nil
	}
	if digest, ok := strings.CutPrefix(path, blobPrefix); ok {
		return d.l.Blob(ctx, digest)
	}
	t, err := audit.ParseTile(strings.TrimPrefix(path, tilePrefix))
	if err != nil {
		return nil, errors.Join(fs.ErrNotExist, err)
	}
	return d.l.Tile(ctx, t)
}

// header is what a source says of its log.
type header struct {
	key        string
	signed     []byte
	checkpoint audit.Checkpoint
	state      []byte // nil when there is none
}

// readHeader reads the state before the checkpoint: of a log that grows, the checkpoint is then of the same moment or a
// later one. trusted is the key that must have signed it; "" takes the one that the source names.
func readHeader(ctx context.Context, src Source, trusted string) (h header, err error) {
	if h.state, err = src.Read(ctx, pathState); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, err
	}
	key, err := src.Read(ctx, pathKey)
	if err != nil {
		return h, missing(pathKey, err)
	}
	h.key = strings.TrimSpace(string(key))
	if h.signed, err = src.Read(ctx, pathCheckpoint); err != nil {
		return h, missing(pathCheckpoint, err)
	}
	if trusted != "" && trusted != h.key {
		return h, anotherKey(src.Name(), h.key, trusted)
	}
	if h.checkpoint, err = audit.OpenCheckpoint(h.signed, h.key); err != nil {
		return h, bad("checkpoint", "%v", err)
	}
	if h.checkpoint.Size == 0 {
		return h, bad("checkpoint", "the checkpoint is of an empty log")
	}
	return h, nil
}

// tiles are all tiles of records of a log, in order.
func tiles(size uint64) []audit.Tile {
	var all []audit.Tile
	for n := uint64(0); n*audit.TileWidth < size; n++ {
		all = append(all, audit.Tile{Entries: true, Number: n, Width: int(min(audit.TileWidth, size-n*audit.TileWidth))})
	}
	return all
}

// readEntries reads the records of one tile.
func readEntries(ctx context.Context, src Source, t audit.Tile) ([][]byte, error) {
	raw, err := readTile(ctx, src, t)
	if err != nil {
		return nil, err
	}
	records, err := audit.SplitEntries(raw)
	if err == nil && len(records) != t.Width {
		err = fmt.Errorf("it has %d records, not %d", len(records), t.Width)
	}
	if err != nil {
		return nil, bad("tile", "%s%s: %v", tilePrefix, t.Path(), err)
	}
	return records, nil
}

func readTile(ctx context.Context, src Source, t audit.Tile) ([]byte, error) {
	path := tilePrefix + t.Path()
	raw, err := src.Read(ctx, path)
	if err != nil {
		return nil, missing(path, err)
	}
	return raw, nil
}

// missing says of what a source must have that it has not.
func missing(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return bad("missing", "%s is missing", path)
	}
	return err
}
