// Package conductor turns obligations into runs of tools, and checks their results.
//
// No model scores anything: contracts, an order without ties, conditions and second evaluations decide. All state is in
// the ledger; a run that was cut off goes on from there, and a step that is recorded as finished never runs twice.
package conductor

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/account"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/checking"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/evaluating"
	"orchestrator/internal/conductor/listing"
	"orchestrator/internal/conductor/onrecord"
	"orchestrator/internal/conductor/outside"
	"orchestrator/internal/conductor/schedule"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/conductor/underway"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// Caller identifies who asks. What a tool may do is bounded by the caller's role.
type Caller = audit.Actor

// Options configure a conductor.
type Options struct {
	Tools         *contract.Registry // the contracts, built-in ones included
	Box           []tools.Tool       // the built-in tools that need no store
	Project       builtin.Project    // that the tools of ProjectContracts work on; nil where Tools has none of them
	Agents        Agents             // lets tools that have a role act in the project; nil where none may
	Root          string             // of the project: where external programs run
	Clock         func() time.Time
	Deterministic bool // durations are 0

	Tree func(ctx context.Context, requirement, agent, role string) outside.Tree // of an agent; nil: all work in Root
}

// Conductor conducts obligations. It is safe for concurrent use.
type Conductor struct {
	Options
	Schedules  *schedule.Keeper
	Used       account.Reader // what agents used
	state      *state.Store
	choice     *planning.Choice
	box        map[string]tools.Tool
	stateTools map[string]builtin.Tool
	evaluators evaluating.Set

	toolSlots  chan struct{} // of external tools that run at once
	agentSlots chan struct{} // of agents: they may ask for tools, and wait for slots
	now        atomic.Pointer[underway.Period]
	goneOnWith underway.Runs // after an answer
	settled    listing.Settled
	numbering  sync.Mutex
	number     uint64 // of the last run
}

// maxConcurrent bounds how many agents, and how many other external tools, run at once; further runs wait.
const maxConcurrent = 16

// New makes the conductor of a ledger.
func New(l *ledger.Ledger, o Options) *Conductor {
	c := &Conductor{Options: o, state: state.New(l), box: map[string]tools.Tool{}}
	c.toolSlots, c.agentSlots = make(chan struct{}, maxConcurrent), make(chan struct{}, maxConcurrent)
	c.Begin(context.Background())
	c.choice = planning.NewChoice(o.Tools.Contracts())
	for _, t := range o.Box {
		c.box[t.Contract.Name] = t
	}
	c.stateTools = builtin.Over(o.Project)
	maps.Copy(c.stateTools, builtin.Facts())
	c.Schedules, c.Used = schedule.New(c.state, o.Clock), account.New(c.state)
	maps.Copy(c.stateTools, schedule.Tools(c.Schedules))
	maps.Copy(c.stateTools, onrecord.Tools(o.Project, o.Tools))
	c.evaluators = evaluating.New(o.Tools, o.Box, c.stateTools)
	return c
}

// Conduct runs a request until each of its obligations is resolved, failed or waits for somebody. The same idempotency
// key of the same caller gives the trace of the first run; with another request it is fault.Conflict.
func (c *Conductor) Conduct(ctx context.Context, caller Caller, request planning.Request) (Trace, error) {
	return c.Ask(ctx, caller, Asked{Request: request})
}

// Ask conducts a request that was made of words. That of a viewer leaves nothing behind: its trace is the answer and is
// not kept, and neither is its idempotency key, which is not looked up either, since nothing was changed that must not
// be changed twice.
func (c *Conductor) Ask(ctx context.Context, caller Caller, asked Asked) (Trace, error) {
	keeps := caller.Role != string(lifecycle.Viewer)
	if asked.OnWait == nil {
		asked.OnWait = func() {}
	}
	if keeps && asked.IdempotencyKey != "" {
		trace, found, err := c.earlierTrace(ctx, caller, asked)
		if err != nil || found {
			return trace, err
		}
	}
	if asked.Translate != nil {
		asked.OnWait()
		var err error
		if asked.Obligations, err = asked.Translate(ctx); err != nil {
			return Trace{}, err
		}
	}
	if err := c.Check(asked.Request); err != nil {
		return Trace{}, err
	}
	begin := c.begin
	if !keeps {
		begin = c.beginUnrecorded
	} else if err := c.state.CheckBudget(ctx, caller); err != nil {
		return Trace{}, err
	}
	begun, err := begin(ctx, caller, asked.Request)
	if err != nil {
		return Trace{}, err
	}
	begun.Token = asked.Token
	r := c.newRun(begun)
	r.rephrase, r.ephemeral, r.onWait = asked.Rephrase, !keeps, asked.OnWait
	r.spoken = asked.Translate != nil
	r.enqueue(func(w *state.Writer) error {
		return errors.Join(asked.putOrigin(w), w.Begin(begun, asked.keyOwner(caller)))
	})
	return c.runDetached(ctx, r)
}

