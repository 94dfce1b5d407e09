package auditor

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Rebuilt is a log that was found in order and written into a store.
type Rebuilt struct {
	Report

	replay *replay.Replay
}

// Rebuild checks a whole log as Verify does, and in the same pass fills an empty store with it and with the tables that
// it amounts to. After an error the store is of no use: it cannot be opened.
func Rebuild(ctx context.Context, src Source, to store.Store, o Options) (Rebuilt, error) {
	o.HashesOnly = false
	h, err := readHeader(ctx, src, o.Key)
	if err != nil {
		return Rebuilt{Report: Report{Source: src.Name()}}, err
	}
	v, err := newVerifier(src, h, o)
	if err != nil {
		return Rebuilt{v.report, v.replay}, err
	}
	v.replay.Keep()
	if v.builder, err = ledger.NewBuilder(ctx, to, latestBlob{v}); err != nil {
		return Rebuilt{v.report, v.replay}, err
	}
	report, err := v.run(ctx)
	if err == nil {
		err = v.replay.Fill(ctx, v.builder)
	}
	var head audit.Head
	if err == nil {
		head, err = v.builder.Finish(ctx)
	}
	if err == nil && !head.Equal(v.head) {
		err = differs("it has %d records with the root %s", head.Size, head.Root)
	}
	return Rebuilt{report, v.replay}, err
}

// RebuildDatabase checks the log of a database, of this format or an older one, as Database does, and in the same pass
// fills an empty store with it and with the tables that it amounts to, in the present format. The tables of the
// database must agree with their check sums; differences are those to the rebuilt ones. After an error the store is of
// no use.
func RebuildDatabase(ctx context.Context, l *ledger.Ledger, to store.Store,
	progress func(done, total int)) (r Rebuilt, differences []ledger.Difference, err error) {
	if err := l.CheckSums(ctx); err != nil {
		return r, nil, Finding{err}
	}
	if r.replay, err = replay.New(nil); err != nil {
		return r, nil, err
	}
	r.replay.Keep()
	blobs := ledger.Blobs(func(digest string) ([]byte, error) { return l.Blob(ctx, digest) })
	b, err := ledger.NewBuilder(ctx, to, blobs)
	if err != nil {
		return r, nil, err
	}
	head, err := r.copyLog(ctx, l, b, progress)
	if err != nil {
		return r, nil, err
	}
	found, err := r.replay.End(head)
	if err != nil {
		return r, nil, err
	}
	r.Records, r.Root, r.Requirements = found.Records, found.Root, found.Requirements
	if err := r.replay.Fill(ctx, b); err != nil {
		return r, nil, err
	}
	if built, err := b.Finish(ctx); err != nil || !built.Equal(head) {
		return r, nil, cmp.Or(err, differs("it has %d records with the root %s", built.Size, built.Root))
	}
	differences, err = r.replay.Differences(ctx, l)
	return r, differences, err
}

// copyLog decides every record of a database again, and passes it on to a builder. It returns what the log amounts to.
func (r Rebuilt) copyLog(ctx context.Context, l *ledger.Ledger, b *ledger.Builder,
	progress func(done, total int)) (audit.Head, error) {
	type step struct {
		decoded *replay.Record
		raw     []byte
		err     error
	}
	read := func(from store.Getter, record audit.Record) (s step) {
		s.decoded = r.replay.Read(from, record)
		s.raw, s.err = ledger.BytesAt(from, record.Seq)
		return s
	}
	total := l.Head().Size
	var good uint64
	var unwritten error
	head, err := ledger.Verify(ctx, l, read, func(s step, head audit.Head) error {
		if err := cmp.Or(s.err, r.replay.Apply(s.decoded, head)); err != nil {
			return err
		}
		good = head.Size
		if progress != nil && (good%audit.TileWidth == 0 || good == total) {
			progress(int(good), int(total))
		}
		unwritten = b.Append(ctx, s.raw)
		return unwritten
	})
	if unwritten != nil {
		return head, unwritten
	}
	if err = badInDatabase(err, good, total); fault.Is(err, store.CodeDamaged) {
		err = Finding{err}
	}
	return head, err
}

// latestBlob has the data that lies beside the log for the record that is being taken.
type latestBlob struct{ v *verifier }

// Get makes latestBlob a store.Getter.
func (l latestBlob) Get(table, key string) ([]byte, error) { return l.v.latest.Get(table, key) }

// Check reads a store whole that was filled and opened again, and holds it against the log that was checked: its
// records and their tree, the data beside the log, and every table, byte for byte. Records that change no table may
// have been added.
func (r Rebuilt) Check(ctx context.Context, l *ledger.Ledger) error {
	var root audit.Hash
	_, err := ledger.Verify(ctx, l, checkBeside, func(beside error, head audit.Head) error {
		if head.Size == r.Records {
			root = head.Root
		}
		return beside
	})
	if err == nil && root != r.Root {
		err = differs("its root at %d records is %s, not %s", r.Records, root, r.Root)
	}
	if err == nil {
		err = l.View(ctx, r.replay.Compare)
	}
	if err == nil {
		err = l.CheckSums(ctx)
	}
	return err
}

// checkBeside reads the data that lies beside the log for a record, which has the digest that the record names.
func checkBeside(from store.Getter, record audit.Record) (err error) {
	if ledger.BlobOf(record) != "" {
		_, err = ledger.DataOf[jsontext.Value](from, record)
	}
	return err
}

func differs(format string, args ...any) error {
	return fault.New(fault.Unavailable, "rebuilt_differs", "what was written is not what was read: %s",
		fmt.Sprintf(format, args...)).
		WithFix("nothing was changed; look at the disk, and try again")
}
