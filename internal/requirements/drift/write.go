package drift

import (
	"bytes"
	"slices"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
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
	b.Grow(len(head) + p.estimate() + len(tail))
	b.Write(head)
	for i := range p.defined {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := p.defined[i].write(tx, &b, projection.Newcomer{At: p.at}, rest); err != nil {
			return nil, err
		}
		progress.stored(i+1, len(p.defined))
	}
	b.Write(tail)
	return b.Bytes(), nil
}

// write adds the encoded definition to the data of the record, and writes the requirement if it is new.
func (d *definition) write(tx *ledger.Tx, data *bytes.Buffer, newcomer projection.Newcomer, rest []byte) error {
	start := data.Len()
	if err := ledger.EncodeTo(data, &d.Definition); err != nil || !d.added {
		return err
	}
	newcomer.Definition = &d.Definition
	return newcomer.Put(tx, data.Bytes()[start:], rest)
}

// withoutTexts is about how many bytes an encoded definition has besides its texts.
const withoutTexts = 400

// estimate returns about how many bytes the encoded definitions have, so that they need not be moved as they grow.
func (p *Plan) estimate() (size int) {
	for i := range p.defined {
		d := &p.defined[i]
		size += withoutTexts + len(d.Title) + len(d.Text) + len(d.Text)/16
		for _, c := range d.Acceptance {
			size += len(c.Text)
		}
	}
	return size
}
