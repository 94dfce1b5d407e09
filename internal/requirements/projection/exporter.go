package projection

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"orchestrator/internal/system/tree"
)

// Pacing of the export: it costs time that commits need, so the exporter rests after each, restFactor times as long as
// that took at most. It rests less after a quick export of few records: who makes one change after the other would wait
// for a rest that nobody needs. It may save up to credit of rest for a while in which more exports are waited for. When
// nobody waits for the next export, it rests minRest at least, and maxRest at most where it is slow.
const (
	restFactor = 4
	minRest    = 100 * time.Millisecond
	maxRest    = 5 * time.Second
	credit     = 20 * time.Millisecond
	slowExport = 20 * time.Millisecond
	atRest     = time.Second // after which an export that is still the newest is written to the disk
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// maxUnsigned is how long the checkpoint beside the export may stay behind it while newer exports keep coming.
const maxUnsigned = time.Second

// Exporting says what is exported, and how.
type Exporting struct {
	Path   string // of the export; "" writes nothing
	Spares string // a folder of the same file system, for the file that was replaced; "" keeps none
	Newest func() *Snapshot
	Sign   func(*Snapshot) ([]byte, error) // makes the checkpoint; nil writes none
	Synced bool                            // each export is on the disk before anybody is told that it is written
	// OnDisplaced is told of what others put in the place of a file, while it is written; nil tells nobody.
	OnDisplaced func(Displaced)
	// OnDuty reports whether it is for this process to write, where one of several does; nil is always.
	OnDuty func() bool
}

// Exporter writes the newest snapshot whenever there is a newer one; one write at a time. Who waits for an export that
// may begin at once writes it: to wake another goroutine for that, and to be woken by it, takes as long as a small
// export. When nobody waits, the exporter writes the signed checkpoint of the same moment beside the export.
//
// An export can be made again from the database at any start, so nobody waits until it is on the disk: it is synced when
// it is still the newest after a second, and at the end. The checkpoint is what remembers the log, and is always synced.
type Exporter struct {
	Exporting
	wakeUp chan struct{} // there is a newer snapshot; holds one
	hurry  chan struct{} // somebody waits for it; holds one

	turn      sync.Mutex     // held to write, and for all of these
	running   bool           // Run has begun, and has not ended
	folder    *tree.Folder   // that the export lies in, from the time it can be opened
	recycler  *tree.Recycler // nil where no spare is kept
	written   *Snapshot      // in the file
	writtenAt time.Time
	rested    time.Time // before which no other export begins
	lost      bool      // written may not be in the file any more
	signedAt  time.Time

	seen uint64 // how many exports there were at the last rest that nobody ended; of Run alone

	mu       sync.Mutex
	advanced chan struct{} // closed and replaced when the file is newer
	failing  bool          // the last export could not be written
	state    ExportState
}

// ExportState says how the export fares.
type ExportState struct {
	Off       bool   // no export is written, so nothing waits for one
	Standby   bool   // it is for another process to write
	Pending   bool   // an export is to be written, and none was tried yet
	Size      uint64 // of the log in the file
	Synced    uint64 // of the log in the file that survives a power cut
	Signed    uint64 // of the log in the checkpoint
	Writes    uint64
	Failures  uint64
	Err       error // of the last attempt
	Took      time.Duration
	Rested    time.Time   // before which no other export begins
	Displaced []Displaced // one for each file in whose place something else was found, in the order of their paths
}

// NewExporter returns what exports when it runs. The folder of the export is opened now and kept: one that is put in its
// place is not written to. The checkpoint is written to CheckpointPath.
func NewExporter(e Exporting) *Exporter {
	var folder *tree.Folder
	if e.Path != "" {
		folder, _ = tree.OpenFolder(filepath.Dir(e.Path)) // Run tries again, and reports
	}
	return &Exporter{
		Exporting: e, folder: folder,
		wakeUp: make(chan struct{}, 1), hurry: make(chan struct{}, 1), advanced: make(chan struct{}),
		state: ExportState{Off: e.Path == "", Pending: e.Path != ""},
	}
}

// CheckpointPath returns where the checkpoint of an export lies: project_status.checkpoint beside project_status.json.
// Where there is no export, "", there is no checkpoint either.
func CheckpointPath(export string) string {
	if export == "" {
		return ""
	}
	return strings.TrimSuffix(export, filepath.Ext(export)) + ".checkpoint"
}

// Wake wakes the exporter: there is a newer snapshot.
func (x *Exporter) Wake() { signal(x.wakeUp) }

// signal leaves a token in a channel that holds one; a second would say nothing new.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run writes until ctx ends, and then once more. A failed write is tried again until it succeeds; only the
// last one's error is returned. It may be called again; what others wrote meanwhile is written over at once.
func (x *Exporter) Run(ctx context.Context) error {
	if x.Path == "" {
		<-ctx.Done()
		return nil
	}
	x.begin()
	defer x.Close()
	retry := firstRetry
	for ctx.Err() == nil {
		if err := x.round(ctx); err != nil {
			x.rest(ctx, retry, nil)
			retry = min(2*retry, lastRetry)
			continue
		}
		retry = firstRetry
		select {
		case <-x.wakeUp:
		case <-x.due():
		case <-ctx.Done():
		}
	}
	return x.end()
}

// end writes what is there to be written. Who waits writes no export any more.
func (x *Exporter) end() error {
	x.turn.Lock()
	defer x.turn.Unlock()
	x.running = false
	if err := x.writeNewest(); err != nil {
		return err
	}
	return errors.Join(x.sync(), x.writeCheckpoint())
}

func (x *Exporter) begin() {
	x.turn.Lock()
	defer x.turn.Unlock()
	x.removeStale()
	x.running = true
	if x.OnDuty == nil {
		return
	}
	x.written, x.lost = nil, true // another process may have written the files
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Size, x.state.Synced, x.state.Signed = 0, 0, 0
}

// due returns a channel that says when something is to be done without a newer snapshot: a checkpoint was put off, or
// the export is not on the disk. It is nil where all is done.
func (x *Exporter) due() <-chan time.Time {
	x.turn.Lock()
	defer x.turn.Unlock()
	switch {
	case x.unsigned():
		return time.After(minRest)
	case x.unsynced():
		return time.After(time.Until(x.writtenAt.Add(atRest)))
	}
	return nil
}

// round writes the export, rests, and writes the checkpoint: before the rest where the last one is old, and after it
// unless somebody has waited for an export meanwhile, or there is a newer snapshot or export by then.
func (x *Exporter) round(ctx context.Context) error {
	x.rest(ctx, time.Until(x.State().Rested), nil)
	after, err := x.catchUp()
	if err != nil {
		return err
	}
	rested := after.Writes == x.seen
	if !rested { // since an export by this goroutine, or by one that waited
		hurry := x.hurry
		if after.Took > slowExport {
			hurry = nil
		}
		rested = x.rest(ctx, restAfter(after.Took), hurry)
	}
	if rested {
		x.seen = after.Writes
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	if now := x.State(); rested && x.Newest().Head.Size == now.Size && now.Writes == after.Writes {
		return x.writeCheckpoint()
	}
	return x.writeDueCheckpoint() // that of the next export is as good, and its two syncs keep commits waiting
}

// catchUp writes the export where there is a newer snapshot, and what is due besides.
func (x *Exporter) catchUp() (after ExportState, err error) {
	x.turn.Lock()
	defer x.turn.Unlock()
	if err := x.writeNewest(); err != nil {
		return after, err
	}
	if x.unsynced() && time.Since(x.writtenAt) >= atRest {
		if err := x.sync(); err != nil {
			return after, err
		}
	}
	return x.State(), x.writeDueCheckpoint()
}

// writeDueCheckpoint writes the checkpoint where the last one is old.
func (x *Exporter) writeDueCheckpoint() error {
	if time.Since(x.signedAt) <= maxUnsigned {
		return nil
	}
	return x.writeCheckpoint()
}

// sync brings the export to the disk. What cannot be synced is written anew: nobody knows what of it is there.
func (x *Exporter) sync() error {
	if !x.unsynced() || x.standsBy() {
		return nil
	}
	if err := x.folder.Sync(filepath.Base(x.Path)); err != nil {
		x.lost = true
		x.fail(err, false)
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Synced = x.written.Head.Size
	return nil
}

func (x *Exporter) unsynced() bool {
	return x.written != nil && x.written.Head.Size != x.State().Synced
}

func (x *Exporter) unsigned() bool {
	return x.Sign != nil && x.written != nil && x.written.Head.Size != x.State().Signed
}

func (x *Exporter) writeCheckpoint() error {
	if !x.unsigned() || x.standsBy() {
		return nil
	}
	note, err := x.Sign(x.written)
	if err == nil {
		err = x.replace(CheckpointPath(x.Path), func(w io.Writer) error {
			_, err := w.Write(note)
			return err
		})
	}
	if err != nil {
		x.fail(err, true)
		return err
	}
	x.signedAt = time.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Signed = x.written.Head.Size
	return nil
}

func restAfter(took time.Duration) time.Duration {
	return min(max(restFactor*took, minRest), maxRest)
}

// restBetween returns the rest after an export of so many new records, before the next one that is waited for may
// begin.
func restBetween(took time.Duration, records uint64) time.Duration {
	if took > slowExport {
		return min(restFactor*took, maxRest)
	}
	return time.Duration(min(records-1, restFactor)) * took
}

// newIn returns how many records of the log a snapshot has that the one before has not, which may be nil; 1 at least.
func newIn(snap, before *Snapshot) uint64 {
	if before == nil || snap.Head.Size <= before.Head.Size {
		return 1
	}
	return snap.Head.Size - before.Head.Size
}

// rest waits for d, for somebody in a hurry, or for the end of ctx, and reports whether nobody was in a hurry.
func (x *Exporter) rest(ctx context.Context, d time.Duration, hurry <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hurry:
		return false
	case <-ctx.Done():
	}
	return true
}

func (x *Exporter) writeNewest() error {
	snap := x.Newest()
	if x.standsBy() || snap.Head.Size == x.State().Size && !x.lost {
		return nil
	}
	start := time.Now()
	err := x.export(snap)
	took := time.Since(start)
	if err != nil {
		x.fail(err, false)
		return err
	}
	if saved := start.Add(-credit); x.rested.Before(saved) {
		x.rested = saved
	}
	x.rested = x.rested.Add(took + restBetween(took, newIn(snap, x.written)))
	x.written, x.writtenAt, x.lost = snap, time.Now(), false
	x.note(snap.Head.Size, took)
	return nil
}

func (x *Exporter) export(snap *Snapshot) error {
	if err := x.checkTurn(snap); err != nil {
		return err
	}
	if x.Synced {
		return x.replace(x.Path, snap.Write)
	}
	return x.replaceUnsynced(snap)
}

// fail notes an error: whole is whether there is a whole export of the newest snapshot all the same.
func (x *Exporter) fail(err error, whole bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Err, x.state.Pending = err, false
	x.state.Failures++
	x.failing = x.failing || !whole
}

func (x *Exporter) note(size uint64, took time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Err, x.state.Pending, x.failing = nil, false, false
	x.state.Writes++
	x.state.Size, x.state.Took, x.state.Rested = size, took, x.rested
	if x.Synced {
		x.state.Synced = size
	}
	close(x.advanced)
	x.advanced = make(chan struct{})
}

// State reads how the export fares.
func (x *Exporter) State() ExportState {
	x.mu.Lock()
	defer x.mu.Unlock()
	state := x.state
	state.Standby = x.standsBy()
	return state
}
