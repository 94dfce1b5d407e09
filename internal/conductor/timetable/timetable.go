// Package timetable conducts what is scheduled when it is due.
//
// Each time of a schedule is taken in the ledger before it is run, and its run has an idempotency key that names
// schedule and time: a service that is killed in between goes on with the same run when it is back, and begins no
// second one.
package timetable

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// maxRunning bounds how many scheduled runs are under way at once.
const maxRunning = 4

const (
	lookEvery  = 30 * time.Second // at the latest, since the clock may be set and the machine may sleep
	retryAfter = 5 * time.Second  // what could not be conducted for the moment
)

// Runner conducts what is due. Run is called once.
type Runner struct {
	Conductor Conductor
	Schedules Keeper
	// Gone returns why a token is not in force at a moment, "" if it is. A schedule ends with its token.
	Gone  func(token string, by conductor.Caller, now time.Time) (gone string)
	Clock func() time.Time
	After func(time.Duration) <-chan time.Time
	Log   func(schedule, run string, err error) // what became of each run

	mu      sync.Mutex
	under   []string // ids of the schedules whose runs are under way
	running sync.WaitGroup
	ended   chan struct{}
}

// Conductor conducts requests.
type Conductor interface {
	Ask(ctx context.Context, caller conductor.Caller, asked conductor.Asked) (conductor.Trace, error)
}

// Keeper keeps the schedules: see schedule.Keeper.
type Keeper interface {
	Changed() <-chan struct{}
	Open(ctx context.Context) ([]state.Schedule, error)
	Take(ctx context.Context, s state.Schedule, gone string) (*state.Schedule, error)
	Done(ctx context.Context, of state.Schedule, run string, outcome planning.Outcome, failed string) error
}

// Run conducts what is due until ctx ends, and waits for what is under way. Whoever ends ctx stops the conductor as
// well.
func (r *Runner) Run(ctx context.Context) {
	r.ended = make(chan struct{}, maxRunning)
	defer r.running.Wait()
	for ctx.Err() == nil {
		wait, err := r.look(ctx)
		if err != nil {
			r.Log("", "", err)
			wait = retryAfter
		}
		select {
		case <-ctx.Done():
		case <-r.ended:
		case <-r.Schedules.Changed():
		case <-r.After(wait):
		}
	}
}

// look begins what is due, and returns how long nothing else is.
func (r *Runner) look(ctx context.Context) (wait time.Duration, err error) {
	open, err := r.Schedules.Open(ctx)
	if err != nil {
		return 0, err
	}
	wait = lookEvery
	for _, s := range open {
		now := r.Clock()
		under, room := r.isUnder(s.ID)
		switch {
		case s.Running != nil && !under && room: // the service ended while it was under way
			if err := r.goOn(ctx, s, now); err != nil {
				return 0, err
			}
			under = true
		case s.Running == nil && !room:
			continue // it is looked at again when a run ends
		}
		if s.Next.IsZero() {
			continue
		}
		if left := s.Next.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		if s.Running != nil && !under {
			continue
		}
		taken, err := r.Schedules.Take(ctx, s, r.Gone(s.Token, s.By, now))
		if err != nil {
			return 0, err
		}
		if taken != nil {
			r.begin(ctx, *taken)
		}
	}
	return wait, nil
}

// goOn goes on with a time that was taken before the service ended. After its token nothing more is begun.
func (r *Runner) goOn(ctx context.Context, s state.Schedule, now time.Time) error {
	if gone := r.Gone(s.Token, s.By, now); gone != "" {
		return r.Schedules.Done(ctx, s, "", planning.OutFailed, gone)
	}
	r.begin(ctx, s)
	return nil
}

// isUnder reports whether the run of a schedule is under way, and whether there is room for another run.
func (r *Runner) isUnder(id string) (under, room bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.under, id), len(r.under) < maxRunning
}

// begin conducts a time that was taken.
func (r *Runner) begin(ctx context.Context, s state.Schedule) {
	r.mu.Lock()
	r.under = append(r.under, s.ID)
	r.mu.Unlock()
	r.running.Go(func() {
		r.conduct(ctx, s)
		r.mu.Lock()
		r.under = slices.DeleteFunc(r.under, func(id string) bool { return id == s.ID })
		r.mu.Unlock()
		select {
		case r.ended <- struct{}{}:
		default:
		}
	})
}

// conduct conducts a time until that is on record, or ctx ends: then the next start goes on with it.
func (r *Runner) conduct(ctx context.Context, s state.Schedule) {
	for ctx.Err() == nil {
		err := r.once(ctx, s)
		if err == nil || ctx.Err() != nil {
			return
		}
		r.Log(s.ID, "", err)
		select {
		case <-ctx.Done():
		case <-r.After(retryAfter):
		}
	}
}

// once conducts a time, and records what became of it. What is refused is recorded as well; its error is one that may
// be gone later.
//
// Implements: ORC-258
func (r *Runner) once(ctx context.Context, s state.Schedule) error {
	at := s.Running.At.UTC().Format(time.RFC3339Nano)
	t, err := r.Conductor.Ask(ctx, s.By, conductor.Asked{
		Request: planning.Request{Obligations: s.Obligations, Budgets: s.Budgets,
			IdempotencyKey: "schedule:" + s.ID + ":" + at},
		Token: s.Token, Scheduled: said(s, at),
	})
	if passes(err) {
		return err
	}
	failed := ""
	if err != nil {
		failed = state.FailureOf(err).Detail
	}
	if err := r.Schedules.Done(ctx, s, t.ID, t.Status, failed); err != nil {
		return err
	}
	r.Log(s.ID, t.ID, err)
	return nil
}

// said says which schedule a run is of, for its event.
func said(s state.Schedule, at string) string {
	text := fmt.Sprintf("the schedule %s, due at %s", s.ID, at)
	if n := s.Running.Missed; n > 0 {
		text += fmt.Sprintf("; missed: %d", n)
	}
	return text
}

// passes reports whether an error says nothing of the request: it may be sent again as it is.
func passes(err error) bool {
	f := fault.As(err)
	switch {
	case err == nil:
		return false
	case f == nil:
		return true
	case f.Code == questions.CodeUnderWay:
		return true
	}
	return slices.Contains([]fault.Kind{fault.Internal, fault.Unavailable, fault.InsufficientStorage}, f.Kind)
}
