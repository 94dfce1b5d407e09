package auditor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
)

// CodeCheckpointUnreadable is the code of a file that holds no checkpoint.
const CodeCheckpointUnreadable fault.Code = "checkpoint_unreadable"

// Kept is a checkpoint that somebody kept, outside of the log.
type Kept struct {
	Name   string // where it was found
	Signed []byte
}

// Held is a kept checkpoint that was held against a log.
type Held struct {
	Name   string     `json:"name"`
	Size   uint64     `json:"size"`
	Root   audit.Hash `json:"root"`
	Result string     `json:"result"` // consistent, or rolled_back where a recorded rollback gave it up
}

// Results of Held.
const (
	Consistent = "consistent"
	RolledBack = "rolled_back"
)

// GivenUp reports whether the moment was given up by a recorded rollback.
func (h Held) GivenUp() bool { return h.Result == RolledBack }

// Log is a log whose records were checked, as kept checkpoints are held against it.
type Log struct {
	Origin        string
	Size          uint64
	RootAt        func(size uint64) (audit.Hash, error)
	Keys          []record.ChosenKey    // that it names
	Rollbacks     []projection.Rollback // that it has on record
	AllowRollback bool                  // a kept checkpoint may be of a moment that one of them gave up
}

type keptAt struct {
	Kept
	audit.Checkpoint
}

// readKept reads the kept checkpoints, smallest first. Their signatures are checked when the log has said its keys.
func readKept(all []Kept) ([]keptAt, error) {
	kept := make([]keptAt, 0, len(all))
	for _, k := range all {
		c, err := audit.ReadCheckpoint(k.Signed)
		if err != nil {
			return nil, notKept(k.Name, err)
		}
		if c.Size == 0 {
			return nil, notKept(k.Name, errors.New("it is of an empty log, and says nothing"))
		}
		kept = append(kept, keptAt{k, c})
	}
	slices.SortStableFunc(kept, func(a, b keptAt) int { return cmp.Compare(a.Size, b.Size) })
	return kept, nil
}

func notKept(name string, cause error) error {
	return fault.New(fault.Invalid, CodeCheckpointUnreadable, "%s cannot be held against the log", name).
		WithFix("name a file that holds a checkpoint as GET /audit/checkpoint answers it").Because(cause)
}

// Hold demands that every kept checkpoint is a moment of the log. It returns a *Bad for the first that is not.
func (l Log) Hold(all []Kept) ([]Held, error) {
	kept, err := readKept(all)
	if err != nil {
		return nil, err
	}
	held := []Held{}
	var last uint64 // the size up to which a kept checkpoint vouches for the log
	for _, k := range kept {
		result, err := l.hold(k, last)
		if err != nil {
			return held, err
		}
		if result == Consistent {
			last = k.Size
		}
		held = append(held, Held{k.Name, k.Size, k.Root, result})
	}
	return held, nil
}

func (l Log) hold(k keptAt, last uint64) (string, error) {
	if k.Origin != l.Origin {
		return "", bad("log_another_log", "%s is a checkpoint of the log %s; this is the log %s", k.Name, k.Origin,
			l.Origin)
	}
	if !l.signed(k) {
		return "", bad("log_another_key",
			"%s is a checkpoint of this origin, signed with a key that this log never named", k.Name).
			fix("one of the two is not what it says: find out which key is the true one, and keep both as evidence")
	}
	var root audit.Hash
	if k.Size <= l.Size {
		var err error
		if root, err = l.RootAt(k.Size); err != nil {
			return "", err
		}
		if root == k.Root {
			return Consistent, nil
		}
	}
	if l.AllowRollback && l.gaveUp(k) {
		return RolledBack, nil
	}
	if k.Size > l.Size {
		return "", bad("log_shorter",
			"%s is of %d records, this log has only %d: its end was cut off, or this is an older copy", k.Name,
			k.Size, l.Size).
			fix("get the present log; if it is this one, what it lacks was taken back")
	}
	from := "from its beginning"
	if last > 0 {
		from = fmt.Sprintf("after record %d", last-1)
	}
	return "", bad("log_forked",
		"%s is of %d records with the root %s; this log had the root %s then: it is another log %s", k.Name, k.Size,
		k.Root, root, from).
		fix("the two cannot both be true: keep both as proof that the log was rewritten")
}

// signed reports whether a key that the log names has signed a kept checkpoint.
func (l Log) signed(k keptAt) bool {
	return slices.ContainsFunc(l.Keys, func(chosen record.ChosenKey) bool {
		_, err := audit.OpenCheckpoint(k.Signed, chosen.Key)
		return err == nil
	})
}

// gaveUp reports whether the log has a record that gave up this very moment. One that lies between cannot be told from
// a moment of the log that went on.
func (l Log) gaveUp(k keptAt) bool {
	return slices.ContainsFunc(l.Rollbacks, func(r projection.Rollback) bool { return r.GaveUp(k.Size, k.Root) })
}

// Database checks a log in its database, which has more than an outsider sees: the stored tree and the tables. export
// may be nil. What is wrong with a record is a *Bad; other errors may be findings, too, as the store has them.
func Database(ctx context.Context, name string, l *ledger.Ledger, export projection.ExportFile,
	o Options) (Report, error) {
	r := Report{Source: name, Against: []Held{}, CannotShow: []string{}}
	found, err := replay.Verify(ctx, l, export, o.Progress)
	if err != nil {
		return r, badInDatabase(err, found.Records, l.Head().Size)
	}
	r.Records, r.Root, r.Requirements, r.State = found.Records, found.Root, found.Requirements, found.Export
	if n := len(found.Keys); n > 0 {
		r.Key, r.Trusted = found.Keys[n-1].Key, o.Key != ""
		r.Origin, _, _ = strings.Cut(r.Key, "+")
	}
	if o.Key != "" && o.Key != r.Key {
		return r, anotherKey(r.Source, r.Key, o.Key)
	}
	rootAt := func(size uint64) (audit.Hash, error) { return l.RootAt(ctx, size) }
	log := Log{r.Origin, r.Records, rootAt, found.Keys, found.Rollbacks, o.AllowRollback}
	if r.Against, err = log.Hold(o.Against); err != nil {
		return r, err
	}
	r.CannotShow = append(r.cannotShow(), olderTables(l.Format(), found.Differences)...)
	return r, nil
}

// olderTables says what the tables of a database of an older format do not show.
func olderTables(format int, differences []ledger.Difference) (said []string) {
	for _, d := range differences {
		said = append(said, fmt.Sprintf("that table %s is as the program of format %d left it: it agrees with its check "+
			"sum, but this program would change %d entries of it, add %d and remove %d; orchestrator upgrade rebuilds it",
			d.Table, format, d.Changed, d.Added, d.Removed))
	}
	return said
}

// badInDatabase names the first bad record, where not all of them were found good.
func badInDatabase(err error, good, size uint64) error {
	if err == nil || good == size || errors.Is(err, fault.Unavailable) || errors.Is(err, context.Canceled) {
		return err
	}
	b := bad("log_database", "%v", err)
	if f := fault.As(err); f != nil {
		b.Fault = f
	}
	return at(b, good)
}

func anotherKey(source, key, trusted string) *Bad {
	return bad("log_another_key", "%s is signed with the key %s, not with the one that you trust, %s", source, key,
		trusted).
		fix("another log, or another server in the place of yours? The log says where its key was changed, and why; " +
			"if you believe it, give the new key with --key")
}
