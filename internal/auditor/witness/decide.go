// Package witness keeps the last checkpoint of each log it watches, and accepts a newer one only when the log proves
// that it has only grown. What it accepts it cosigns; what it refuses it keeps as an alarm, with both checkpoints.
//
// The state is filed by what the witness trusted first, never by what a server says it is: an address is pinned to
// its log, a log to its key, and an origin has one log. A server that answers as another is refused, and the state
// stays. The state is on disk before a cosigned checkpoint is given out, so that no crash makes the witness
// state two things that contradict each other.
//
// The package reads and writes the state file, FILE.lock, the key of the witness, and ALARM-* files beside the state.
package witness

import (
	"errors"
	"fmt"

	"orchestrator/internal/ledger/audit"
)

// Why a checkpoint is refused.
const (
	WrongKey     = "wrong_key"    // not signed with the key that the log is pinned to
	WrongOrigin  = "wrong_origin" // of another log than the one that the address is pinned to
	Rollback     = "rollback"     // smaller than the one kept
	Fork         = "fork"         // as large as the one kept, with another root
	Inconsistent = "inconsistent" // larger than the one kept, without a proof that it only grew
)

// Refusal says why a checkpoint is not accepted.
type Refusal struct{ Reason, Detail string }

func (r *Refusal) Error() string { return r.Detail }

func refuse(reason, format string, args ...any) *Refusal {
	return &Refusal{reason, fmt.Sprintf(format, args...)}
}

var errNoCheckpoint = errors.New("what the server answered is no checkpoint")

// NeedsProof reports whether a checkpoint larger than the one kept of a log comes with a proof: it does, unless none
// is kept yet, or only that of the empty log.
func NeedsProof(kept Log, presented audit.Checkpoint) bool {
	return kept.Size > 0 && presented.Size > kept.Size
}

// Update decides whether a presented checkpoint takes the place of the one kept of a log. Of a log that is seen for
// the first time only the key is kept. proof is that the kept one is the beginning of the presented one, where
// NeedsProof. The error is a *Refusal, or says that there is no checkpoint at all.
//
// Implements: ORC-105
func Update(kept Log, presented []byte, proof *audit.Consistency) (audit.Checkpoint, error) {
	c, err := open(kept.Key, presented)
	if err != nil {
		return audit.Checkpoint{}, err
	}
	switch {
	case kept.Checkpoint == "":
		return c, nil
	case c.Size < kept.Size:
		return audit.Checkpoint{}, refuse(Rollback, "the log had %d records, and is shown with %d now", kept.Size,
			c.Size)
	case c.Size == kept.Size && c.Root != kept.Root:
		return audit.Checkpoint{},
			refuse(Fork, "the log of %d records had the root %s, and is shown with the root %s now", c.Size,
				kept.Root, c.Root)
	case !NeedsProof(kept, c):
		return c, nil
	case proof == nil:
		return audit.Checkpoint{}, refuse(Inconsistent,
			"the log does not prove that its first %d records are those it had", kept.Size)
	case proof.Old != kept.Size || proof.New != c.Size:
		return audit.Checkpoint{}, refuse(Inconsistent,
			"the proof is of the sizes %d and %d, where %d and %d were asked for", proof.Old, proof.New, kept.Size,
			c.Size)
	}
	if err := proof.Check(kept.Root, c.Root); err != nil {
		return audit.Checkpoint{}, refuse(Inconsistent, "%v", err)
	}
	return c, nil
}

// open reads a checkpoint under the key that its log is pinned to.
func open(key string, presented []byte) (audit.Checkpoint, error) {
	said, err := claimed(presented)
	if err != nil {
		return said, err
	}
	if origin := audit.OriginOf(key); said.Origin != origin {
		return audit.Checkpoint{}, refuse(WrongOrigin, "the log was %s, and the server shows %q now", origin,
			said.Origin)
	}
	c, err := audit.OpenCheckpoint(presented, key)
	if err != nil {
		return audit.Checkpoint{}, refuse(WrongKey, "the log %s is pinned to the key %s: %v", audit.OriginOf(key),
			key, err)
	}
	return c, nil
}

// claimed returns what a note says, whoever signed it.
func claimed(note []byte) (audit.Checkpoint, error) {
	c, err := audit.ReadCheckpoint(note)
	if err != nil {
		return c, fmt.Errorf("%w: %w", errNoCheckpoint, err)
	}
	return c, nil
}
