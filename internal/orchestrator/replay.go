package orchestrator

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/audit"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/store"
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
// many records were found good.
func Verify(ctx context.Context, l *ledger.Ledger, export io.Reader) (Verified, error) {
	var exported []byte
	if export != nil {
		var err error
		if exported, err = io.ReadAll(export); err != nil {
			return Verified{}, err
		}
	}
	r, err := NewReplay(exported)
	if err != nil {
		return Verified{}, err
	}
	var good uint64
	head, err := l.Verify(ctx, func(blobs store.Getter, record audit.Record, head audit.Head) error {
		err := r.Record(blobs, record, head)
		if err == nil {
			good = head.Size
		}
		return err
	})
	if err != nil {
		return Verified{Records: good}, err
	}
	found, exportErr := r.End(head)
	if err := l.View(ctx, r.fold.compare); err != nil { // before what is wrong with the export: the store may be
		return found, err
	}
	if err := l.CheckSums(ctx); err != nil {
		return found, err
	}
	return found, exportErr
}

// Replay decides every record of a log again, in their order.
type Replay struct{ fold *fold }

// NewReplay starts with nothing. The export, unless it is nil, will be held against the state at the size of the log
// that it names.
func NewReplay(export []byte) (*Replay, error) {
	f := newFold()
	if export == nil {
		return &Replay{f}, nil
	}
	var head projection.FileHead
	if err := jsonv2.Unmarshal(export, &head); err != nil {
		return nil, damagedExport("it is not whole").Because(err)
	}
	if head.Log.Size == 0 {
		return nil, damagedExport("it names no log")
	}
	f.export, f.exportSize = export, head.Log.Size
	return &Replay{f}, nil
}

// Record decides the next record again: an accepted change must be legal for its actor at that moment, a refusal must
// be one. head is the log with the record; blobs has data too large for a record.
func (r *Replay) Record(blobs store.Getter, record audit.Record, head audit.Head) error {
	return r.fold.replay(blobs, record, head)
}

