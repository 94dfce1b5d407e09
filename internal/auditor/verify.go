package auditor

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
)

// Options of Verify.
type Options struct {
	Key           string // that must have signed the log; "" takes the one that comes with it
	Against       []Kept
	AllowRollback bool                  // a kept checkpoint may be of a moment that a recorded rollback gave up
	HashesOnly    bool                  // decide nothing again: every byte is the signed log's, whatever it says
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
	return v.run(ctx)
}

func (v *verifier) run(ctx context.Context) (Report, error) {
	if err := v.readAll(ctx); err != nil {
		return v.report, err
	}
	h := v.header
	if v.head.Root != h.checkpoint.Root {
		if _, err := v.log().Hold(v.options.Against); err != nil { // which says better where
			return v.report, err
		}
		return v.report, bad("log_root",
			"the %d records amount to the root %s, the signed checkpoint says %s: records were changed, and the tree with them",
			v.head.Size, v.head.Root, h.checkpoint.Root)
	}
	if err := v.checkTree(ctx); err != nil {
		return v.report, err
	}
	if err := v.checkExtra(); err != nil {
		return v.report, err
	}
	return v.report, v.end()
}

type verifier struct {
	src     Source
	header  header
	options Options
	report  Report

	replay  *replay.Replay
	head    audit.Head
	threads audit.Threads
	roots   map[uint64]audit.Hash // at the sizes of the kept checkpoints
	upper   map[audit.Tile][]byte // the tiles above the leaves, as the records amount to them
	named   map[string]bool       // the data beside the log that a record names
	builder *ledger.Builder       // takes what was found in order; nil where nothing is built
	latest  entry                 // the record that it takes
	backup  bool                  // the source has files besides the log
}

func newVerifier(src Source, h header, o Options) (*verifier, error) {
	v := &verifier{
		src: src, header: h, options: o, threads: audit.Threads{},
		roots: map[uint64]audit.Hash{}, upper: map[audit.Tile][]byte{}, named: map[string]bool{},
		report: Report{Source: src.Name(), Origin: h.checkpoint.Origin, Key: h.key, Trusted: o.Key != "",
			Against: []Held{}, CannotShow: []string{}},
	}
	var err error
	if v.replay, err = replay.New(h.state); err == nil && o.HashesOnly && h.state != nil {
		_, err = h.state.Head() // to its end, as it is compared with nothing
	}
	if err != nil {
		return v, finding(err)
	}
	kept, err := readKept(o.Against)
	for _, k := range kept {
		v.roots[k.Size] = audit.Hash{}
	}
	return v, err
}

// readAll goes through the records in order, while the next ones are being read.
func (v *verifier) readAll(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	deciding := v.replay
	if v.options.HashesOnly {
		deciding = nil
	}
	for p := range readAhead(ctx, v.src, v.header.checkpoint.Size, deciding) {
		for _, e := range p.entries {
			if err := v.record(ctx, e); err != nil {
				return err
			}
		}
		if p.err != nil {
			return at(p.err, v.head.Size)
		}
		if v.options.Progress != nil {
			v.options.Progress(int(v.head.Size), int(v.header.checkpoint.Size))
		}
	}
	return ctx.Err()
}

// record adds one record: its place in the tree, its place in the log, and its decision.
func (v *verifier) record(ctx context.Context, e entry) error {
	n := v.head.Size
	if e.err != nil {
		return at(e.err, n)
	}
	head, nodes, err := v.head.Follow(e.leaf, e.record)
	if err == nil {
		err = v.threads.Follow(e.record)
	}
	if err != nil {
		return badRecord(n, "log_record", "%v", err)
	}
	if err := checkKind(n, e.record); err != nil {
		return err
	}
	if e.digest != "" {
		if e.data, err = readBlob(ctx, v.src, e.digest); err != nil {
			return at(err, n)
		}
		v.named[e.digest] = true
	}
	v.head = head
	v.keepUpper(nodes)
	if _, wanted := v.roots[head.Size]; wanted {
		v.roots[head.Size] = head.Root
	}
	if v.options.HashesOnly {
		return nil
	}
	if e.decoded == nil {
		e.decoded = v.replay.Read(e, e.record)
	}
	if err := v.replay.Apply(e.decoded, head); err != nil {
		return at(asBad(err), n)
	}
	if v.builder == nil {
		return nil
	}
	v.latest = e
	return v.builder.Append(ctx, e.raw)
}