// runDetached runs to the end although the caller may hang up, unless the conductor is stopped. What leaves nothing
// behind ends with its caller.
func (c *Conductor) runDetached(ctx context.Context, r *run) (Trace, error) {
	ctx, leave := r.period.Enter(ctx, !r.ephemeral)
	defer leave()
	trace, err := r.run(ctx)
	if err != nil && r.period.Err() != nil {
		return trace, fault.New(fault.Unavailable, "conductor_stopping",
			"the service is stopping, and the run %s has not finished", r.request.ID).
			WithFix("the run continues when the service is back: send the same request again with the same idempotency_key")
	}
	return trace, err
}

// Begin lets runs go on until ctx ends or Stop is called, under its lease if it has one.
func (c *Conductor) Begin(ctx context.Context) {
	c.numbering.Lock()
	defer c.numbering.Unlock()
	c.now.Store(underway.NewPeriod(ctx))
	c.number = 0
}

// Stop ends the runs, which go on when the service is back, and waits for them. No others go on before Begin.
func (c *Conductor) Stop() { c.now.Load().Stop() }

// Check refuses what the schema cannot, as checking.Request does.
func (c *Conductor) Check(request planning.Request) error {
	return checking.Request(request, c.choice.Candidates)
}

// earlierTrace returns the trace of the run that an idempotency key named first. If an answer has let the run go on, that
// is waited for, as the answer waits.
//
// Implements: ORC-298
func (c *Conductor) earlierTrace(ctx context.Context, caller Caller, asked Asked) (t Trace, found bool, err error) {
	var first state.Request
	var said state.Event
	read := func(v state.View) error {
		id, err := v.RunOf(asked.keyOwner(caller), asked.IdempotencyKey)
		if err != nil || id == "" {
			return err
		}
		if first, found, err = v.Request(id); err != nil || !found {
			return err
		}
		if said, _, err = v.Event(id, eventUtterance); err != nil {
			return err
		}
		t, _, err = trace.At(v, id, c.Clock())
		return err
	}
	err = c.state.View(ctx, read)
	if err == nil && t.ID != "" && !first.Ended && asked.sameAs(first.Request, said.What) {
		asked.OnWait()
		if err = c.goneOnWith.Wait(ctx, first.ID); err == nil {
			err = c.state.View(ctx, read)
		}
	}
	switch {
	case err != nil || !found:
		return t, false, err
	case first.Caller != caller || !asked.sameAs(first.Request, said.What):
		return Trace{}, false, fault.New(fault.Conflict, "idempotency_conflict",
			"the idempotency_key was used for another request").WithFix("use a new one")
	case t.ID == "" || !first.Ended:
		return t, false, underway.Refusal("the run " + first.ID)
	}
	return t, true, nil
}

// begin numbers a run. It is stored with the first step that has to be on record before something happens.
func (c *Conductor) begin(ctx context.Context, caller Caller,
	request planning.Request) (begun state.Request, err error) {
	c.numbering.Lock()
	defer c.numbering.Unlock()
	if c.number == 0 { // what was numbered before this period, here or elsewhere
		err = c.state.View(ctx, func(v state.View) (err error) {
			c.number, err = v.Count()
			return err
		})
		if err != nil {
			return begun, err
		}
	}
	begun = state.Request{Number: c.number + 1, Caller: caller, Request: request}
	if err = begun.Name(c.Tools.Digest()); err == nil {
		c.number++
	}
	return begun, err
}

// beginUnrecorded begins a run that is not kept. It has no number, since no list contains it.
func (c *Conductor) beginUnrecorded(_ context.Context, caller Caller, request planning.Request) (state.Request, error) {
	begun := state.Request{Caller: caller, Request: request}
	err := begun.Name(c.Tools.Digest())
	return begun, err
}

// Unfinished returns the runs that have begun to change something and have not ended. Before the first request is
// taken, these are the runs that were cut off.
func (c *Conductor) Unfinished(ctx context.Context) (cut []state.Request, err error) {
	err = c.state.View(ctx, func(v state.View) (err error) {
		cut, err = v.Open()
		return err
	})
	return cut, err
}

// Resume continues a run that was cut off: what is recorded of it counts, and the rest is run.
func (c *Conductor) Resume(ctx context.Context, cut state.Request) (Trace, error) {
	r := c.newRun(cut)
	r.resumed = true
	var err error
	if r.earlier, err = earlierOf(ctx, c.state, cut.ID); err != nil {
		return Trace{}, err
	}
	return c.runDetached(ctx, r)
}

// Trace returns the trace of a run, as it was answered.
func (c *Conductor) Trace(ctx context.Context, id string) (raw jsontext.Value, err error) {
	err = c.state.View(ctx, func(v state.View) (err error) {
		_, raw, err = trace.At(v, id, c.Clock())
		return err
	})
	if err == nil && raw == nil {
		err = fault.New(fault.NotFound, "unknown_run", "there is no trace of a run %q", fault.Clip(id, 64)).
			WithFix("GET /obligations lists the runs; a run in progress has no trace yet, and a viewer's run is not kept")
	}
	return raw, err
}
