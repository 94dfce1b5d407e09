// Package schedule keeps what is to be conducted later: it decides when something is due, and has the use cases on
// schedules. Whatever changes one is a step in the ledger, so that a schedule survives a restart, and each of its times
// is taken once.
//
// A schedule ends with the token that it was made with. Nothing here waits or runs: the package timetable does.
package schedule

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// MaxPerToken bounds the schedules of one token that may be due again.
const MaxPerToken = 20

// The codes of refusals.
const (
	codeTooMany   fault.Code = "too_many_schedules"
	codeUnknown   fault.Code = "unknown_schedule"
	codeForbidden fault.Code = "schedule_forbidden"
	codeEnded     fault.Code = "schedule_ended"
)

// Keeper keeps schedules. It is safe for concurrent use.
type Keeper struct {
	store   *state.Store
	clock   func() time.Time
	changed chan struct{}
}

// New returns the keeper of the schedules in a store.
func New(s *state.Store, clock func() time.Time) *Keeper {
	return &Keeper{s, clock, make(chan struct{}, 1)}
}

// Changed receives after schedules were made.
func (k *Keeper) Changed() <-chan struct{} { return k.changed }

// add makes a schedule, unless the run made it before.
func (k *Keeper) add(ctx context.Context, s state.Schedule) (state.Schedule, error) {
	err := k.step(ctx, s.Run, "scheduled", s.By, func(w *state.Writer) error {
		before, found, err := w.Schedule(s.ID)
		if err != nil || found {
			s = before
			return cmp.Or(err, errNothing)
		}
		n, err := w.ActiveSchedules(s.Token)
		if err == nil && n >= MaxPerToken {
			err = fault.New(fault.Conflict, codeTooMany, "this token has %d schedules already: no more are kept", n).
				WithFix("DELETE /schedules/{id} ends one that is not needed; GET /schedules lists them")
		}
		if err != nil {
			return err
		}
		s.Made = w.At
		return w.PutSchedule(s)
	})
	select {
	case k.changed <- struct{}{}:
	default:
	}
	return s, err
}

// errNothing ends a step that has nothing to write.
var errNothing = errors.New("there is nothing to write")

