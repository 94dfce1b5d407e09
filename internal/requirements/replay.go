package requirements

import (
	"cmp"
	"context"
	"fmt"

	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/record"

	boundary "orchestrator/internal/boundary/record"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// Verified is what Verify found in order.
type Verified struct {
	Records      uint64     `json:"records"`
	Root         audit.Hash `json:"root"`
	Requirements int        `json:"requirements"`
	Export       string     `json:"export"` // matches, behind (whole, of an earlier moment) or absent

	Keys      []ChosenKey           `json:"-"` // that the log names
	Rollbacks []projection.Rollback `json:"-"` // that it has on record
}

// Verify recomputes everything from the log: the hashes, every decision (an accepted change must be legal
// for its actor at that moment, a refusal must be one), the tables, byte for byte, and the export, which
// must be the state at the size of the log that it names. A nil export is reported as absent. With an error comes how
// many records were found good. Records are read and hashed while those before them are decided.
func Verify(ctx context.Context, l *ledger.Ledger, export ExportFile) (Verified, error) {
	r, err := NewReplay(export)
	if err != nil {
		return Verified{}, err
	}
	var good uint64
	head, err := ledger.Verify(ctx, l, ReadStep, func(s *Step, head audit.Head) error {
		err := r.Step(s, head)
		if err == nil {
			good = head.Size
		}
		return err
	})
	if err != nil {
		return Verified{Records: good}, err
	}
	found, exportErr := r.End(head)
	sums := make(chan error, 1)
	go func() { sums <- l.CheckSums(ctx) }()
	err = l.View(ctx, r.fold.compare) // before what is wrong with the export: the store may be
	return found, cmp.Or(err, <-sums, exportErr)
}

// Replay decides every record of a log again, in their order.
type Replay struct{ fold *fold }

// NewReplay starts with nothing. The export, unless it is nil, will be held against the state at the size of the log
// that it names.
func NewReplay(export ExportFile) (*Replay, error) {
	f := newFold()
	if export == nil {
		return &Replay{f}, nil
	}
	head, err := export.head()
	if err != nil {
		return nil, err
	}
	f.export, f.exportSize = export, head.Log.Size
	return &Replay{f}, nil
}

// Keep makes the replay keep what Fill needs and nothing else does. It is called before the first record.
func (r *Replay) Keep() { r.fold.keeps = true }

// Record decides the next record again: an accepted change must be legal for its actor at that moment, a refusal must
// be one. head is the log with the record; blobs has data too large for a record.
func (r *Replay) Record(blobs store.Getter, record audit.Record, head audit.Head) error {
	return r.Step(ReadStep(blobs, record), head)
}

// Step is Record for what was read of it ahead.
func (r *Replay) Step(s *Step, head audit.Head) error {
	if err := r.fold.apply(s); err != nil {
		return fmt.Errorf("record %d, %s: %w", s.record.Seq, s.record.Kind, err)
	}
	r.fold.root = head.Root
	if head.Size == r.fold.exportSize {
		r.fold.exportErr = r.fold.compareExport(head)
	}
	return nil
}

// End says what the log amounts to. The error is what is wrong with the export.
func (r *Replay) End(head audit.Head) (Verified, error) {
	found := Verified{
		Records: head.Size, Root: head.Root, Requirements: len(r.fold.states.byID), Export: "absent",
		Keys: r.fold.keys, Rollbacks: r.fold.project.Rollbacks,
	}
	switch {
	case r.fold.exportSize > head.Size:
		return found, damagedExport("it is of a log with %d records, the store has %d", r.fold.exportSize, head.Size)
	case r.fold.exportSize == head.Size:
		found.Export = "matches"
	case r.fold.export != nil:
		found.Export = "behind"
	}
	return found, r.fold.exportErr
}

// Keys are the keys that the log was signed with, oldest first, each with the record that chose it.
func (r *Replay) Keys() []ChosenKey { return r.fold.keys }

// Rollbacks are the parts of the log that were given up.
func (r *Replay) Rollbacks() []projection.Rollback { return r.fold.project.Rollbacks }

// ChosenKey is a key from a record on.
type ChosenKey struct {
	Record uint64
	Key    string
	Reason string
}

func (f *fold) apply(s *Step) error {
	if s.err != nil {
		return s.err
	}
	switch data := s.data.(type) {
	case record.WorkflowChosen:
		return f.workflowChosen(s.record, data)
	case record.Imported:
		return f.imported(s.record, data)
	case record.Proposed:
		if err := f.noteRefusal(s.record, "", data.Refusal); err != nil {
			return err
		}
		return f.proposed(s, data)
	case record.RequestRefused:
		return f.noteRefusal(s.record, data.Request, data.Refusal)
	case record.RolledBack:
		return f.rolledBack(s.record, data)
	case record.Restored:
		return f.restored(s.record, data)
	case record.AuditKeyChosen:
		return f.auditKeyChosen(s.record, data)
	case record.EvidenceChosen:
		return f.evidenceChosen(s.record, data)
	case record.Rechecked:
		return f.rechecked(s.record, data)
	case record.KeysForgotten:
		return f.forgotten(s.record, data)
	case record.RefusalsFolded:
		return f.refusalsFolded(s.record, data)
	case record.TokensChanged:
		return f.tokensChanged(s.record, data)
	case boundary.Recorded:
		return f.boundaryRecorded(s.record, data)
	case state.Stepped:
		return f.conductorStepped(s.record, data)
	}
	return nil // the first record changes no table
}

func (f *fold) forgotten(rec audit.Record, data record.KeysForgotten) error {
	for _, key := range data.Keys {
		first, found := f.answers[key]
		if !found || record.Remembered(first.at, rec.At) {
			return fmt.Errorf("it forgets an Idempotency-Key that is not %v old", record.KeepKeys)
		}
		delete(f.answers, key)
	}
	return nil
}

func (f *fold) imported(record audit.Record, data record.Imported) error {
	if record.Actor != ledger.System() && record.Actor.Role != string(lifecycle.PM) {
		return fmt.Errorf("%q imported, in the role %s", record.Actor.Name, record.Actor.Role)
	}
	for _, def := range data.Defined {
		req, size, err := f.states.find(def.ID)
		if err != nil {
			return err
		}
		var known *lifecycle.Requirement
		if size > 0 {
			known = &req
		}
		next, drift := lifecycle.Define(known, def, record.At)
		if drift == lifecycle.Unchanged {
			return fmt.Errorf("it says that %s changed, which it did not", def.ID)
		}
		if err := f.put(next); err != nil {
			return err
		}
	}
	for _, id := range data.Retired {
		req, _, err := f.states.find(id)
		if err != nil {
			return err
		}
		next, drift := lifecycle.Retire(req)
		if drift != lifecycle.Retired {
			return fmt.Errorf("it retires %s, which was retired already", id)
		}
		if err := f.put(next); err != nil {
			return err
		}
	}
	f.project.Name, f.project.Sources = data.Name, data.Sources
	if data.IDs != nil {
		f.project.IDs = data.IDs
	}
	return nil
}

// proposed decides again, and holds the decision against the record.
func (f *fold) proposed(s *Step, data record.Proposed) error {
	rec, key := s.record, ""
	who := lifecycle.Actor{Name: rec.Actor.Name, Role: lifecycle.Role(rec.Actor.Role)}
	if data.IdempotencyKey != "" {
		key = record.KeyOf(who, data.IdempotencyKey)
	}
	first, known := f.answers[key]
	known = known && record.Remembered(first.at, rec.At)
	answer := record.FirstAnswer{At: rec.At, Seq: rec.Seq, BodySHA256: data.BodySHA256, Refusal: data.Refusal}
	if data.Change != nil || data.Refusal == nil {
		if s.changeErr != nil {
			return s.changeErr
		}
		if err := f.decided(s, data, who, known, &answer); err != nil {
			return err
		}
		if err := f.attach(rec, data); err != nil {
			return err
		}
	}
	if key == "" || known {
		return nil
	}
	return f.remember(key, answer)
}

// decided decides a change that the record has, and adds to the answer what it came to.
func (f *fold) decided(s *Step, data record.Proposed, who lifecycle.Actor, known bool, answer *record.FirstAnswer) error {
	record := s.record
	if f.project.Evidence == projection.Verify && data.Refusal == nil && s.change.Looked == nil &&
		s.change.NeedsLook() {
		return fmt.Errorf("it was accepted, but nobody looked its evidence up")
	}
	next, err := decision.Decide(f.states.find, f.project.Workflow(), who, record.Subject, data.IfMatch, s.change, record.At)
	refusal := decision.Refusal(err)
	if err != nil && refusal == nil {
		return err
	}
	if known {
		refusal = decision.KeyReused()
	}
	if err := sameDecision(refusal, data.Refusal); err != nil || refusal != nil {
		return err
	}
	raw, sum, err := f.states.putChanged(next, data.SHA256)
	if err != nil {
		return err
	}
	answer.Requirement, answer.Revision = raw, next.Revision
	if next.Revision != data.Revision || sum != data.SHA256 {
		return fmt.Errorf("the change gives revision %d with digest %s, not %d with %s", next.Revision, sum,
			data.Revision, data.SHA256)
	}
	return nil
}

func sameDecision(now, then *fault.Error) error {
	switch {
	case now == nil && then != nil:
		return fmt.Errorf("it was refused (%s), but the rules allow it", then.Code)
	case now != nil && then == nil:
		return fmt.Errorf("it was accepted, but the rules refuse it: %s: %s", now.Code, now.Error())
	case now != nil && now.Code != then.Code:
		return fmt.Errorf("it was refused as %s, but the rules refuse it as %s", then.Code, now.Code)
	}
	return nil
}
