package texts

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// most is how many changes are shown, and of how many approvals what has changed since.
const most = 20

// History is how the text of a requirement changed.
type History struct {
	Changes []review.TextChange          // the newest first; never nil
	Since   map[int][]review.FieldChange // by approval of another text: from that one to the present one
}

// Of returns how the text of a requirement changed in a log of a size, which has the requirement as it is given.
//
// Implements: ORC-330
func (l *Log) Of(ctx context.Context, req lifecycle.Requirement, size uint64) (History, error) {
	h := History{Changes: []review.TextChange{}, Since: map[int][]review.FieldChange{}}
	all, err := l.versionsOf(ctx, req.ID, size)
	if err != nil || len(all) < 2 {
		return h, err
	}
	r := reader{log: l, versions: all, known: map[int]lifecycle.Definition{}}
	if err := r.changes(ctx, &h); err != nil {
		return h, err
	}
	return h, r.since(ctx, req, &h)
}

// reader reads versions of one requirement, each once.
type reader struct {
	log      *Log
	versions []version
	known    map[int]lifecycle.Definition
}

// changes lists what each version changed, from the newest on.
func (r *reader) changes(ctx context.Context, h *History) error {
	for i := len(r.versions) - 1; i > 0 && len(h.Changes) < most; i-- {
		fields, err := r.between(ctx, i-1, i)
		if err != nil {
			return err
		}
		if len(fields) == 0 {
			continue // it was only read otherwise
		}
		rec, _, err := r.log.read(ctx, r.versions[i].record)
		if err != nil {
			return err
		}
		h.Changes = append(h.Changes,
			review.TextChange{At: rec.At, By: rec.Actor.Name, Record: rec.Seq, Fields: fields})
	}
	return nil
}

// since holds the texts that the newest approvals covered against the present one.
func (r *reader) since(ctx context.Context, req lifecycle.Requirement, h *History) error {
	for n, a := range slices.Backward(req.Approvals) {
		covered := r.covered(a)
		if a.Fingerprint == req.Fingerprint || covered < 0 || len(h.Since) == most {
			continue
		}
		fields, err := r.between(ctx, covered, len(r.versions)-1)
		if err != nil {
			return err
		}
		if len(fields) > 0 {
			h.Since[n] = fields
		}
	}
	return nil
}

// covered returns the version that an approval was given on; -1 where it is not known.
func (r *reader) covered(a lifecycle.Approval) int {
	for i, v := range slices.Backward(r.versions) {
		if v.fingerprint == a.Fingerprint && (a.Record == 0 || v.record < a.Record) {
			return i
		}
	}
	return -1
}

// between returns what changed from one version to a later one.
func (r *reader) between(ctx context.Context, from, to int) ([]review.FieldChange, error) {
	before, err := r.definition(ctx, from)
	if err != nil {
		return nil, err
	}
	after, err := r.definition(ctx, to)
	if err != nil {
		return nil, err
	}
	var all []review.FieldChange
	for _, f := range drift.Fields(before, after) {
		change := review.FieldChange{Field: f.Field, Words: make([]review.Words, len(f.Edits))}
		for i, e := range f.Edits {
			change.Words[i] = review.Words{Op: ops[e.Op], Text: e.Text}
		}
		all = append(all, change)
	}
	return all, nil
}

var ops = map[string]string{drift.OpEqual: review.Same, drift.OpDelete: review.Out, drift.OpInsert: review.In}

// definition reads a version.
func (r *reader) definition(ctx context.Context, i int) (lifecycle.Definition, error) {
	if d, known := r.known[i]; known {
		return d, nil
	}
	v := r.versions[i]
	rec, data, err := r.log.read(ctx, v.source)
	if err != nil {
		return lifecycle.Definition{}, err
	}
	d, err := definitionIn(rec, data, v)
	r.known[i] = d
	return d, err
}

// definitionIn finds a definition in the data of an import, which can have those of ten thousand requirements: it is
// looked for by how its encoding begins, which stands in no text, and nothing else is decoded.
func definitionIn(rec audit.Record, data []byte, v version) (d lifecycle.Definition, err error) {
	id, err := ledger.Encode(v.id)
	if err != nil {
		return d, fmt.Errorf("record %d: the id %s cannot be encoded: %w", rec.Seq, strconv.Quote(v.id), err)
	}
	begins := slices.Concat([]byte(`{"id":`), id, []byte(`,"title":`))
	for at := bytes.Index(data, begins); at >= 0; {
		value, err := jsontext.NewDecoder(bytes.NewReader(data[at:])).ReadValue()
		if err == nil {
			err = unmarshal(rec, value, &d)
		}
		if err != nil || d.ID == v.id && markOf(d) == v.mark {
			return d, err
		}
		next := bytes.Index(data[at+1:], begins)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return d, fmt.Errorf("record %d, %s, has no text of %s any more", rec.Seq, rec.Kind, v.id)
}
