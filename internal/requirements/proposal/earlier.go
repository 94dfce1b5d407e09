package proposal

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// Edit is a run of words that two texts share, or that one of them has alone.
type Edit = drift.Edit

// Log is a page of the log.
type Log struct {
	Records []Entry `json:"records"`
	Next    string  `json:"next"`
}

// Entry is a record of the log, as far as it says on which text of a requirement people worked.
type Entry struct {
	Seq  uint64    `json:"seq"`
	Kind string    `json:"kind"`
	At   time.Time `json:"at"`
	Data EntryData `json:"data"`
}

// EntryData is the data of a record, or the digest under which the log keeps it.
type EntryData struct {
	Blob    string                 `json:"blob"`
	Defined []lifecycle.Definition `json:"defined"`
	Report  jsontext.Value         `json:"report"`
	Change  struct {
		AcceptFingerprint string         `json:"accept_fingerprint"`
		Status            string         `json:"status"`
		DesignSpec        jsontext.Value `json:"design_spec"`
		Implementation    jsontext.Value `json:"implementation"`
		Test              jsontext.Value `json:"test"`
	} `json:"change"`
}

// Basis is the change that the work on a requirement rests on: the last one by which a pm accepted a text, or else the
// first one of the work. What the text was then is what a changed text is to be held against.
type Basis struct {
	Record   uint64 // 0 for none
	At       time.Time
	Accepted bool // by a pm; else work began
}

// Read takes a record about the requirement into account. They come newest first. It returns whether it needs no more.
func (b *Basis) Read(e Entry) (done bool) {
	change := e.Data.Change
	if e.Kind != record.KindChanged {
		return false
	}
	accepted := change.AcceptFingerprint != ""
	if accepted || change.Status != "" || change.DesignSpec != nil || change.Implementation != nil ||
		change.Test != nil || e.Data.Report != nil {
		*b = Basis{e.Seq, e.At, accepted}
	}
	return accepted
}

// BasisOf asks the log, path by path, on what the work on a requirement rests, and how its text read then.
func BasisOf(id string, former []lifecycle.FormerID, get func(path string, v any) error) (b Basis,
	was lifecycle.Definition, found bool, err error) {
	history := "/requirements/" + strings.ReplaceAll(url.PathEscape(id), "'", "%27") + "/history?limit=100"
	if err = eachEntry(get, history, b.Read); err != nil {
		return b, was, false, err
	}
	text := TextAt(b.Record, id, former)
	err = eachEntry(get, "/audit?kind=requirements.imported&order=desc&limit=100", text.Read)
	was, found = text.Found()
	return b, was, found, err
}

// eachEntry reads records page by page, until one is the last that is needed.
func eachEntry(get func(path string, v any) error, next string, read func(Entry) (done bool)) error {
	for next != "" {
		var page Log
		if err := get(next, &page); err != nil {
			return err
		}
		for _, r := range page.Records {
			if r.Data.Blob != "" {
				if err := get("/audit/blobs/"+r.Data.Blob, &r.Data); err != nil {
					return err
				}
			}
			if read(r) {
				return nil
			}
		}
		next = page.Next
	}
	return nil
}

// Text finds the text that a requirement had at a moment, among the imports, which come newest first.
type Text struct {
	before uint64
	ids    []lifecycle.FormerID // that it had then and earlier, newest first; Record is 0 for the present one
	found  []*lifecycle.Definition
}

// TextAt looks for the text that a requirement had before a record.
func TextAt(seq uint64, id string, former []lifecycle.FormerID) *Text {
	ids := append(slices.Clone(former), lifecycle.FormerID{ID: id})
	last := slices.IndexFunc(ids, func(f lifecycle.FormerID) bool { return f.Record == 0 || f.Record > seq })
	ids = ids[:last+1]
	slices.Reverse(ids)
	return &Text{seq, ids, make([]*lifecycle.Definition, len(ids))}
}

// Read takes an import into account. It returns whether it needs no more.
func (t *Text) Read(e Entry) (done bool) {
	if e.Seq >= t.before {
		return false
	}
	for i, id := range t.ids {
		at := slices.IndexFunc(e.Data.Defined, func(d lifecycle.Definition) bool { return d.ID == id.ID })
		if at >= 0 && t.found[i] == nil && (i == 0 || e.Seq < id.Record) {
			t.found[i] = &e.Data.Defined[at]
		}
	}
	return t.found[0] != nil
}

// Found returns the text, under the newest id that had one.
func (t *Text) Found() (lifecycle.Definition, bool) {
	for _, d := range t.found {
		if d != nil {
			return *d, true
		}
	}
	return lifecycle.Definition{}, false
}

// Difference returns what changed between two texts of a requirement, word by word; nothing if they read the same. Of
// long changes it has the beginning only; whole says that nothing that was taken away is left out.
func Difference(before, after lifecycle.Definition) (edits []Edit, whole bool) {
	if before.Fingerprint == after.Fingerprint {
		return nil, true
	}
	edits = drift.Difference(before, after)
	cut := slices.ContainsFunc(edits, func(e Edit) bool { return e.Deletes() && strings.HasSuffix(e.Text, "…") })
	return edits, !cut && edits[len(edits)-1].Text != "…"
}
