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
	lookEvery = time.Second // how often the files of a hook that waits are looked at, for what an operator wants
	mostTold  = 4096        // records that a hook may pass in memory alone: they are looked at again after a crash
)

// following is one hook that is told.
type following struct {
	Config
	hook   hook.Hook
	since  uint64 // number of the record that added it
	reader feed.Reader
	stop   context.CancelFunc
	ended  chan struct{}

	progress hook.Progress // as its file has it
	from     uint64        // the record that was due when the progress was taken
	at       uint64        // the record that comes next: those from there on are passed in memory alone

	next, sent, failed, dead, letters atomic.Uint64 // for Figures
	failing                           atomic.Bool
}

// run tells the hook until ctx ends, or the log.
func (f *following) run(ctx context.Context) {
	defer close(f.ended)
	defer f.reader.Close()
	defer f.stop()
	for f.begin(ctx) {
		if err := f.read(ctx); err != nil {
			return
		}
	}
}

// begin takes over how far the hook has come, and reports false when ctx has ended. What cannot be read is tried again.
func (f *following) begin(ctx context.Context) bool {
	for ctx.Err() == nil {
		p, found, err := f.Files.Progress(ctx, f.hook)
		if err == nil && (!found || p.Next > f.Ledger.Head().Size) {
			p, err = f.advance(ctx, func(p *hook.Progress) error {
				if was := p.Next; !p.Within(f.Ledger.Head().Size) {
					f.Events.Behind(f.hook.Name, was)
				}
				return nil
			})
		}
		if err == nil {
			f.take(p)
			return true
		}
		f.broken(ctx, err)
	}
	return false
}

// broken says that the files of the hook cannot be used, and waits before they are tried again.
func (f *following) broken(ctx context.Context, err error) {
	f.Events.Broken(f.hook.Name, err)
	f.sleep(ctx, lookEvery)
}

// advance changes the file of the progress. What has happened is kept although ctx has ended.
func (f *following) advance(ctx context.Context, change func(*hook.Progress) error) (hook.Progress, error) {
	return f.Files.Advance(context.WithoutCancel(ctx), f.hook, f.since+1, change)
}

// take goes on from a progress.
func (f *following) take(p hook.Progress) {
	f.progress = p
	f.from, _ = p.Due()
	f.at = f.from
	f.next.Store(p.Next)
	f.letters.Store(p.Letters())
	f.failing.Store(p.Failing != nil)
}

// read reads the log, and sends what the hook follows, until its progress has to be taken anew. The error is why there
// is nothing more to read.
func (f *following) read(ctx context.Context) error {
	for {
		records, err := f.await(ctx)
		switch {
		case err != nil:
			return err
		case len(records) == 0 && f.wanted(ctx): // an operator wants something else
			return nil
		}
		if !f.tell(ctx, records) {
			return nil
		}
	}
}

// await returns the records that come next; none when there were none for a while.
func (f *following) await(ctx context.Context) ([]feed.Record, error) {
	timed, cancel := context.WithTimeout(ctx, lookEvery)
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
		if r.Number >= until {
			break
		}
		if filter.Passes(r) && !f.deliver(ctx, r) {
			return false
		}
		f.at = r.Number + 1
	}
	if f.at == until || f.at-f.from >= mostTold {
		return f.pass(ctx)
	}
	if f.at > f.progress.Next {
		f.next.Store(f.at)
	}
	return true
}

// pass keeps that records were passed that the hook does not follow.
func (f *following) pass(ctx context.Context) bool {
	if f.at > f.from {
		_, err := f.advance(ctx, func(p *hook.Progress) error { p.Pass(f.from, f.at-1); return nil })
		if err != nil {
			f.broken(ctx, err)
		}
	}
	return false
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
// with the record behind it: not where an operator wants something else, or ctx has ended.
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

// arrived passes a record whose message has arrived. If that cannot be kept, it will be sent again.
func (f *following) arrived(ctx context.Context, r feed.Record) bool {
	f.sent.Add(1)
	if before := f.progress.Failing; before != nil {
		f.Events.Back(f.hook.Name, before.Tries)
	}
	return f.passed(ctx, r, func(p *hook.Progress) error { p.Arrived(f.from, r.Number, f.Clock()); return nil })
}

// giveUp makes the message about a record a dead letter.
func (f *following) giveUp(ctx context.Context, r feed.Record, why error) bool {
	f.dead.Add(1)
	f.Events.Dead(f.hook.Name, r.Number, why)
	return f.passed(ctx, r, func(p *hook.Progress) error {
		p.GiveUp(f.from, r.Number, why.Error(), f.Clock())
		return nil
	})
}

// passed keeps what became of a record, and reports whether the one behind it comes next.
func (f *following) passed(ctx context.Context, r feed.Record, change func(*hook.Progress) error) bool {
	_, before := f.progress.Due()
	p, err := f.advance(ctx, change)
	if err != nil {
		f.broken(ctx, err)
		return false
	}
	f.take(p)
	next, until := p.Due()
	return next == r.Number+1 && until == before
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
	p, err := f.advance(ctx, func(p *hook.Progress) error { p.Failed(why, now); return nil })
	if err != nil {
		f.broken(ctx, err)
		return false, false
	}
	f.progress.Failing = p.Failing
	f.failing.Store(true)
	if o.Gone() || p.Hopeless(record.At, now) {
		return false, f.giveUp(ctx, r, o.Err)
	}
	for wait := hook.Backoff(p.Failing.Tries, f.Random(), o.Wait); wait > 0; wait -= lookEvery {
		if !f.sleep(ctx, min(wait, lookEvery)) || f.wanted(ctx) {
			return false, false
		}
	}
	return true, false
}

// wanted reports whether an operator has changed what comes next.
func (f *following) wanted(ctx context.Context) bool {
	p, found, err := f.Files.Progress(ctx, f.hook)
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
