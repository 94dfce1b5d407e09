package auditor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/audit"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/orchestrator"
)

// Options of Verify.
type Options struct {
	Key           string // that must have signed the log; "" takes the one that comes with it
	Against       []Kept
	AllowRollback bool                  // a kept checkpoint may be of a moment that a recorded rollback gave up
	Progress      func(done, total int) // may be nil
}

// Report is what was found in order, and what that does not show.
type Report struct {
	Source       string     `json:"source"`
	Origin       string     `json:"origin"`
	Key          string     `json:"key"`
	Trusted      bool       `json:"trusted"` // the key was given, and did not come with the log
	Records      uint64     `json:"records"`
	Root         audit.Hash `json:"root"`
	Requirements int        `json:"requirements"`
	State        string     `json:"state"`   // matches, behind (of an earlier moment) or absent
	Against      []Held     `json:"against"` // the kept checkpoints
	CannotShow   []string   `json:"cannot_show"`
}

// Verify checks a whole log: every hash, the signature, that every kept checkpoint is a moment of this log, every
// decision by the rules, and the state byte for byte. It returns a *Bad for the first thing that is wrong.
func Verify(ctx context.Context, src Source, o Options) (Report, error) {
	h, err := readHeader(ctx, src, o.Key)
	if err != nil {
		return Report{Source: src.Name()}, err
	}
	v, err := newVerifier(src, h, o)
	if err != nil {
		return v.report, err
	}
	if err := v.readAll(ctx); err != nil {
		return v.report, err
	}
	if v.head.Root != h.checkpoint.Root {
		if _, err := v.log().Hold(v.options.Against); err != nil { // which says better where
			return v.report, err
		}
		return v.report, bad("root", "the %d records amount to the root %s, the signed checkpoint says %s: records were changed, and the tree with them",
			v.head.Size, v.head.Root, h.checkpoint.Root)
	}
	if err := v.checkTree(ctx); err != nil {
		return v.report, err
	}
	return v.report, v.end()
}

type verifier struct {
	src     Source
	header  header
	options Options
	report  Report

	replay  *orchestrator.Replay
	blobs   ledger.Blobs
	head    audit.Head
	threads audit.Threads
	roots   map[uint64]audit.Hash // at the sizes of the kept checkpoints
	upper   map[audit.Tile][]byte // the tiles above the leaves, as the records amount to them
}

func newVerifier(src Source, h header, o Options) (*verifier, error) {
	v := &verifier{
		src: src, header: h, options: o, threads: audit.Threads{}, roots: map[uint64]audit.Hash{}, upper: map[audit.Tile][]byte{},
		report: Report{Source: src.Name(), Origin: h.checkpoint.Origin, Key: h.key, Trusted: o.Key != "", Against: []Held{}, CannotShow: []string{}},
	}
	var err error
	if v.replay, err = orchestrator.NewReplay(h.state); err != nil {
		return v, asBad(err)
	}
	kept, err := readKept(o.Against)
	for _, k := range kept {
		v.roots[k.Size] = audit.Hash{}
	}
	return v, err
}

// piece is one tile of records with the leaves that the source has for them.
type piece struct {
	records [][]byte
	leaves  []byte
	err     error
}

