// Package texts knows how the texts of requirements have changed: which import, or which renaming, gave a requirement
// another text, and how it read before.
//
// The log has every text that was imported, and names no requirement where it has them. So the imports and renamings
// are gone through once, in the order of the log, and of each requirement it is kept where its texts lie; what has been
// recorded since is read when somebody asks. It is derived from the log, and may be dropped at any time.
package texts

import (
	"bytes"
	"context"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/turn"
	"orchestrator/internal/rules/lifecycle"
)

// Log finds the texts that requirements had. It is safe for concurrent use.
type Log struct {
	ledger *ledger.Ledger
	turn   turn.Turn
	size   uint64               // records that were read
	lives  map[string][]version // of each requirement by its present id, the oldest first
}

// version is a text of a requirement, by where the log has it.
type version struct {
	record uint64 // since which it is that of the requirement
	source uint64 // the import that has it
	id     string // under which
	mark
}

// mark is what two texts differ in.
type mark struct{ fingerprint, priority string }

func markOf(d lifecycle.Definition) mark { return mark{d.Fingerprint, d.Source.Priority} }

// New returns a Log that has read nothing yet.
func New(l *ledger.Ledger) *Log {
	return &Log{ledger: l, turn: turn.New(), lives: map[string][]version{}}
}

// CatchUp reads what the log has grown by.
func (l *Log) CatchUp(ctx context.Context) error {
	if err := l.turn.Take(ctx); err != nil {
		return err
	}
	defer l.turn.Leave()
	return l.catchUp(ctx)
}

func (l *Log) catchUp(ctx context.Context) error {
	for end := l.ledger.Head().Size; l.size < end; {
		page, err := l.ledger.Records(ctx, l.size, pageSize)
		if err != nil {
			return err
		}
		for _, raw := range page.Records {
			if err := l.take(ctx, raw); err != nil {
				return err
			}
			l.size++
		}
	}
	return nil
}

// pageSize is how many records are read at once; the ledger bounds their bytes.
const pageSize = 10_000

// versionsOf returns the texts of a requirement in a log of a size.
func (l *Log) versionsOf(ctx context.Context, id string, size uint64) ([]version, error) {
	if err := l.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer l.turn.Leave()
	if err := l.catchUp(ctx); err != nil {
		return nil, err
	}
	all := l.lives[id]
	for len(all) > 0 && all[len(all)-1].record >= size {
		all = all[:len(all)-1]
	}
	return all, nil
}

// imported is what is read of an import: of each definition only what tells one text from another.
type imported struct {
	Defined []struct {
		ID          string `json:"id"`
		Fingerprint string `json:"fingerprint"`
		Source      struct {
			Priority string `json:"priority"`
		} `json:"source"`
	} `json:"defined"`
}

// take takes a record into account. It decodes imports and renamings alone.
func (l *Log) take(ctx context.Context, raw []byte) error {
	kind := kindIn(raw)
	if kind != record.KindImported && kind != record.KindRenamed {
		return nil
	}
	rec, data, err := l.decode(ctx, raw)
	switch {
	case err != nil:
		return err
	case kind == record.KindRenamed:
		var renamed record.Renamed
		if err = unmarshal(rec, data, &renamed); err == nil {
			l.rename(rec.Seq, renamed)
		}
	default:
		var all imported
		if err = unmarshal(rec, data, &all); err == nil {
			l.define(rec.Seq, all)
		}
	}
	return err
}

// kindIn returns the kind of a record, which stands behind its number and time.
func kindIn(raw []byte) string {
	const name, far = `,"kind":"`, 128
	_, kind, _ := bytes.Cut(raw[:min(len(raw), far)], []byte(name))
	kind, _, _ = bytes.Cut(kind, []byte{'"'})
	return string(kind)
}

// read reads a record and its data.
func (l *Log) read(ctx context.Context, seq uint64) (audit.Record, []byte, error) {
	raw, err := l.ledger.Record(ctx, seq)
	if err != nil {
		return audit.Record{}, nil, err
	}
	return l.decode(ctx, raw)
}

func (l *Log) decode(ctx context.Context, raw []byte) (rec audit.Record, data []byte, err error) {
	if rec, err = audit.Decode(raw); err != nil {
		return rec, nil, err
	}
	if digest := ledger.BlobOf(rec); digest != "" {
		data, err = l.ledger.Blob(ctx, digest)
		return rec, data, err
	}
	return rec, rec.Data, nil
}

func unmarshal(rec audit.Record, data []byte, v any) error {
	if err := jsonv2.Unmarshal(data, v, jsontext.AllowDuplicateNames(true)); err != nil {
		return fmt.Errorf("record %d, %s: %w", rec.Seq, rec.Kind, err)
	}
	return nil
}

// define takes an import into account. Most of what it defines has moved, and reads as before.
func (l *Log) define(seq uint64, data imported) {
	for _, d := range data.Defined {
		m := mark{d.Fingerprint, d.Source.Priority}
		if life := l.lives[d.ID]; len(life) == 0 || life[len(life)-1].mark != m {
			l.lives[d.ID] = append(life, version{seq, seq, d.ID, m})
		}
	}
}

// rename takes a renaming into account. Where a pm has confirmed it, the text is that of the new id from then on.
func (l *Log) rename(seq uint64, data record.Renamed) {
	lives := make([][]version, len(data.Renames))
	for i, pair := range data.Renames {
		lives[i] = l.lives[pair.From]
	}
	for _, pair := range data.Renames {
		delete(l.lives, pair.From)
	}
	for i, pair := range data.Renames {
		if data.Qualify == "" {
			lives[i] = takeOver(lives[i], l.lives[pair.To], seq)
		}
		l.lives[pair.To] = lives[i]
	}
}

func takeOver(old, now []version, seq uint64) []version {
	if len(now) == 0 {
		return old
	}
	text := now[len(now)-1]
	if text.record = seq; len(old) > 0 && old[len(old)-1].mark == text.mark {
		return old
	}
	return append(old, text)
}
