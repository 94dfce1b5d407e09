package records

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/ledger/audit"
)

// one is a record with its proof.
type one struct {
	row
	JSON   string
	More   int // bytes that are not shown
	Size   uint64
	Root   audit.Hash
	Hashes []audit.Hash
	Wrong  string // why the proof does not lead to the root; "" where it does
}

// Log names the log that the proof is of.
func (o one) Log() string { return "the log of " + sized(o.Size) }

// RecordPage returns the page of one record.
func RecordPage() page.Page {
	return page.Page{Pattern: path + "/records/{id}", Nav: "Log", Template: template, Show: showOne}
}

// mostShown is how many bytes of a record are shown.
const mostShown = 64 << 10

// Implements: ORC-337
func showOne(v *page.Visit) (page.View, error) {
	number := url.PathEscape(v.ID)
	got := v.API.Send(ask.Call{Method: http.MethodGet, Path: path + "/records/" + number})
	if err := got.Refused(); err != nil {
		return page.View{}, err
	}
	o := &one{row: rowOf(jsontext.Value(got.Body))}
	pretty := jsontext.Value(append([]byte(nil), got.Body...))
	if err := pretty.Indent(jsontext.WithIndent("  ")); err != nil {
		pretty = got.Body
	}
	o.JSON = string(pretty[:min(len(pretty), mostShown)])
	o.More = len(pretty) - len(o.JSON)
	if err := o.prove(v.API, number, got.Body); err != nil {
		return page.View{}, err
	}
	return page.View{Title: "Record " + number, Data: data{One: o,
		Checkpoint: text(v.API, path+"/checkpoint"), Key: text(v.API, path+"/key")}}, nil
}

// prove fetches the proof that the bytes of a record are in the log, and checks it against the root.
func (o *one) prove(api ask.API, number string, record []byte) error {
	var head struct {
		Size uint64     `json:"size"`
		Root audit.Hash `json:"root"`
	}
	if err := api.Get(path, url.Values{"limit": {"1"}}, &head); err != nil {
		return err
	}
	var proof audit.Inclusion
	q := url.Values{"index": {number}, "size": {strconv.FormatUint(head.Size, 10)}}
	got := api.Send(ask.Call{Method: http.MethodGet, Path: path + "/proof/inclusion", Query: q})
	if err := got.Refused(); err != nil {
		return err
	}
	if err := json.Unmarshal(got.Body, &proof); err != nil {
		return err
	}
	o.Size, o.Root, o.Hashes = head.Size, head.Root, proof.Hashes
	if err := proof.Check(record, head.Root); err != nil {
		o.Wrong = err.Error()
	}
	return nil
}