// readAll goes through the records in order, while the next ones are being read.
func (v *verifier) readAll(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	v.blobs = func(digest string) ([]byte, error) { return v.blob(ctx, digest) }
	pieces := make(chan piece, 4)
	go func() {
		defer close(pieces)
		for _, t := range tiles(v.header.checkpoint.Size) {
			p := v.read(ctx, t)
			select {
			case pieces <- p:
			case <-ctx.Done():
				return
			}
			if p.err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		if p.err != nil {
			return p.err
		}
		for i, raw := range p.records {
			if err := v.record(raw, p.leaves[i*tlog.HashSize:][:tlog.HashSize]); err != nil {
				return err
			}
		}
		if v.options.Progress != nil {
			v.options.Progress(int(v.head.Size), int(v.header.checkpoint.Size))
		}
	}
	return ctx.Err()
}

func (v *verifier) read(ctx context.Context, t audit.Tile) (p piece) {
	if p.records, p.err = readEntries(ctx, v.src, t); p.err != nil {
		return p
	}
	t.Entries = false
	p.leaves, p.err = readTile(ctx, v.src, t)
	if p.err == nil && len(p.leaves) != t.Width*tlog.HashSize {
		p.err = bad("tile", "%s%s has %d bytes, not %d", tilePrefix, t.Path(), len(p.leaves), t.Width*tlog.HashSize)
	}
	return p
}

// record adds one record: its place in the tree, its place in the log, and its decision.
func (v *verifier) record(raw, leaf []byte) error {
	n := v.head.Size
	if hash := tlog.RecordHash(raw); !bytes.Equal(hash[:], leaf) {
		return badRecord(n, "record_changed", "record %d and its leaf in the tree differ: one of them was changed", n)
	}
	record, head, nodes, err := v.head.Next(raw)
	if err == nil {
		err = v.threads.Follow(record)
	}
	if err != nil {
		return badRecord(n, "record", "%v", err)
	}
	v.head = head
	v.keepUpper(nodes)
	if _, wanted := v.roots[head.Size]; wanted {
		v.roots[head.Size] = head.Root
	}
	if err := v.replay.Record(v.blobs, record, head); err != nil {
		var failed *fault.Error
		if errors.As(err, &failed) && failed.Kind == fault.Unavailable || errors.Is(err, context.Canceled) {
			return err
		}
		b := asBad(err)
		b.Record = &n
		return b
	}
	return nil
}

// blob is data that lies beside the log, checked against the digest that its record names.
func (v *verifier) blob(ctx context.Context, digest string) ([]byte, error) {
	path := blobPrefix + digest
	data, err := v.src.Read(ctx, path)
	if err != nil {
		return nil, missing(path, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
		return nil, bad("blob", "%s was changed", path)
	}
	return data, nil
}

// keepUpper keeps the nodes that tiles above the leaves have: every eighth level.
func (v *verifier) keepUpper(nodes []audit.StoredHash) {
	for _, node := range nodes {
		level, n := tlog.SplitStoredHashIndex(int64(node.Index))
		if level == 0 || level%audit.TileHeight != 0 {
			continue
		}
		t := audit.Tile{Level: level / audit.TileHeight, Number: uint64(n) / audit.TileWidth}
		v.upper[t] = append(v.upper[t], node.Hash[:]...)
	}
}

// checkTree holds the tiles above the leaves against what the records amount to.
func (v *verifier) checkTree(ctx context.Context) error {
	for _, t := range audit.TilesFor(0, v.head.Size) {
		if t.Level == 0 {
			continue
		}
		got, err := readTile(ctx, v.src, t)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, v.upper[audit.Tile{Level: t.Level, Number: t.Number}]) {
			return bad("tile", "%s%s is not what the records amount to", tilePrefix, t.Path())
		}
	}
	return nil
}

// end holds the state and the kept checkpoints against the log that was read.
func (v *verifier) end() error {
	found, err := v.replay.End(v.head)
	v.report.Records, v.report.Root, v.report.Requirements, v.report.State = found.Records, found.Root, found.Requirements, found.Export
	if err != nil {
		return asBad(err)
	}
	keys := v.replay.Keys()
	if len(keys) == 0 || keys[len(keys)-1].Key != v.header.key {
		return bad("key", "the checkpoint is signed with a key that the log does not name")
	}
	if v.report.Against, err = v.log().Hold(v.options.Against); err != nil {
		return err
	}
	v.report.CannotShow = v.report.cannotShow()
	return nil
}

// log is what was read, as kept checkpoints are held against it.
func (v *verifier) log() Log {
	return Log{
		v.header.checkpoint.Origin, v.head.Size, func(size uint64) (audit.Hash, error) { return v.roots[size], nil },
		v.replay.Keys(), v.replay.Rollbacks(), v.options.AllowRollback,
	}
}

// asBad makes a finding of the replay one of the verifier.
func asBad(err error) *Bad {
	var b *Bad
	if errors.As(err, &b) {
		return b
	}
	return bad("replay", "%v", err)
}

// cannotShow says plainly what nobody can tell from what was given.
func (r Report) cannotShow() []string {
	said := []string{}
	if len(r.Against) == 0 {
		said = append(said, "no checkpoint from outside was held against the log: a log whose end was cut off, or that the holder of its key wrote anew, looks whole; give checkpoints that you have kept with --against or --git")
	}
	if !r.Trusted {
		said = append(said, "the key came with the log: that it is the key of your service is for you to know; give it with --key")
	}
	if r.State == "absent" {
		said = append(said, "there is no state to compare with what the log amounts to")
	}
	return append(said, "what was found in the repository when evidence was looked at is taken from the log: the repository may be another now")
}
