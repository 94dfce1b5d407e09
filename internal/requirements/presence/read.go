package presence

import (
	"context"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
)

// Read goes on reading the log up to a size, given the numbers of all its records that import or rename requirements.
func (p *Presence) Read(ctx context.Context, l *ledger.Ledger, imports []uint64, size uint64) error {
	for _, seq := range imports[p.read:] {
		if seq >= size {
			break
		}
		if err := p.readOne(ctx, l, seq); err != nil {
			return fmt.Errorf("record %d: %w", seq, err)
		}
		p.read++
	}
	return nil
}

func (p *Presence) readOne(ctx context.Context, l *ledger.Ledger, seq uint64) error {
	raw, err := l.Record(ctx, seq)
	if err != nil {
		return err
	}
	rec, err := audit.Decode(raw)
	if err != nil {
		return err
	}
	data := []byte(rec.Data)
	if digest := ledger.BlobOf(rec); digest != "" {
		if data, err = l.Blob(ctx, digest); err != nil {
			return err
		}
	}
	if rec.Kind == record.KindRenamed {
		var r renamed
		if err = jsonv2.Unmarshal(data, &r, trusted); err == nil {
			p.renamed(rec.At, r)
		}
		return err
	}
	var i imported
	if err = jsonv2.Unmarshal(data, &i, trusted); err == nil {
		p.imported(rec.At, i)
	}
	return err
}

// trusted spares a search for duplicate names, as there are none in what was encoded here.
var trusted = jsontext.AllowDuplicateNames(true)
