package projection

import (
	"context"
	"errors"
)

// errNotOurs is why an export is not written that another process has gone on with.
var errNotOurs = errors.New("another process has written a newer export, or is about to")

// standsBy reports whether it is for another process to write.
func (x *Exporter) standsBy() bool { return x.OnDuty != nil && !x.OnDuty() }

// checkTurn refuses to write over the export of a process that has taken over, which has a longer log: this one may
// have been stopped for a while, and not know yet. The first export of a turn is written over whatever is there, since a
// rollback that an operator has accepted makes the log shorter. The turn is held.
//
// Implements: ORC-366
func (x *Exporter) checkTurn(snap *Snapshot) error {
	if x.OnDuty == nil {
		return nil
	}
	if x.written != nil {
		if f, err := OpenExport(context.Background(), x.Path); err == nil && f != nil {
			log, err := ReadLog(f)
			_ = f.Close()
			if err == nil && log.Size > snap.Head.Size {
				return errNotOurs
			}
		}
	}
	if !x.OnDuty() { // after all that takes time
		return errNotOurs
	}
	return nil
}
