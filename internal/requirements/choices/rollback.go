package choices

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
)

// Moment is the log at one size, as something outside of the database remembers it.
type Moment struct {
	Where  string // the file that remembers it
	Size   uint64
	Root   audit.Hash
	Signed []byte // the checkpoint, if it is one

	Unsynced bool // a power cut can tear the file
}

// Lost returns the moments that the log has not gone through: an old copy of the database was put back, or another's.
// The largest comes first. What a recorded rollback has given up is not lost anew.
//
// torn are those of unsynced files that a power cut made of two moments of the log.
func Lost(ctx context.Context, l *ledger.Ledger, known []Moment) (lost, torn []Moment, err error) {
	project, err := OnRecord(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range known {
		has, err := hasMoment(ctx, l, m)
		if err != nil {
			return nil, nil, err
		}
		if has || givenUp(project.Rollbacks, m) {
			continue
		}
		mixed, err := isMixed(ctx, l, m)
		if err != nil {
			return nil, nil, err
		}
		if mixed {
			torn = append(torn, m)
		} else {
			lost = append(lost, m)
		}
	}
	slices.SortStableFunc(lost, func(a, b Moment) int { return cmp.Compare(b.Size, a.Size) })
	return lost, torn, nil
}

func hasMoment(ctx context.Context, l *ledger.Ledger, m Moment) (bool, error) {
	if m.Size > l.Head().Size {
		return false, nil
	}
	root, err := l.RootAt(ctx, m.Size)
	return root == m.Root, err
}

// givenUp reports whether a recorded rollback gave up this very moment. One that lies between does not count: it may be
// of the log that went on.
func givenUp(rollbacks []projection.Rollback, m Moment) bool {
	return slices.ContainsFunc(rollbacks, func(r projection.Rollback) bool { return r.GaveUp(m.Size, m.Root) })
}

// RolledBack returns the refusal to go on from a log that has not gone through a moment.
func RolledBack(m Moment, head audit.Head) error {
	if m.Size > head.Size {
		return fault.New(fault.Conflict, "store_older", "%s is of a log with %d records, the database has only %d",
			m.Where, m.Size, head.Size).
			WithFix("an old copy of the database was put back, its end was lost, or %s is another project's: put "+
				"back the newer database, or give --accept-rollback REASON, which is recorded", m.Where)
	}
	return fault.New(fault.Conflict, "store_of_another_log",
		"%s was written from another log than this database holds", m.Where).
		WithFix("give --data and --export that belong together; if the database was rolled back and has gone on " +
			"since, put back the newer one, or give --accept-rollback REASON, which is recorded")
}

// GiveUp puts on record that an operator goes on from an older log, and why.
func GiveUp(ctx context.Context, l *ledger.Ledger, lost []Moment, reason string) error {
	if len(lost) == 0 {
		return nil
	}
	return l.Update(ctx, func(tx *ledger.Tx) error {
		for _, one := range lost {
			if err := giveUp(tx, one, reason); err != nil {
				return err
			}
		}
		return nil
	})
}

func giveUp(tx *ledger.Tx, lost Moment, reason string) error {
	p, _, err := projection.TableProject.Get(tx, projection.KeyProject)
	if err != nil {
		return err
	}
	if givenUp(p.Rollbacks, lost) {
		return nil // another file remembers the same
	}
	fork, err := record.ForkBefore(tx, tx.Seq())
	if err != nil {
		return err
	}
	p.Rollbacks = append(slices.Clip(p.Rollbacks), projection.Rollback{Record: fork, Size: lost.Size, Root: lost.Root})
	if _, err := projection.TableProject.Put(tx, projection.KeyProject, p); err != nil {
		return err
	}
	data := record.RolledBack{Reason: reason, Where: lost.Where, Size: lost.Size, Root: lost.Root,
		Note: string(lost.Signed)}
	return tx.Append(ledger.Event{Kind: record.KindRolledBack, Actor: ledger.System(), Data: data})
}

// PutRestored appends the record that says so to a log that was just rebuilt from a copy.
func PutRestored(ctx context.Context, l *ledger.Ledger, of record.Restored) error {
	return l.Update(ctx, func(tx *ledger.Tx) error {
		if head := tx.Head(); head.Size != of.Size || head.Root != of.Root {
			return fmt.Errorf("the log has %d records with the root %s, the copy had %d with %s", head.Size,
				head.Root, of.Size, of.Root)
		}
		return tx.Append(ledger.Event{Kind: record.KindRestored, Actor: ledger.System(), Data: of})
	})
}
