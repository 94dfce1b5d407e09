package sending

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/feed"
	"orchestrator/internal/ledger/thread"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/posting"
)

const (
	lookEvery = time.Second            // how often it is looked what somebody wants of a hook that waits
	keepEvery = 100 * time.Millisecond // how often, at most, it is kept what has arrived: those who write need the disk
	mostTold  = 4096                   // records that a hook may pass without its file, if it follows none of them
)

// following is one hook that is told. It passes records in memory, and keeps that soon: what was not kept is sent again
// after a crash.
type following struct {
	Config
	hook hook.Hook
	kept hook.Keeper // how far it has come

	keptBefore hook.Keeper // where the log had another place
	since      uint64      // number of the record that added it
	reader     feed.Reader
	stop       context.CancelFunc
	ended      chan struct{}

	progress hook.Progress // as it was kept
	from     uint64        // the record that came next by that
	at       uint64        // the record that comes next: those from there on are passed in memory
	arrivals uint64        // of messages about them
	lastAt   time.Time     // when the last one arrived
	keptAt   time.Time
	tookOver bool   // what had been kept of it elsewhere
	why      string // its files cannot be used; "" where they can

	next, sent, failed, dead, letters atomic.Uint64 // for Figures
	failing                           atomic.Bool
}

// run tells the hook until ctx ends, or the log.
func (f *following) run(ctx context.Context) {
	defer close(f.ended)
	defer f.reader.Close()
	defer f.stop()
	for f.begin(ctx) {
		err := f.read(ctx)
		if f.Ledger.Err() != nil {
			break
		}
		if err != nil && ctx.Err() == nil {
			f.broken(ctx, err) // the log could not be read now
		}
	}
	if f.arrivals > 0 {
		f.keep(ctx)
	}
}

// begin takes over how far the hook has come, and reports false when ctx has ended. What cannot be read is tried again.
func (f *following) begin(ctx context.Context) bool {
	for ctx.Err() == nil {
		err := f.takeOver(ctx)
		var p hook.Progress
		var found bool
		if err == nil {
			p, found, err = f.kept.Progress(ctx, f.hook)
		}
		if err == nil && (!found || f.at > f.from || p.Next > f.Ledger.Head().Size) {
			p, err = f.goOn(ctx)
		}
		if err == nil {
			f.take(p)
			return true
		}
		f.broken(ctx, err)
	}
	return false
}

// goOn keeps what was passed in memory, within the log as it is.
func (f *following) goOn(ctx context.Context) (hook.Progress, error) {
	var was uint64
	var within bool
	p, err := f.advance(ctx, func(p *hook.Progress) {
		was = p.Next
		within = p.Within(f.Ledger.Head().Size)
	})
	if err == nil && !within {
		f.Events.Behind(f.hook.Name, was)
	}
	return p, err
}

// broken says that the files of the hook cannot be used, once for each reason, and waits before they are tried again.
func (f *following) broken(ctx context.Context, err error) {
	if err.Error() != f.why {
		f.Events.Broken(f.hook.Name, err)
	}
	f.why = err.Error()
	f.sleep(ctx, lookEvery)
}

// advance keeps what was passed in memory, and a change, and goes on from there. What has happened is kept although ctx
// has ended. It may call change twice, with the same progress.
func (f *following) advance(ctx context.Context, change func(*hook.Progress)) (hook.Progress, error) {
	p, err := f.kept.Advance(context.WithoutCancel(ctx), f.hook, f.since+1, func(p *hook.Progress) error {
		if f.at > f.from && p.Next >= f.from { // else the file was removed, and all is told again
			p.Pass(f.from, f.at-1)
		}
		if f.arrivals > 0 {
			p.Arrived(f.arrivals, f.lastAt)
		}
		change(p)
		return nil
	})
	if err == nil {
		f.take(p)
	}
	return p, err
}

// takeOver goes on from where the hook had come before the log was moved, once: in a file, how far it has come lies
// beside the log, and elsewhere in it. One that was added again since is another hook.
func (f *following) takeOver(ctx context.Context) error {
	if f.tookOver {
		return nil
	}
	before, found, err := f.keptBefore.Progress(ctx, f.hook)
	if err == nil && found {
		var now hook.Progress
		if now, found, err = f.kept.Progress(ctx, f.hook); err == nil && (!found || before.Next > now.Next) {
			_, err = f.kept.Advance(ctx, f.hook, f.since+1, func(p *hook.Progress) error {
				*p = before
				return nil
			})
		}
	}
	f.tookOver = err == nil
	return err
}

// take goes on from a progress that was kept.
func (f *following) take(p hook.Progress) {
	f.progress, f.why = p, ""
	f.from, _ = p.Due()
	f.at, f.arrivals, f.keptAt = f.from, 0, f.Clock()
	f.next.Store(p.Next)
	f.letters.Store(p.Letters())
	f.failing.Store(p.Failing != nil)
}

// keep keeps what was passed in memory, and reports whether the hook goes on behind that.
func (f *following) keep(ctx context.Context) bool { return f.change(ctx, func(*hook.Progress) {}) }

// change changes the progress, and reports whether the hook goes on where it is, or behind what the change passes: not
// where it cannot be kept, or somebody wants something else.
func (f *following) change(ctx context.Context, change func(*hook.Progress)) bool {
	expected := hook.Progress{Next: f.at}
	change(&expected)
	p, err := f.advance(ctx, change)
	if err != nil {
		f.broken(ctx, err)
		return false
	}
	next, _ := p.Due()
	return next == expected.Next
}