// checkKind demands that the log begins with what begins a log, and does not begin again.
func checkKind(n uint64, record audit.Record) error {
	if n > 0 && record.Kind == ledger.KindCreated {
		return badRecord(n, "log_record", "record %d says that the log begins there", n)
	}
	if n > 0 {
		return nil
	}
	err := ledger.CheckFirst(record)
	if errors.Is(err, fault.Unavailable) || err == nil {
		return err
	}
	return badRecord(n, "log_record", "%v", err)
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
		got, err := read(ctx, v.src, tilePrefix+t.Path())
		if err != nil {
			return err
		}
		if !bytes.Equal(got, v.upper[audit.Tile{Level: t.Level, Number: t.Number}]) {
			return bad("log_tile", "%s%s is not what the records amount to", tilePrefix, t.Path())
		}
	}
	return nil
}

// checkExtra refuses files that nothing in the log vouches for, where the source can list what it has.
func (v *verifier) checkExtra() error {
	listed, can := v.src.(interface{ Files() []string })
	if !can {
		return nil
	}
	for _, path := range listed.Files() {
		v.backup = v.backup || besidesLog(path)
		if !v.belongs(path) {
			return bad("log_extra", "there is a file %q, which is no part of a log of %d records", path, v.head.Size)
		}
	}
	return nil
}

func (v *verifier) belongs(path string) bool {
	if digest, ok := strings.CutPrefix(path, blobPrefix); ok {
		return v.named[digest]
	}
	if rest, ok := strings.CutPrefix(path, tilePrefix); ok {
		t, err := audit.ParseTile(rest)
		return err == nil && t == t.In(v.head.Size)
	}
	return path == pathCheckpoint || path == pathKey || path == pathState || besidesLog(path)
}

// end holds the state and the kept checkpoints against the log that was read.
func (v *verifier) end() error {
	if v.options.HashesOnly {
		v.report.Records, v.report.Root = v.head.Size, v.head.Root
		return nil
	}
	found, err := v.replay.End(v.head)
	v.report.Records, v.report.Root, v.report.Requirements, v.report.State = found.Records, found.Root,
		found.Requirements, found.Export
	if err != nil {
		return finding(err)
	}
	keys := v.replay.Keys()
	if len(keys) == 0 || keys[len(keys)-1].Key != v.header.key {
		return bad("log_key", "the checkpoint is signed with a key that the log does not name")
	}
	if v.report.Against, err = v.log().Hold(v.options.Against); err != nil {
		return err
	}
	v.report.CannotShow = v.report.cannotShow()
	if v.backup {
		v.report.CannotShow = append(v.report.CannotShow,
			"what this backup has besides the log (backup.json and private/): nothing vouches for it")
	}
	return nil
}

// log returns what was read, as kept checkpoints are held against it.
func (v *verifier) log() Log {
	return Log{
		v.header.checkpoint.Origin, v.head.Size, func(size uint64) (audit.Hash, error) { return v.roots[size], nil },
		v.replay.Keys(), v.replay.Rollbacks(), v.options.AllowRollback,
	}
}

// at names the first bad record in a finding that does not name one.
func at(err error, record uint64) error {
	var b *Bad
	if errors.As(err, &b) && b.Record == nil {
		b.Record = &record
	}
	return err
}

// finding returns what is wrong with the state; what kept it from being read stays what it is.
func finding(err error) error {
	if f := fault.As(err); f != nil && f.Kind != fault.Unavailable {
		return asBad(err)
	}
	return err
}

// asBad makes a finding of the replay one of the verifier.
func asBad(err error) *Bad {
	var b *Bad
	if errors.As(err, &b) {
		return b
	}
	return bad("log_replay", "%v", err)
}

// cannotShow returns what nobody can tell from what was given.
func (r Report) cannotShow() []string {
	said := []string{}
	if len(r.Against) == 0 {
		said = append(said,
			"no checkpoint from outside was held against the log: a log whose end was cut off, or that the holder "+
				"of its key wrote anew, looks whole; give checkpoints that you have kept with --against or --git")
	}
	if !r.Trusted {
		said = append(said, "the key came with the log: that it is the key of your service is for you to know; give it with --key")
	}
	switch r.State {
	case replay.ExportAbsent:
		said = append(said, "there is no state to compare with what the log amounts to")
	case replay.ExportBehind:
		said = append(said, "the state is of an earlier moment of the log: what changed since is not in it")
	}
	return append(said,
		"that a request came from the actor in its record, and at that time, that the repository was as evidence "+
			"was found in it, and what the refused requests said that the log does not keep: the log takes the service's word for it")
}
