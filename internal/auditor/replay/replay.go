// Package replay decides every record of a log again and works out what the log amounts to. Each record is replayed by
// the subsystem that wrote it. This package alone knows the records of all subsystems, but not what they mean.
//
// Whoever verifies a log, rebuilds a database from one, or checks the copy of one, replays it here.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	boundary "orchestrator/internal/boundary/record"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	requirements "orchestrator/internal/requirements/replay"
	webhook "orchestrator/internal/webhook/record"
)

// Verified is what Verify found in order.
type Verified struct {
	Records      uint64     `json:"records"`
	Root         audit.Hash `json:"root"`
	Requirements int        `json:"requirements"`
	Export       string     `json:"export"` // ExportMatches, ExportBehind or ExportAbsent

	Keys      []record.ChosenKey    `json:"-"` // that the log names
	Rollbacks []projection.Rollback `json:"-"` // that it has on record

	// Differences are those of the tables, where the database has an older format: the program of then may have
	// computed less. In a database of the present format every difference is an error.
	Differences []ledger.Difference `json:"-"`
}

// How the export compares with the log.
const (
	ExportMatches = requirements.ExportMatches
	ExportBehind  = requirements.ExportBehind
	ExportAbsent  = requirements.ExportAbsent
)

// progressEvery is how many records are verified between two calls that tell how far it is.
const progressEvery = 64

// Verify recomputes everything from the log: the hashes, every decision (an accepted change must be legal
// for its actor at that moment, a refusal must be one), the tables, byte for byte, and the export, which
// must be the state at the size of the log that it names. A nil export is reported as absent. With an error comes how
// many records were found good. Records are read and hashed while those before them are decided. The tables of a
// database of an older format must agree with their check sums; how they differ from what the log amounts to is
// returned. From time to time, and at the end of the log, progress is told how far it is; it may be nil.
func Verify(ctx context.Context, l *ledger.Ledger, export projection.ExportFile,
	progress func(done, total int)) (Verified, error) {
	r, err := New(export)
	if err != nil {
		return Verified{}, err
	}
	var good uint64
	size := l.Head().Size
	head, err := ledger.Verify(ctx, l, r.Read, func(next *Record, head audit.Head) error {
		err := r.Apply(next, head)
		if err == nil {
			good = head.Size
		}
		if progress != nil && (good%progressEvery == 0 || good == size) {
			progress(int(good), int(size))
		}
		return err
	})
	if err != nil {
		return Verified{Records: good}, err
	}
	found, exportErr := r.End(head)
	sums := make(chan error, 1)
	go func() { sums <- l.CheckSums(ctx) }()
	if l.Format() == ledger.Format {
		err = l.View(ctx, r.Compare) // before what is wrong with the export: the store may be
	} else {
		found.Differences, err = r.Differences(ctx, l)
	}
	return found, cmp.Or(err, <-sums, exportErr)
}

// Replay decides every record of a log again, in their order, each by the subsystem that wrote it.
type Replay struct {
	requirements *requirements.Replay
	subsystems   []ledger.Replay
	byKind       map[string]ledger.Replay
	reading      *reading
	keeps        bool
}

// New returns a replay that has seen no record. The export, unless it is nil, will be held against the state at the
// size of the log that it names.
func New(export projection.ExportFile) (*Replay, error) {
	own, err := requirements.New(export)
	if err != nil {
		return nil, err
	}
	r := &Replay{requirements: own, byKind: map[string]ledger.Replay{}, reading: newReading(),
		subsystems: []ledger.Replay{own, &boundary.Replay{}, &state.Replay{}, &webhook.Replay{}}}
	for _, subsystem := range r.subsystems {
		for _, kind := range subsystem.Kinds() {
			if r.byKind[kind] != nil {
				return nil, fmt.Errorf("two subsystems replay records of kind %s", kind)
			}
			r.byKind[kind] = subsystem
		}
	}
	return r, nil
}

// Kinds returns the kinds of records that there are, of all subsystems, in the order of their names.
func Kinds() []string {
	return slices.Sorted(slices.Values(slices.Concat([]string{ledger.KindCreated}, record.Kinds(),
		(&boundary.Replay{}).Kinds(), (&state.Replay{}).Kinds(), webhook.Kinds())))
}

// Keep makes the replay keep what Fill needs and nothing else does. It is called before the first record.
func (r *Replay) Keep() {
	r.keeps = true
	r.requirements.Keep()
}

// Apply decides the next record again. head is the log with the record.
func (r *Replay) Apply(next *Record, head audit.Head) error {
	if next.subsystem != nil {
		next.read(nil)
	}
	err := next.err
	if err == nil && next.subsystem != nil {
		err = next.subsystem.Apply(next.record, next.data)
	}
	if err != nil {
		return fmt.Errorf("record %d, %s: %w", next.record.Seq, next.record.Kind, err)
	}
	r.requirements.Reached(head)
	return nil
}

// End returns what the log amounts to. The error is what is wrong with the export.
func (r *Replay) End(head audit.Head) (Verified, error) {
	export, err := r.requirements.Export(head)
	return Verified{
		Records: head.Size, Root: head.Root, Requirements: r.requirements.Requirements(), Export: export,
		Keys: r.Keys(), Rollbacks: r.Rollbacks(),
	}, err
}

// Keys returns the keys that the log was signed with, oldest first.
func (r *Replay) Keys() []record.ChosenKey { return r.requirements.Keys() }

// Rollbacks returns the parts of the log that were given up.
func (r *Replay) Rollbacks() []projection.Rollback { return r.requirements.Rollbacks() }

// Compare holds the tables of a store against what the log amounts to.
func (r *Replay) Compare(from store.Reader) error {
	all, err := r.tables()
	for _, table := range all {
		if err == nil {
			err = table.Compare(from)
		}
	}
	return err
}

// Differences returns in which tables a database differs from what the log amounts to, and by how many entries.
func (r *Replay) Differences(ctx context.Context, l *ledger.Ledger) (found []ledger.Difference, err error) {
	all, err := r.tables()
	if err != nil {
		return nil, err
	}
	err = l.View(ctx, func(from store.Reader) error {
		found = []ledger.Difference{}
		for _, table := range all {
			d, err := table.Difference(from)
			if err != nil {
				return err
			}
			if !d.None() {
				found = append(found, d)
			}
		}
		return nil
	})
	return found, err
}

// Fill gives the tables that the log amounts to, to a builder that has its records.
func (r *Replay) Fill(ctx context.Context, b *ledger.Builder) error {
	if !r.keeps {
		return errors.New("replay: Fill of a Replay that was not told to Keep")
	}
	all, err := r.tables()
	for _, table := range all {
		if err == nil {
			err = table.Fill(ctx, b)
		}
	}
	return err
}

// tables returns the tables of all subsystems.
func (r *Replay) tables() (all []ledger.Contents, err error) {
	for _, subsystem := range r.subsystems {
		tables, err := subsystem.Tables()
		if err != nil {
			return nil, err
		}
		all = append(all, tables...)
	}
	return all, nil
}
