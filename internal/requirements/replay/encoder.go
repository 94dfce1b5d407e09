package replay

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/rules/lifecycle"
)

// encoder adds members of objects to a buffer: the bytes of ledger.Encode, without its reflection. It has what most
// changes add to a requirement. Its methods that begin with some leave out what is empty.
type encoder struct {
	b   []byte
	err error // the first
}

// state adds the members that change with every revision.
func (e *encoder) state(r *lifecycle.Requirement) {
	e.text("status", string(r.Status))
	e.someText("held_from", string(r.HeldFrom))
	e.truth("suspect", r.Suspect)
	e.truth("retired", r.Retired)
	e.number("revision", r.Revision)
	e.someNumber("rechecks", r.Rechecks)
	if len(r.FormerIDs) > 0 {
		objects(e, "former_ids", r.FormerIDs, (*encoder).formerID)
	}
}

// work adds the members that the roles write, and what is known of them.
func (e *encoder) work(r *lifecycle.Requirement) {
	e.someJSON("design_spec", r.DesignSpec)
	e.someJSON("implementation", r.Implementation)
	if r.Test != nil {
		e.someOther("test", r.Test)
	}
	if len(r.ImplementationEvidence) > 0 {
		objects(e, "implementation_evidence", r.ImplementationEvidence, (*encoder).evidence)
	}
	if len(r.Stale)+len(r.Moved) > 0 {
		e.someOther("stale", r.Stale)
		e.someOther("moved", r.Moved)
	}
	e.someMoment("text_since", r.TextSince)
	e.open("stamps")
	e.someStamp("design_spec", &r.Stamps.DesignSpec)
	e.someStamp("implementation", &r.Stamps.Implementation)
	e.someStamp("test", &r.Stamps.Test)
	e.close()
}

func (e *encoder) someStamp(name string, s *lifecycle.Stamp) {
	if *s != (lifecycle.Stamp{}) {
		e.open(name)
		e.stamp(s)
		e.close()
	}
}

func (e *encoder) formerID(f *lifecycle.FormerID) {
	e.text("id", f.ID)
	e.number("record", f.Record)
}

func (e *encoder) note(n *lifecycle.Note) {
	e.stamp(&n.Stamp)
	e.text("text", n.Text)
}

func (e *encoder) entry(h *lifecycle.HistoryEntry) {
	e.stamp(&h.Stamp)
	e.text("from", string(h.From))
	e.text("to", string(h.To))
	e.open("justification")
	e.text("reason", h.Justification.Reason)
	objects(e, "evidence", h.Justification.Evidence, (*encoder).evidence)
	e.close()
}

func (e *encoder) stamp(s *lifecycle.Stamp) {
	e.number("revision", s.Revision)
	e.someNumber("record", s.Record)
	e.someNumber("rules", uint64(s.Rules))
	e.text("by", s.By)
	e.text("role", string(s.Role))
	e.moment("at", s.At)
	e.text("fingerprint", s.Fingerprint)
}

func (e *encoder) evidence(of *lifecycle.Evidence) {
	e.text("kind", of.Kind)
	e.someText("path", of.Path)
	e.someText("lines", of.Lines)
	e.someText("commit", of.Commit)
	e.someText("name", of.Name)
	e.someText("result", of.Result)
	e.someText("report", of.Report)
	e.someText("report_commit", of.ReportCommit)
	if of.Found != nil {
		e.open("found")
		e.found(of.Found)
		e.close()
	}
}

func (e *encoder) found(f *lifecycle.Found) {
	e.text("in", f.In)
	e.someText("commit", f.Commit)
	if f.Tip {
		e.truth("tip", f.Tip)
	}
	e.someText("blob", f.Blob)
	e.someText("sha256", f.SHA256)
	if f.Bytes != 0 {
		e.integer("bytes", f.Bytes)
	}
	e.someMoment("modified", f.Modified)
	e.someNumber("record", f.Record)
	e.someText("format", f.Format)
	if f.Counts != nil {
		e.open("counts")
		e.results(f.Counts)
		e.close()
	}
	e.someText("run", f.Run)
	e.someMoment("ran", f.Ran)
}

func (e *encoder) results(r *lifecycle.Results) {
	if r.Run != 0 {
		e.integer("run", int64(r.Run))
	}
	e.integer("passed", int64(r.Passed))
	e.integer("failed", int64(r.Failed))
	e.integer("skipped", int64(r.Skipped))
}

// objects adds a list of objects, each with the members that a method adds.
func objects[T any](e *encoder, name string, of []T, members func(*encoder, *T)) {
	e.name(name)
	e.b = append(e.b, '[')
	for i := range of {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.b = append(e.b, '{')
		members(e, &of[i])
		e.close()
	}
	e.b = append(e.b, ']')
}

// someJSON adds JSON that was parsed before, as the library writes it: in its shortest form, and without needless
// escapes.
func (e *encoder) someJSON(name string, value json.RawMessage) {
	if bytes.IndexByte(value, '\\') < 0 {
		e.some(name, decision.Compact(jsontext.Value(value)))
		return
	}
	e.someOther(name, value)
}

// someOther adds what the library encodes.
func (e *encoder) someOther(name string, of any) {
	raw, err := ledger.Encode(of)
	e.took(e.b, err)
	e.some(name, raw)
}

func (e *encoder) some(name string, encoded []byte) {
	switch string(encoded) {
	case "", "null", `""`, "{}", "[]":
		return
	}
	e.name(name)
	e.b = append(e.b, encoded...)
}

// name begins a member. The first of an object has no comma; no value ends as an object begins.
func (e *encoder) name(name string) {
	if n := len(e.b); n > 0 && e.b[n-1] != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(append(append(e.b, '"'), name...), '"', ':')
}

func (e *encoder) open(name string) {
	e.name(name)
	e.b = append(e.b, '{')
}

func (e *encoder) close() { e.b = append(e.b, '}') }

func (e *encoder) text(name, text string) {
	e.name(name)
	b, err := jsontext.AppendQuote(e.b, text)
	e.took(b, err)
}

func (e *encoder) took(b []byte, err error) {
	e.b = b
	if e.err == nil {
		e.err = err
	}
}

func (e *encoder) someText(name, text string) {
	if text != "" {
		e.text(name, text)
	}
}

func (e *encoder) truth(name string, is bool) {
	e.name(name)
	e.b = strconv.AppendBool(e.b, is)
}

func (e *encoder) number(name string, n uint64) {
	e.name(name)
	e.b = strconv.AppendUint(e.b, n, 10)
}

func (e *encoder) someNumber(name string, n uint64) {
	if n != 0 {
		e.number(name, n)
	}
}

func (e *encoder) integer(name string, n int64) {
	e.name(name)
	e.b = strconv.AppendInt(e.b, n, 10)
}

func (e *encoder) moment(name string, at time.Time) {
	e.name(name)
	b, err := at.AppendText(append(e.b, '"'))
	e.took(append(b, '"'), err)
}

func (e *encoder) someMoment(name string, at time.Time) {
	if !at.IsZero() {
		e.moment(name, at)
	}
}
