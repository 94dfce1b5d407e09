// Package listing lists runs as they are at a moment: their obligations, how far these are, and what they ask.
package listing

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
)

// Run is a run in a list.
type Run struct {
	ID          string       `json:"id"`
	Number      uint64       `json:"number"`
	Caller      audit.Actor  `json:"caller"`
	Ended       bool         `json:"ended"`
	Obligations []Obligation `json:"obligations"`
}

// Obligation is an obligation of a run, with its status.
type Obligation struct {
	ID         string              `json:"id"`
	Status     planning.Status     `json:"status"`
	Obligation planning.Obligation `json:"obligation"`
	Why        string              `json:"why,omitempty"`
	Questions  []Question          `json:"questions,omitempty"` // that it asked
}

// Question is a question as it is at a moment.
type Question struct {
	ID       string               `json:"id"`
	Slot     string               `json:"slot"`
	Question string               `json:"question"`
	Schema   jsontext.Value       `json:"schema,omitempty"`
	Status   state.QuestionStatus `json:"status"`
	Asked    time.Time            `json:"asked"`
	Expires  time.Time            `json:"expires"`
	Value    any                  `json:"value,omitzero"`
	By       *audit.Actor         `json:"by,omitempty"`
	At       time.Time            `json:"at,omitzero"`
}

// Waits reports whether the question can be answered.
func (q Question) Waits() bool { return q.Status == state.QuestionWaits }

// maxListBytes ends a page of runs early, whatever limit was asked for, since obligations may be large.
const maxListBytes = 4 << 20

// maxListSeen ends a page early when so many runs were looked at.
const maxListSeen = 5000

// List returns a page of runs, newest first: those before a number (0 means all), at most limit, fewer if they are
// large. next is where the next page starts. With waitsFor, only the runs that ask what that caller may answer are
// listed, and a page ends early when many others were passed over that are not settled.
func List(ctx context.Context, from *state.Store, now time.Time, before uint64, limit int,
	waitsFor *audit.Actor, settled *Settled) (page []Run, next uint64, err error) {
	err = from.View(ctx, func(v state.View) error {
		v = state.InARow(v)
		n, err := v.Count()
		if err != nil {
			return err
		}
		if before > 0 {
			n = min(n, before-1)
		}
		page, next = []Run{}, 0
		for size, seen := 0, 0; n > 0; n-- {
			if waitsFor != nil && settled.has(n) {
				continue
			}
			if len(page) == limit || size >= maxListBytes || seen == maxListSeen {
				next = n + 1
				break
			}
			seen++
			one, found, err := numbered(v, n, now, waitsFor, settled)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			raw, err := ledger.Encode(one)
			if err != nil {
				return err
			}
			page, size = append(page, one), size+len(raw)
		}
		return nil
	})
	return page, next, err
}

// numbered returns the run of a number, if it began and, with waitsFor, asks what that caller may answer.
func numbered(v state.View, n uint64, now time.Time, waitsFor *audit.Actor,
	settled *Settled) (one Run, found bool, err error) {
	r, found, err := v.NumberedHead(n)
	if err != nil || !found {
		return one, false, err
	}
	all, err := v.Questions(r.ID)
	if err != nil {
		return one, false, err
	}
	settled.note(r, all)
	_, waits := questions.Overdue(all, now)
	if waitsFor == nil || waits && questions.MayAnswer(*waitsFor, r.Caller) == nil {
		one, err = listed(v, r, all, now)
		return one, true, err
	}
	return one, false, nil
}

// Summary returns the summary of a run.
func Summary(ctx context.Context, from *state.Store, now time.Time, id string) (one Run, err error) {
	err = from.View(ctx, func(v state.View) error {
		r, found, err := v.Head(id)
		if err != nil {
			return err
		}
		if !found {
			return ErrUnknownRun(id)
		}
		all, err := v.Questions(id)
		if err == nil {
			one, err = listed(v, r, all, now)
		}
		return err
	})
	return one, err
}

// ErrUnknownRun returns the error of a run that is not there.
func ErrUnknownRun(id string) error {
	return fault.New(fault.NotFound, "unknown_run", "there is no run %q", fault.Clip(id, 64)).
		WithFix("GET /obligations lists the runs; a viewer's run is not kept")
}

// listed returns a run as it is at a moment, with its questions.
func listed(v state.View, r state.Head, all []state.Question, now time.Time) (one Run, err error) {
	one = Run{ID: r.ID, Number: r.Number, Caller: r.Caller, Ended: r.Ended, Obligations: []Obligation{}}
	of, err := v.Obligations(r.ID)
	if err != nil {
		return one, err
	}
	why, waits := questions.Overdue(all, now)
	for _, o := range of {
		as := Obligation{o.ID, o.Status, o.Of, o.Why, questionsOf(all, o.ID, now)}
		if reason := questions.Fails(why, waits, o.ID); reason != "" && r.Ended && o.Status == planning.Active {
			as.Status, as.Why = planning.Failed, reason
		}
		one.Obligations = append(one.Obligations, as)
	}
	return one, nil
}

// questionsOf returns the questions of an obligation as they are at a moment.
func questionsOf(all []state.Question, obligation string, now time.Time) (of []Question) {
	for _, q := range all {
		if q.Obligation == obligation {
			of = append(of, Question{q.ID, q.Slot, q.Question, q.Schema, q.StatusAt(now), q.Asked, q.Expires, q.Value,
				q.By, q.At})
		}
	}
	return of
}
