package control

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/record"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/secret"
)

// maxRecorded is the most bytes of lines in one record: more would lie beside the log.
const maxRecorded = 40 << 10

// Recorder puts the lines of a project's journal into the ledger, each exactly once: how far a file was read is
// committed together with what was read of it.
type Recorder struct {
	dir    folder.Dir
	ledger *ledger.Ledger
	one    sync.Mutex // records at a time
	tally  tally
}

// NewRecorder records the journal of a project.
func NewRecorder(dir folder.Dir, l *ledger.Ledger) *Recorder {
	return &Recorder{dir: dir, ledger: l}
}

// Record records what the journal has beyond what was recorded. It returns how many lines are new.
func (r *Recorder) Record(ctx context.Context) (lines int, err error) {
	r.one.Lock()
	defer r.one.Unlock()
	positions, err := r.positions(ctx)
	if err != nil {
		return 0, err
	}
	names, err := r.dir.Files()
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		n, err := r.file(ctx, name, positions[name].Read)
		lines += n
		if err != nil {
			return lines, err
		}
		delete(positions, name)
	}
	for _, name := range slices.Sorted(maps.Keys(positions)) { // what is gone
		p := positions[name]
		if p.Read == 0 || p.Gone {
			continue
		}
		if _, err := r.commit(ctx, record.Recorded{File: name, From: p.Read, To: p.Read, Gone: true}); err != nil {
			return lines, err
		}
	}
	return lines, nil
}

func (r *Recorder) positions(ctx context.Context) (map[string]record.Position, error) {
	var all map[string]record.Position
	err := r.ledger.View(ctx, func(from store.Reader) error {
		all = map[string]record.Position{}
		return record.Table.Scan(from, func(key string, _ []byte, p record.Position) error {
			all[key] = p
			return nil
		})
	})
	return all, err
}

// file records one file from an offset on.
func (r *Recorder) file(ctx context.Context, name string, from int64) (lines int, err error) {
	switch size, err := r.dir.Size(name); {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil // it went since it was listed; the next time tells
	case err != nil:
		return 0, err
	case size < from:
		mine, err := r.commit(ctx, record.Recorded{File: name, From: from, Cut: true})
		if err != nil || !mine {
			return 0, err
		}
		from = 0
	case size == from:
		return 0, nil
	}
	for {
		batch, read, err := r.batch(name, from)
		if err != nil || batch.To == batch.From {
			return lines, err
		}
		mine, err := r.commit(ctx, batch)
		if err != nil || !mine {
			return lines, err
		}
		r.tally.add(read)
		lines, from = lines+len(batch.Lines), batch.To
	}
}

// batch reads lines for one record, and returns them as they were read as well.
func (r *Recorder) batch(name string, from int64) (b record.Recorded, read []folder.Line, err error) {
	b = record.Recorded{File: name, From: from, Lines: []jsontext.Value{}}
	size := 0
	b.To, err = r.dir.ReadFrom(name, from, func(raw []byte) error {
		l, line, err := recordable(raw)
		if size += len(line); err == nil && size > maxRecorded && len(b.Lines) > 0 {
			return errFull
		}
		if err != nil {
			b.Malformed++
			return nil //nolint:nilerr // it is counted, and never fatal
		}
		b.Lines, read = append(b.Lines, line), append(read, l)
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return b, read, err
}

var errFull = errors.New("the record is full")

// recordable returns a line, and its text as the ledger keeps it: valid, and without what looks like a secret.
func recordable(raw []byte) (l folder.Line, text jsontext.Value, err error) {
	if l, err = folder.ParseLine(raw); err != nil {
		return l, nil, err
	}
	text, err = jsonv2.Marshal(l, jsontext.AllowInvalidUTF8(true), jsonv2.Deterministic(true))
	if len(text) > maxRecorded {
		return l, nil, errors.New("it is longer than any line that a hook writes")
	}
	if err != nil || len(secret.Find(string(text))) == 0 {
		return l, text, err
	}
	if text = jsontext.Value(secret.Mask(string(text))); !text.IsValid() {
		return l, nil, errors.New("it holds what looks like a secret")
	}
	return l, text, nil
}

// commit records data, unless another recorder went on from where it begins: then mine is false.
func (r *Recorder) commit(ctx context.Context, data record.Recorded) (mine bool, err error) {
	if data.Lines == nil {
		data.Lines = []jsontext.Value{}
	}
	err = r.ledger.Update(ctx, func(tx *ledger.Tx) error {
		before, _, err := record.Table.Get(tx, data.File)
		if err != nil {
			return err
		}
		if mine = before.Read == data.From; !mine {
			return nil
		}
		if _, err := record.Table.Put(tx, data.File, record.Position{Read: data.To, Gone: data.Gone}); err != nil {
			return err
		}
		return tx.Append(ledger.Event{Kind: record.KindRecorded, Actor: ledger.System(), Subject: record.Subject,
			Data: data})
	})
	return mine && err == nil, err
}
