package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// CodeCursor is the code of a cursor that no page has given.
const CodeCursor fault.Code = "unknown_cursor"

// Page is a part of the log: the stored bytes of records, and where to go on.
type Page struct {
	Head    audit.Head
	Total   uint64            // records that match in all
	Records []json.RawMessage // exactly the bytes that were hashed
	Next    uint64            // where the next page goes on; 0 when there is none
}

// View reads the store. It may see commits that are not published yet; use it for what only grows. When ctx ends, what
// fn reads next fails.
func (l *Ledger) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := l.Err(); err != nil {
		return err
	}
	return l.store.View(ctx, func(r store.Reader) error {
		r = l.links.Reader(r)
		a := asking{r, ctx}
		if _, can := r.(store.ManyGetter); can {
			return fn(askingMany{a})
		}
		return fn(a)
	})
}

// asking reads while its context lasts, so that nobody goes on reading for a caller who has gone, or is out of time.
type asking struct {
	store.Reader
	ctx context.Context
}

func (a asking) Get(table, key string) ([]byte, error) {
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	return a.Reader.Get(table, key)
}

// askingMany is asking where the store is a store.ManyGetter.
type askingMany struct{ asking }

// GetMany makes askingMany a store.ManyGetter.
func (a askingMany) GetMany(places []store.Place) ([][]byte, error) {
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	return store.GetMany(a.Reader, places)
}

func (a asking) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	return a.Reader.Scan(table, from, to, func(key string, value []byte) error {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		return visit(key, value)
	})
}

// mostPage is how many bytes a page of records has before it ends, whatever number was asked for: a thousand records of
// the largest size would be 60 MB for a GET.
const mostPage = 4 << 20

// Records reads limit records from number from on, of the published log; fewer where they are large.
func (l *Ledger) Records(ctx context.Context, from uint64, limit int) (Page, error) {
	page := Page{Head: l.Head()}
	page.Total = page.Head.Size
	err := l.View(ctx, func(r store.Reader) error {
		p, size := page, 0
		err := rows.Scan(r, from, page.Head.Size, func(seq uint64, raw []byte) error {
			if len(p.Records) == limit || size >= mostPage {
				p.Next = seq
				return store.ErrStop
			}
			size += len(raw)
			p.Records = append(p.Records, append([]byte(nil), raw...))
			return nil
		})
		page = p
		return err
	})
	return page, err
}

// History reads limit records about a subject, fewer where they are large, newest first; before is 0, or the Next of
// the page before. A before that is no record about the subject is fault.Malformed.
func (l *Ledger) History(ctx context.Context, subject string, before uint64, limit int) (Page, error) {
	page := Page{Head: l.Head()}
	err := l.View(ctx, func(r store.Reader) error {
		p, size := page, 0
		t, _, err := threads.Get(r, subject)
		if err != nil {
			return err
		}
		p.Total = t.Count
		at := t.Last
		if before != 0 {
			if at, err = beforeOf(r, subject, before); err != nil {
				return err
			}
		}
		for at != 0 && len(p.Records) < limit && size < mostPage {
			raw, record, err := RecordAt(r, at)
			if err != nil {
				return err
			}
			if record.Seq < page.Head.Size {
				p.Records, p.Next, size = append(p.Records, raw), record.Seq, size+len(raw)
			} else {
				p.Total-- // it is not published yet
			}
			at = record.Prev
		}
		if at == 0 {
			p.Next = 0
		}
		page = p
		return nil
	})
	return page, err
}

// LastAbout returns the number of the last record about a subject, published or not; 0 if there is none.
func LastAbout(r store.Getter, subject string) (uint64, error) {
	t, _, err := threads.Get(r, subject)
	return t.Last, err
}

func beforeOf(r store.Getter, subject string, seq uint64) (uint64, error) {
	raw, err := rows.Read(r, seq)
	if err != nil {
		return 0, err
	}
	var record audit.Record
	if raw != nil {
		if record, err = audit.Decode(raw); err != nil {
			return 0, store.Damaged("record %d cannot be read", seq).Because(err)
		}
	}
	if record.Subject != subject {
		return 0, fault.New(fault.Malformed, CodeCursor, "before names no record about %s", subject).
			WithFix("follow next of the page before, or start without before")
	}
	return record.Prev, nil
}

// RecordAt reads one record and a copy of its bytes.
func RecordAt(r store.Getter, seq uint64) ([]byte, audit.Record, error) {
	raw, err := BytesAt(r, seq)
	if err != nil {
		return nil, audit.Record{}, err
	}
	record, err := audit.Decode(raw)
	return raw, record, err
}

// BytesAt returns a copy of the stored bytes of one record, which are what was hashed.
func BytesAt(r store.Getter, seq uint64) ([]byte, error) {
	raw, err := rows.Read(r, seq)
	if err == nil && raw == nil {
		err = store.Damaged("record %d is missing", seq)
	}
	return bytes.Clone(raw), err
}

// Blob returns data that a record names by its digest, checked against it.
func (l *Ledger) Blob(ctx context.Context, digest string) ([]byte, error) {
	var data []byte
	err := l.View(ctx, func(r store.Reader) (err error) {
		data, err = blob(r, digest)
		return err
	})
	return data, err
}

func blob(r store.Getter, digest string) ([]byte, error) {
	raw, err := r.Get(tableBlobs, digest)
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return nil, fault.New(fault.NotFound, "unknown_blob", "no record names data with the digest %q", digest).
			WithFix("take the digest from the data of a record: {\"blob\": \"<64 hexadecimal digits>\"}")
	}
	if Digest(raw) != digest {
		return nil, store.Damaged("the data with the digest %s was changed", digest)
	}
	return append([]byte(nil), raw...), nil
}

// Digest returns the SHA-256 of data in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// BlobOf returns the SHA-256, in hexadecimal, of the data of a record that lies beside the log; "" when the record has
// its data itself.
func BlobOf(record audit.Record) string {
	if !bytes.HasPrefix(record.Data, []byte(`{"blob":`)) {
		return ""
	}
	var ref blobRef
	if decode(record.Data, &ref) != nil {
		return ""
	}
	return ref.Blob
}

// Blobs gives data that lies beside the log to DataOf: read returns what has a digest.
type Blobs func(digest string) ([]byte, error)

// Get makes Blobs a store.Getter that has nothing else.
func (b Blobs) Get(table, key string) ([]byte, error) {
	if table != tableBlobs {
		return nil, nil
	}
	return b(key)
}

// DataOf decodes the data of a record, from beside the log if it lies there.
func DataOf[T any](r store.Getter, record audit.Record) (T, error) {
	var value T
	raw := []byte(record.Data)
	if digest := BlobOf(record); digest != "" {
		var err error
		if raw, err = blob(r, digest); err != nil {
			return value, err
		}
	}
	if err := decode(raw, &value); err != nil {
		return value, fmt.Errorf("record %d, %s: %w", record.Seq, record.Kind, err)
	}
	return value, nil
}

func nodeOf(record []byte) audit.Hash { return tlog.RecordHash(record) }

// leafOf returns the stored leaf of a record; a missing one matches nothing.
func leafOf(r store.Getter, seq uint64) audit.Hash {
	hashes, err := rows.Nodes{From: r}.ReadHashes([]int64{tlog.StoredHashIndex(0, int64(seq))})
	if err != nil {
		return audit.Hash{}
	}
	return hashes[0]
}

// RecordOf returns the bytes of the record that a row of the table audit has.
func RecordOf(row []byte) []byte { return rows.RecordOf(row) }
