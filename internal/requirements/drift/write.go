package drift

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/ahead"
	"orchestrator/internal/requirements/encode"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// Asked says who asked for an import, and where its documents come from as far as it is known.
type Asked struct {
	By        lifecycle.Actor
	RequestID string
	Origin    projection.ImportOrigin
	Documents map[string]account.Origin // by path
	Progress  *Progress                 // told how far the import is; may be nil
}

// Write writes what the plan changes, with its record.
func (p *Plan) Write(tx *ledger.Tx, asked Asked) (err error) {
	data := record.Imported{Rules: lifecycle.LatestRules, Workflow: p.before.WorkflowName, Name: p.after.Name,
		Sources: p.after.Sources, Retired: p.retired, Origin: &asked.Origin,
		Read:    p.changesOfReading(asked.Documents),
		Pending: p.changesOfPending()}
	if !p.before.Imported() {
		data.Qualify = p.after.Qualify
	}
	if !slices.Equal(p.after.IDs, p.before.IDs) {
		data.IDs = p.after.IDs
	}
	by := record.Actor(asked.By)
	if p.after.Import, err = data.After(p.before.Import, tx.Seq(), tx.At(), by); err != nil {
		return err
	}
	encoded, err := p.writeRequirements(tx, data, asked.Progress)
	if err != nil {
		return err
	}
	if _, err := projection.TableProject.Put(tx, projection.KeyProject, p.after); err != nil {
		return err
	}
	return tx.Append(ledger.Event{Kind: record.KindImported, Actor: by, RequestID: asked.RequestID, Data: encoded})
}

// writeRequirements writes the requirements that the plan changes, and returns the data of the record. A definition is
// encoded once: the record and the requirement that it adds share its bytes.
func (p *Plan) writeRequirements(tx *ledger.Tx, data record.Imported, progress *Progress) (ledger.Encoded, error) {
	for _, next := range p.next {
		if _, err := projection.TableRequirements.Put(tx, next.ID, next); err != nil {
			return nil, err
		}
	}
	rest, err := (&projection.Newcomer{At: p.at}).Rest()
	if err != nil {
		return nil, err
	}
	head, tail, err := data.AroundDefined()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(len(head) + estimate(p.defined) + len(tail))
	b.Write(head)
	at := 0
	for encoded := range ahead.Of(slices.Collect(slices.Chunk(p.defined, encodedAtOnce)), false, encodeAll) {
		if encoded.Err != nil {
			return nil, fmt.Errorf("drift: encode a definition: %w", encoded.Err)
		}
		start := 0
		for _, end := range encoded.ends {
			if at > 0 {
				b.WriteByte(',')
			}
			raw := encoded.B[start:end]
			b.Write(raw)
			if err := p.defined[at].write(tx, raw, projection.Newcomer{At: p.at}, rest); err != nil {
				return nil, err
			}
			at, start = at+1, end
		}
		encodings.Put(encoded)
		progress.stored(at, len(p.defined))
	}
	b.Write(tail)
	return b.Bytes(), nil
}

// write writes the requirement of an encoded definition if it is new.
func (d *definition) write(tx *ledger.Tx, encoded []byte, newcomer projection.Newcomer, rest []byte) error {
	if !d.added {
		return nil
	}
	newcomer.Definition = &d.Definition
	return newcomer.Put(tx, encoded, rest)
}

// encodedAtOnce is how many definitions are encoded at once, while those before them are written.
const encodedAtOnce = 256

// encoding is some definitions, encoded one after the other.
type encoding struct {
	jsonobject.Writer
	ends []int // of each
}

// encodings keeps the memory for encodings.
var encodings = sync.Pool{New: func() any { return new(encoding) }}

func encodeAll(some []definition) *encoding {
	e := encodings.Get().(*encoding)
	e.B, e.Err, e.ends = e.B[:0], nil, e.ends[:0]
	for i := range some {
		e.Begin()
		encode.Definition(&e.Writer, &some[i].Definition)
		e.End()
		e.ends = append(e.ends, len(e.B))
	}
	return e
}

// withoutTexts is about how many bytes an encoded definition has besides its texts.
const withoutTexts = 400

// estimate returns about how many bytes definitions have when encoded, so that they need not be moved as they grow.
func estimate(defined []definition) (size int) {
	for i := range defined {
		d := &defined[i]
		size += withoutTexts + len(d.Title) + len(d.Text) + len(d.Text)/16
		for _, c := range d.Acceptance {
			size += len(c.Text)
		}
	}
	return size
}
