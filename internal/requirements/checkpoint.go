package requirements

import (
	"context"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
)

// Receipt says where the record of a decision stands, and what the log was when it had just been appended. Whoever
// keeps it can demand the record, and a proof of it, later.
type Receipt struct {
	Index  uint64 // of the record
	Folded bool   // there is no such record: the refusal is only counted
	Size   uint64 // of the log
	Root   audit.Hash
}

func receiptOf(tx *ledger.Tx, index uint64) Receipt {
	head := tx.Head()
	return Receipt{Index: index, Size: head.Size, Root: head.Root}
}

// OnRecord is a refusal that the log has, or will have in a sum.
type OnRecord struct {
	Receipt Receipt
	error
}

// Unwrap makes the refusal visible to errors.Is and errors.As.
func (e OnRecord) Unwrap() error { return e.error }

// Checkpoint returns the signed checkpoint of the published log.
func (s *Log) Checkpoint() ([]byte, error) { return s.checkpointOf(s.current.Load()) }

func (s *Log) checkpointOf(snap *projection.Snapshot) ([]byte, error) {
	if s.options.Signer.Key == "" {
		return nil, fault.New(fault.Unavailable, "no_audit_key", "this service has no key to sign its log with")
	}
	if kept := s.signed.Load(); kept != nil && kept.size == snap.Head.Size {
		return kept.note, nil
	}
	note, err := s.options.Signer.Sign(snap.Head)
	if err == nil {
		s.signed.Store(&signedAt{snap.Head.Size, note})
	}
	return note, err
}

// AuditKey verifies the checkpoints of the log.
func (s *Log) AuditKey() string { return s.current.Load().Project.AuditKey }

// Record returns the stored bytes of one record.
func (s *Log) Record(ctx context.Context, index uint64) ([]byte, error) {
	return s.ledger.Record(ctx, index)
}

// Inclusion proves that a record is in the log of a size; 0 is the present one.
func (s *Log) Inclusion(ctx context.Context, index, size uint64) (audit.Inclusion, error) {
	return s.ledger.Inclusion(ctx, index, s.sizeOr(size))
}

// Consistency proves that the log of one size is the beginning of the log of another; 0 is the present one.
func (s *Log) Consistency(ctx context.Context, old, size uint64) (audit.Consistency, error) {
	return s.ledger.Consistency(ctx, old, s.sizeOr(size))
}

func (s *Log) sizeOr(size uint64) uint64 {
	if size == 0 {
		return s.current.Load().Head.Size
	}
	return size
}

// Tile returns the bytes of one tile of the log.
func (s *Log) Tile(ctx context.Context, t audit.Tile) ([]byte, error) { return s.ledger.Tile(ctx, t) }
