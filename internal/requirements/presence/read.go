package presence

import (
	"context"
	"encoding/json"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/record"
)

// mostRead bounds the records that are held at once.
const mostRead = 1000

// Read reads the log on, up to a size that was published.
func (p *Presence) Read(ctx context.Context, l *ledger.Ledger, size uint64) error {
	for p.next < size {
		page, err := lookup.Records{Kinds: []string{record.KindImported, record.KindRenamed}, Since: p.next,
			Limit: mostRead}.Find(ctx, l)
		if err != nil {
			return err
		}
		end := size
		if page.Next > 0 {
			end = min(end, page.Next)
		}
		if err := p.take(ctx, l, page.Records, end); err != nil {
			return err
		}
		p.next = end
	}
	return nil
}

// take takes the records in front of one into account, or none of them.
func (p *Presence) take(ctx context.Context, l *ledger.Ledger, records []json.RawMessage, end uint64) error {
	var all []func()
	for _, raw := range records {
		rec, err := audit.Decode(raw)
		if err != nil {
			return err
		}
		if rec.Seq >= end {
			break
		}
		one, err := p.read(ctx, l, rec)
		if err != nil {
			return fmt.Errorf("record %d, %s: %w", rec.Seq, rec.Kind, err)
		}
		all = append(all, one)
	}
	for _, one := range all {
		one()
	}
	return nil
}

// read reads a record, and returns what takes it into account.
func (p *Presence) read(ctx context.Context, l *ledger.Ledger, rec audit.Record) (func(), error) {
	data := []byte(rec.Data)
	if digest := ledger.BlobOf(rec); digest != "" {
		var err error
		if data, err = l.Blob(ctx, digest); err != nil {
			return nil, err
		}
	}
	if rec.Kind == record.KindRenamed {
		var r renamed
		err := jsonv2.Unmarshal(data, &r, trusted)
		return func() { p.renamed(rec.At, r) }, err
	}
	var i imported
	err := jsonv2.Unmarshal(data, &i, trusted)
	return func() { p.imported(rec.At, i) }, err
}

// trusted spares a search for duplicate names, as there are none in what was encoded here.
var trusted = jsontext.AllowDuplicateNames(true)