// End says what the log amounts to. The error is what is wrong with the export.
func (r *Replay) End(head audit.Head) (Verified, error) {
	found := Verified{
		Records: head.Size, Root: head.Root, Requirements: len(r.fold.requirements), Export: "absent",
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

func damagedExport(format string, args ...any) *fault.Error {
	return fault.New(fault.Conflict, "export_differs", "the export does not match the store: "+format, args...).
		WithFix("the store is the truth: move the export away and start the service, which writes it anew; if the export is the newer one, put back the newer database")
}

func (f *fold) replay(r store.Getter, record audit.Record, head audit.Head) error {
	err := f.apply(r, record)
	if err != nil {
		return fmt.Errorf("record %d, %s: %w", record.Seq, record.Kind, err)
	}
	f.root = head.Root
	if head.Size != f.exportSize {
		return nil
	}
	f.exportErr = f.compareExport(head)
	return nil
}

func (f *fold) apply(r store.Getter, record audit.Record) error {
	switch record.Kind {
	case kindWorkflowChosen:
		return f.workflowChosen(r, record)
	case kindImported:
		data, err := ledger.DataOf[imported](r, record)
		if err == nil && record.Actor != ledger.System() && record.Actor.Role != string(lifecycle.PM) {
			err = fmt.Errorf("%q imported, in the role %s", record.Actor.Name, record.Actor.Role)
		}
		if err != nil {
			return err
		}
		return f.imported(data, record.At)
	case kindChanged, kindRefused:
		data, err := ledger.DataOf[proposed](r, record)
		if err == nil {
			err = f.noteRefusal(record, "", data.Refusal)
		}
		if err != nil {
			return err
		}
		return f.proposed(record, data)
	case kindRequestRefused:
		data, err := ledger.DataOf[requestRefused](r, record)
		if err != nil {
			return err
		}
		return f.noteRefusal(record, data.Request, data.Refusal)
	case kindRolledBack:
		return f.rolledBack(r, record)
	case kindRestored:
		return f.restored(r, record)
	case kindAuditKeyChosen:
		return f.auditKeyChosen(r, record)
	case kindEvidenceChosen:
		return f.evidenceChosen(r, record)
	case kindRechecked:
		return f.rechecked(r, record)
	case kindKeysForgotten:
		data, err := ledger.DataOf[keysForgotten](r, record)
		if err != nil {
			return err
		}
		return f.forgotten(record, data)
	case kindFolded:
		return f.refusalsFolded(r, record)
	case kindTokensChanged:
		return f.tokensChanged(r, record)
	case ledger.KindCreated:
		return nil // it changes no table
	}
	return fmt.Errorf("no such kind of record is known")
}

func (f *fold) forgotten(record audit.Record, data keysForgotten) error {
	for _, key := range data.Keys {
		first, found, err := tableIdempotency.Get(f, key)
		if err != nil {
			return err
		}
		if !found || record.At.Sub(first.At) < KeepKeys {
			return fmt.Errorf("it forgets an Idempotency-Key that is not %v old", KeepKeys)
		}
		delete(f.answers, key)
	}
	return nil
}

func (f *fold) imported(data imported, at time.Time) error {
	for _, def := range data.Defined {
		var known *lifecycle.Requirement
		if req, found := f.requirements[def.ID]; found {
			known = &req
		}
		next, drift := lifecycle.Define(known, def, at)
		if drift == lifecycle.Unchanged {
			return fmt.Errorf("it says that %s changed, which it did not", def.ID)
		}
		if err := f.put(next); err != nil {
			return err
		}
	}
	for _, id := range data.Retired {
		next, drift := lifecycle.Retire(f.requirements[id])
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
func (f *fold) proposed(record audit.Record, data proposed) error {
	who := lifecycle.Actor{Name: record.Actor.Name, Role: lifecycle.Role(record.Actor.Role)}
	_, known, err := recall(f, who, data.IdempotencyKey, record.At)
	if err != nil {
		return err
	}
	if data.Change == nil && data.Refusal != nil {
		return f.remember(who, data, known, firstAnswer{At: record.At, Seq: record.Seq, BodySHA256: data.BodySHA256, Refusal: data.Refusal})
	}
	change, err := ParseChange(data.Change)
	if err != nil {
		return err
	}
	change.Size, change.Looked = len(data.Change), data.Looked
	if f.project.Evidence == projection.Verify && data.Refusal == nil && change.Looked == nil && change.NeedsLook() {
		return fmt.Errorf("it was accepted, but nobody looked its evidence up")
	}
	next, err := decide(f.find, f.project.Workflow(), who, record.Subject, data.IfMatch, change, record.At)
	refusal := asRefusal(err)
	if err != nil && refusal == nil {
		return err
	}
	if known {
		refusal = keyReused()
	}
	if err := sameDecision(refusal, data.Refusal); err != nil {
		return err
	}
	answer := firstAnswer{At: record.At, Seq: record.Seq, BodySHA256: data.BodySHA256, Refusal: data.Refusal}
	if refusal == nil {
		if err := f.put(next); err != nil {
			return err
		}
		answer.Requirement, answer.Revision = f.raw[next.ID], next.Revision
		if next.Revision != data.Revision || digestOf(answer.Requirement) != data.SHA256 {
			return fmt.Errorf("the change gives revision %d with digest %s, not %d with %s", next.Revision, digestOf(answer.Requirement), data.Revision, data.SHA256)
		}
	}
	if err := f.attach(record, data); err != nil {
		return err
	}
	return f.remember(who, data, known, answer)
}

// remember keeps the first answer to an Idempotency-Key.
func (f *fold) remember(who lifecycle.Actor, data proposed, known bool, answer firstAnswer) error {
	if data.IdempotencyKey == "" || known {
		return nil
	}
	raw, err := ledger.Encode(answer)
	f.answers.set(keyOf(who, data.IdempotencyKey), raw)
	return err
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

func (f *fold) compareExport(head audit.Head) error {
	if f.export == nil {
		return nil
	}
	all := map[string]*projection.Entry{}
	for id, req := range f.requirements {
		all[id] = projection.NewEntry(req, f.raw[id], f.project.Workflow())
	}
	snap, err := projection.New(f.project, all, head)
	if err != nil {
		return err
	}
	same := &comparer{bufio.NewReader(bytes.NewReader(f.export))} // as it is written: it may be large
	if err := snap.Write(same); err != nil || !same.atEnd() {
		return damagedExport("it is not the state of the log at size %d", head.Size)
	}
	return nil
}