// read reads the log, and sends what the hook follows, until its progress has to be taken anew. The error is why there
// is nothing more to read.
func (f *following) read(ctx context.Context) error {
	for {
		records, err := f.await(ctx)
		if err != nil {
			return err
		}
		var goesOn bool
		switch {
		case len(records) > 0:
			goesOn = f.tell(ctx, records)
		case f.arrivals > 0:
			goesOn = f.keep(ctx)
		default:
			goesOn = !f.wanted(ctx)
		}
		if !goesOn {
			return nil
		}
	}
}

// await returns the records that come next; none when there were none for a while.
func (f *following) await(ctx context.Context) ([]feed.Record, error) {
	most := lookEvery
	if f.arrivals > 0 {
		most = keepEvery
	}
	timed, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	records, err := f.reader.Next(timed, f.at)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, nil
	}
	return records, err
}

// tell sends what the hook follows of some records. It reports false when the progress has to be taken anew.
func (f *following) tell(ctx context.Context, records []feed.Record) bool {
	_, until := f.progress.Due()
	filter := f.filter()
	for _, r := range records {
		switch {
		case r.Number >= until:
			return f.keep(ctx)
		case !filter.Passes(r):
			f.at = r.Number + 1
		case !f.deliver(ctx, r):
			return false
		}
	}
	f.next.Store(max(f.at, f.progress.Next))
	if f.at == until || f.at-f.from >= mostTold {
		return f.keep(ctx)
	}
	return true
}

func (f *following) filter() feed.Filter {
	filter := feed.Filter{Kinds: f.hook.Kinds, Roles: f.hook.Roles}
	for _, id := range f.hook.Requirements {
		threads := f.Threads(id)
		if len(threads) == 0 {
			threads = []thread.Thread{{Subject: id}}
		}
		filter.Threads = append(filter.Threads, threads...)
	}
	return filter
}

// deliver sends the message about a record until it has arrived or is given up. It reports whether the hook goes on
// with the record behind it: not where somebody wants something else, or ctx has ended.
//
// Implements: ORC-323
func (f *following) deliver(ctx context.Context, r feed.Record) bool {
	record, err := audit.Decode(r.Bytes)
	if err != nil {
		return f.giveUp(ctx, r, err)
	}
	for ctx.Err() == nil {
		outcome := f.post(ctx, r, record)
		switch {
		case outcome.Err == nil:
			return f.arrived(ctx, r)
		case ctx.Err() != nil:
			return false // what became of it is not known: it is sent again
		}
		again, goesOn := f.tryAgain(ctx, r, record, outcome)
		if !again {
			return goesOn
		}
	}
	return false
}

// post makes the message and sends it, once.
func (f *following) post(ctx context.Context, r feed.Record, record audit.Record) posting.Outcome {
	message, err := f.Tell(ctx, f.hook, record)
	if err != nil {
		return posting.Outcome{Err: err}
	}
	body, err := message.Encode()
	if err != nil {
		return posting.Outcome{Err: err}
	}
	secrets, err := f.Files.Secrets(ctx, f.hook.Name)
	if err != nil {
		return posting.Outcome{Err: err}
	}
	return f.Post(ctx, f.hook, secrets, posting.Message{ID: hook.IDOf(r.Bytes), At: f.Clock(), Body: body})
}

// arrived passes a record whose message has arrived, and keeps that if it is time to.
func (f *following) arrived(ctx context.Context, r feed.Record) bool {
	f.sent.Add(1)
	f.arrivals++
	f.at, f.lastAt = r.Number+1, f.Clock()
	if before := f.progress.Failing; before != nil {
		f.Events.Back(f.hook.Name, before.Tries)
		return f.keep(ctx)
	}
	if f.lastAt.Sub(f.keptAt) >= keepEvery {
		return f.keep(ctx)
	}
	return true
}

// tryAgain waits after a try that failed, and reports whether the same message is to be sent again then, and if not,
// whether the hook goes on with the record behind it.
func (f *following) tryAgain(ctx context.Context, r feed.Record, record audit.Record,
	o posting.Outcome) (again, goesOn bool) {
	f.failed.Add(1)
	if f.progress.Failing == nil {
		f.Events.Failing(f.hook.Name, o.Err)
	}
	now, why := f.Clock(), o.Err.Error()
	if !f.change(ctx, func(p *hook.Progress) { p.Failed(why, now) }) {
		return false, false
	}
	if o.Gone() || f.progress.Hopeless(record.At, now) {
		return false, f.giveUp(ctx, r, o.Err)
	}
	for wait := hook.Backoff(f.progress.Failing.Tries, f.Random(), o.Wait); wait > 0; wait -= lookEvery {
		if !f.sleep(ctx, min(wait, lookEvery)) || f.wanted(ctx) {
			return false, false
		}
	}
	return true, false
}

// giveUp makes the message about a record a dead letter.
func (f *following) giveUp(ctx context.Context, r feed.Record, why error) bool {
	f.dead.Add(1)
	f.Events.Dead(f.hook.Name, r.Number, why)
	now := f.Clock()
	return f.change(ctx, func(p *hook.Progress) { p.GiveUp(r.Number, why.Error(), now) })
}

// wanted reports whether somebody has changed what comes next.
func (f *following) wanted(ctx context.Context) bool {
	p, found, err := f.kept.Progress(ctx, f.hook)
	if err != nil || !found {
		return true // which begin looks into
	}
	was, until := f.progress.Due()
	is, now := p.Due()
	return is != was || now != until || p.Letters() != f.progress.Letters()
}

// sleep waits, and reports whether ctx goes on.
func (f *following) sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