// step changes schedules in one step of the ledger, or none if there is nothing to write.
func (k *Keeper) step(ctx context.Context, run, name string, by audit.Actor, change func(w *state.Writer) error) error {
	err := k.store.Step(ctx, run, name, by, change)
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// Open returns the schedules that may be due again, or have a run under way: first what is due first.
func (k *Keeper) Open(ctx context.Context) (all []state.Schedule, err error) {
	err = k.store.View(ctx, func(v state.View) (err error) {
		all, err = v.OpenSchedules()
		return err
	})
	slices.SortStableFunc(all, func(a, b state.Schedule) int { return a.Next.Compare(b.Next) })
	return all, err
}

// maxSeen ends a page early when so many schedules were looked at.
const maxSeen = 5000

// List returns a page of the schedules that a caller may see: those after an id, at most limit. next is the id after
// which the next page begins, "" where this is the last. With active, only those are listed that may be due again.
func (k *Keeper) List(ctx context.Context, who audit.Actor, after string, limit int,
	active bool) (page []state.Schedule, next string, err error) {
	err = k.store.View(ctx, func(v state.View) error {
		page, next = []state.Schedule{}, ""
		last, seen := after, 0
		return v.Schedules(after, func(s state.Schedule) (bool, error) {
			if len(page) == limit || seen == maxSeen {
				next = last
				return false, nil
			}
			last, seen = s.ID, seen+1
			if mayUse(who, s) && (s.Active() || !active) {
				page = append(page, s)
			}
			return true, nil
		})
	})
	return page, next, err
}

// Get returns a schedule that a caller may see.
func (k *Keeper) Get(ctx context.Context, who audit.Actor, id string) (s state.Schedule, err error) {
	err = k.store.View(ctx, func(v state.View) (err error) {
		var found bool
		if s, found, err = v.Schedule(id); err == nil {
			err = check(who, s, found, id)
		}
		return err
	})
	return s, err
}

// End ends a schedule for its owner, or for a pm. A run that is under way goes on.
func (k *Keeper) End(ctx context.Context, who audit.Actor, id string) (s state.Schedule, err error) {
	if s, err = k.Get(ctx, who, id); err != nil {
		return s, err
	}
	err = k.store.Step(ctx, s.Run, "schedule ended", who, func(w *state.Writer) error {
		var found bool
		if s, found, err = w.Schedule(id); err != nil {
			return err
		}
		if err := check(who, s, found, id); err != nil {
			return err
		}
		if !s.Active() {
			return fault.New(fault.Gone, codeEnded, "the schedule %s ended on %s: %s", s.ID, shown(s.Ended.At),
				s.Ended.Why).WithFix("there is nothing to do; GET /schedules lists those that go on")
		}
		s.Ended, s.Next = &state.ScheduleEnd{At: w.At, Why: "it was ended", By: &who}, time.Time{}
		return w.PutSchedule(s)
	})
	return s, err
}

// check refuses who may not use a schedule.
func check(who audit.Actor, s state.Schedule, found bool, id string) error {
	switch {
	case !found:
		return fault.New(fault.NotFound, codeUnknown, "there is no schedule %q", fault.Clip(id, 80)).
			WithFix("GET /schedules lists them")
	case !mayUse(who, s):
		return fault.New(fault.Forbidden, codeForbidden, "the schedule %s belongs to %s (%s)", s.ID, s.By.Name,
			s.By.Role).WithFix("ask %s, or a pm", s.By.Name)
	}
	return nil
}

// mayUse reports whether somebody may see and end a schedule: who made it, in the same role, and a pm.
//
// Implements: ORC-259
func mayUse(who audit.Actor, s state.Schedule) bool {
	return who == s.By || who.Role == string(lifecycle.PM)
}

// Take takes what is due of a schedule, so that it is run, and once. gone says why the token of the schedule is not in
// force any more, "" if it is: then the schedule ends. It returns nil if nothing is to be run now: since nothing is
// due, the schedule has ended, or the run before is still under way, which is counted.
//
// Implements: ORC-258, ORC-259
func (k *Keeper) Take(ctx context.Context, s state.Schedule, gone string) (taken *state.Schedule, err error) {
	now := k.clock()
	err = k.step(ctx, s.Run, "schedule due", s.By, func(w *state.Writer) error {
		taken = nil
		s, found, err := w.Schedule(s.ID)
		if err != nil || !found || !s.Active() {
			return cmp.Or(err, errNothing)
		}
		due, is := timingOf(s).Due(s.Next, now)
		switch {
		case !is:
			return errNothing
		case gone != "":
			s.Ended, due.Next = &state.ScheduleEnd{At: w.At, Why: gone}, time.Time{}
		case s.Running != nil:
			s.Skipped += due.Times
		default:
			s.Running = &state.Due{At: due.At, Missed: due.Missed}
			s.Missed += due.Missed
			taken = &s
		}
		s.Next = due.Next
		return w.PutSchedule(s)
	})
	return taken, err
}

// Done records what became of the time that a schedule has taken: failed says why it could not be run, "" if it was.
// What is recorded already stays as it is.
func (k *Keeper) Done(ctx context.Context, of state.Schedule, run string, outcome planning.Outcome,
	failed string) error {
	return k.step(ctx, of.Run, "schedule done", of.By, func(w *state.Writer) error {
		s, found, err := w.Schedule(of.ID)
		if err != nil || !found || s.Running == nil || !s.Running.At.Equal(of.Running.At) {
			return cmp.Or(err, errNothing)
		}
		if failed != "" {
			outcome = planning.OutFailed
		}
		s.Last = &state.DueRun{Due: *s.Running, Run: run, Status: outcome, Error: failed, EndedAt: w.At}
		s.Running, s.Runs = nil, s.Runs+1
		if s.Active() && s.Next.IsZero() {
			s.Ended = &state.ScheduleEnd{At: w.At, Why: "nothing is due any more"}
		}
		return w.PutSchedule(s)
	})
}

// timingOf returns the timing of a schedule.
func timingOf(s state.Schedule) Timing {
	return Timing{First: s.First, Every: time.Duration(s.EveryMS) * time.Millisecond, Until: s.Until}
}
