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
	"io"
	"io/fs"
	"iter"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
)

// Paths of a Source, besides tile/… of C2SP tlog-tiles and blobs/<SHA-256>.
const (
	pathCheckpoint = "checkpoint"
	pathKey        = "key"
	pathState      = "project_status.json"
	tilePrefix     = "tile/"
	blobPrefix     = "blobs/"
)

// Source has the files of one log. Read returns fs.ErrNotExist for one that is not there, and may refuse one that is
// larger than any of its kind.
type Source interface {
	Name() string
	Read(ctx context.Context, path string) ([]byte, error)
}

// The most bytes that files of a log may have.
const (
	maxFile   = 512 << 20          // the state, where it is read into memory
	maxState  = 4 << 30            // the state, where it is not
	maxBlob   = store.MaxValueSize // data that a record names: the service keeps it as one value
	maxBeside = 64 << 20           // what a backup packs beside the log
	maxNote   = 1 << 20            // a checkpoint or a key
)

// mostOf returns the most bytes that a file of a log can have.
func mostOf(path string) int64 {
	switch {
	case strings.HasPrefix(path, tilePrefix+"entries/"):
		return audit.TileWidth * (2 + 1<<16)
	case strings.HasPrefix(path, tilePrefix):
		return audit.TileWidth * tlog.HashSize
	case strings.HasPrefix(path, blobPrefix):
		return maxBlob
	case path == pathCheckpoint, path == pathKey, path == PathAbout:
		return maxNote
	case besidesLog(path):
		return maxBeside
	}
	return maxFile
}

// read reads a file that a log must have. What a source has not, or too much of, is a finding.
func read(ctx context.Context, src Source, path string) ([]byte, error) {
	most := mostOf(path)
	content, err := src.Read(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, bad("log_missing", "%s is missing", path)
	case err == nil && int64(len(content)) > most:
		return nil, tooLarge(path, most)
	}
	return content, err
}

func tooLarge(path string, most int64) error {
	if most >= maxFile {
		return fault.New(fault.Unavailable, "log_too_large", "%s is too large to be looked at", path).
			WithFix("it has more than %d MiB, which a log of this program hardly needs: do not trust where it comes from", most>>20)
	}
	return bad("log_too_large", "%s has more than %d bytes, which nothing of its kind has", path, most)
}

type server struct {
	name string
	c    *apiclient.Client
}

// FromServer reads from a running service. The log may grow meanwhile.
func FromServer(name string, c *apiclient.Client) Source { return server{name, c} }

func (s server) Name() string { return s.name }

func (s server) Read(ctx context.Context, path string) ([]byte, error) {
	most := mostOf(path)
	media := "text/plain"
	url := "/audit/" + path
	switch {
	case path == pathState:
		url, media = "/project", "application/json"
	case strings.HasPrefix(path, tilePrefix):
		media = "application/octet-stream"
	case strings.HasPrefix(path, blobPrefix):
		media = "application/json"
	}
	content, err := s.c.GetAtMost(ctx, url, media, most)
	f := fault.As(err)
	if f == nil {
		return content, err
	}
	switch {
	case f.Code == apiclient.CodeTooLarge:
		return nil, tooLarge(path, most)
	case f.Kind == fault.NotFound && (strings.HasPrefix(path, tilePrefix) || strings.HasPrefix(path, blobPrefix)):
		return nil, fs.ErrNotExist // although the checkpoint promises it
	case f.Code == store.CodeDamaged:
		return nil, bad("log_damaged", "the service itself says of %s: %s", path, f.Detail)
	}
	return nil, err
}

type database struct {
	name   string
	l      *ledger.Ledger
	signer audit.Signer
	state  projection.ExportFile
}

// FromLedger reads from an open database. signer makes the checkpoint; state is the export, or nil.
func FromLedger(name string, l *ledger.Ledger, signer audit.Signer, state projection.ExportFile) Source {
	return database{name, l, signer, state}
}

func (d database) Name() string { return d.name }

func (d database) Read(ctx context.Context, path string) ([]byte, error) {
	switch path {
	case pathCheckpoint:
		return d.signer.Sign(d.l.Head())
	case pathKey:
		return []byte(d.signer.Key + "\n"), nil
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

// Open makes database an opener of the state.
func (d database) Open(path string) (io.Reader, error) {
	if path != pathState || d.state == nil {
		return nil, fs.ErrNotExist
	}
	return d.state()
}

// header is what a source says of its log.
type header struct {
	key        string
	signed     []byte
	checkpoint audit.Checkpoint
	state      projection.ExportFile // nil when there is none
}

// Key reads the public key that a source names as that of its log.
func Key(ctx context.Context, src Source) (string, error) {
	raw, err := read(ctx, src, pathKey)
	if err != nil {
		return "", err
	}
	key, isLine := strings.CutSuffix(string(raw), "\n")
	if !isLine {
		return "", bad("log_key", "the key is not whole")
	}
	return key, nil
}

// readHeader reads the state before the checkpoint: of a log that grows, the checkpoint is then of the same moment or a
// later one. trusted is the key that must have signed it; "" takes the one that the source names.
func readHeader(ctx context.Context, src Source, trusted string) (h header, err error) {
	if h.state, err = openState(ctx, src); err != nil {
		return h, err
	}
	if h.key, err = Key(ctx, src); err != nil {
		return h, err
	}
	if h.signed, err = read(ctx, src, pathCheckpoint); err != nil {
		return h, err
	}
	if trusted != "" && trusted != h.key {
		return h, anotherKey(src.Name(), h.key, trusted)
	}
	if h.checkpoint, err = audit.OpenCheckpoint(h.signed, h.key); err != nil {
		return h, bad("log_checkpoint", "%v", err)
	}
	if h.checkpoint.Size == 0 {
		return h, bad("log_checkpoint", "the checkpoint is of an empty log")
	}
	return h, nil
}

// opener is a source that does not read the state into memory: it opens it.
type opener interface {
	Open(path string) (io.Reader, error)
}

// openState finds the state, which may be large; nil when there is none.
func openState(ctx context.Context, src Source) (projection.ExportFile, error) {
	o, opens := src.(opener)
	if !opens {
		content, err := src.Read(ctx, pathState)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return projection.ExportOf(content), err
	}
	_, err := o.Open(pathState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return func() (io.Reader, error) { return o.Open(pathState) }, err
}

// tiles returns all tiles of records of a log, in order. The size is a claim: nothing is allocated for it.
func tiles(size uint64) iter.Seq[audit.Tile] {
	return func(yield func(audit.Tile) bool) {
		for first := uint64(0); first < size; first += audit.TileWidth {
			if !yield(audit.Tile{Entries: true, Number: first / audit.TileWidth,
				Width: int(min(audit.TileWidth, size-first))}) {
				return
			}
		}
	}
}

// readEntries reads the records of one tile. With an error come those before it.
func readEntries(ctx context.Context, src Source, t audit.Tile) ([][]byte, error) {
	raw, err := read(ctx, src, tilePrefix+t.Path())
	if err != nil {
		return nil, err
	}
	records, err := audit.SplitEntries(raw)
	if err == nil && len(records) != t.Width {
		err = fmt.Errorf("it has %d records, not %d", len(records), t.Width)
		records = records[:min(len(records), t.Width)]
	}
	if err != nil {
		return records, bad("log_tile", "%s%s: %v", tilePrefix, t.Path(), err)
	}
	return records, nil
}
