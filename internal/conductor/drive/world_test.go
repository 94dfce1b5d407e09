package drive

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// way is the life of a requirement in the world: two parts and two moves.
var way = []struct {
	status     lifecycle.Status
	role, kind string
}{
	{"planned", "architect", "requirement.design_spec"},
	{"designed", "coder", "requirement.implementation"},
	{"built", "pm", "requirement.status"},
}

// world is a project and the conductor that works on it.
type world struct {
	turn    sync.Mutex
	order   []string
	at      map[string]int // index into way; len(way) is done
	status  map[string]lifecycle.Status
	depends map[string][]string
	fails   map[string]conductor.Run // by kind: what every attempt comes to
	missing map[string]bool          // kinds without a tool
	clarify map[string]bool
	broken  error  // of the conductor
	noBlock bool   // a requirement cannot be blocked
	claimed string // who has claimed the work of the coder
	deadEnd string // why it could not come back from there
	bare    bool   // nothing needs anything
	built   bool   // there is an implementation
	looked  int    // how often evidence was looked up again
	look    error

	truncated bool // every attempt ends for want of a budget
	under     func(id string) string

	agent    *usage.Usage // what each run reports, being one of an agent
	trees    *trees
	recorded []string
	noRecord error
	to       lifecycle.Status // of the moves; "" where it does not matter

	conducted []string // requirement and kind, as they began
	blocked   map[string]string
	running   int
	most      int
	during    func(id string)
}

func newWorld(ids ...string) *world {
	w := &world{order: ids, at: map[string]int{}, status: map[string]lifecycle.Status{}, depends: map[string][]string{}, blocked: map[string]string{}}
	w.fails, w.missing, w.clarify = map[string]conductor.Run{}, map[string]bool{}, map[string]bool{}
	return w
}

func (w *world) Select(_ context.Context, ids []string) (all []Requirement, err error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	for _, id := range ids {
		if !slices.Contains(w.order, id) {
			return nil, errors.New("there is no " + id)
		}
	}
	for _, id := range w.order {
		if len(ids) == 0 || slices.Contains(ids, id) {
			all = append(all, Requirement{ID: id, Status: w.stands(id), DependsOn: w.depends[id], Moves: len(way) - w.at[id]})
		}
	}
	return all, nil
}

func (w *world) stands(id string) lifecycle.Status {
	switch {
	case w.status[id] != "":
		return w.status[id]
	case w.at[id] == len(way):
		return done
	}
	return way[w.at[id]].status
}

func (w *world) Position(_ context.Context, id string) (Position, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	s := Position{Status: w.stands(id), Moves: len(way) - w.at[id], Built: w.built}
	if s.Status == done || w.status[id] != "" {
		s.Why = "it is " + string(s.Status)
		return s, nil
	}
	at := way[w.at[id]]
	s.Work = []builtin.Work{{Role: at.role, Obligation: w.obligation(id, at.kind), Needs: []string{"the rest"}}}
	if w.bare {
		s.Work[0].Needs = nil
	}
	if w.to != "" {
		s.Work[0].Obligation.Payload["status"] = string(w.to)
	}
	return s, nil
}

func (w *world) obligation(id, kind string) planning.Obligation {
	return planning.Obligation{Type: planning.Achieve, Payload: map[string]any{"kind": kind, "id": id, "status": "next"}}
}

func (w *world) Claimed(_ context.Context, id, role string) (string, error) {
	if id == "lost" {
		return "", errors.New("the store is gone")
	}
	if role == "coder" {
		return w.claimed, nil
	}
	return "", nil
}

func (w *world) NoWayBack(_ context.Context, _ string, to lifecycle.Status) (string, error) {
	if to != blocked {
		return "", errors.New("asked for another status")
	}
	return w.deadEnd, nil
}

func (w *world) Block(_ context.Context, id, reason string) (planning.Obligation, error) {
	o := w.obligation(id, "requirement.status")
	o.Payload["status"], o.Payload["reason"] = blocked, reason
	return o, nil
}

func (w *world) LookAgain(context.Context) error {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.looked++
	return w.look
}

func (w *world) Record(_ context.Context, _ conductor.Caller, id string, kind Finding, text string) error {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.recorded = append(w.recorded, string(kind)+" "+id+": "+text)
	return w.noRecord
}

func (w *world) ActiveRun(_ context.Context, id string) (string, error) {
	if w.under == nil {
		return "", nil
	}
	return w.under(id), nil
}

func (w *world) Plan(_ context.Context, _ conductor.Caller, r planning.Request) (conductor.Plan, error) {
	o := r.Obligations[0]
	one := conductor.ObligationPlan{Obligation: o}
	if !w.missing[o.Kind()] {
		one.Candidates = []conductor.Candidate{{Tool: "a.tool", Taken: true, Reason: "it would run"}}
	}
	return conductor.Plan{Obligations: []conductor.ObligationPlan{one}}, nil
}

func (w *world) Conduct(_ context.Context, _ conductor.Caller, r planning.Request) (conductor.Trace, error) {
	o := r.Obligations[0]
	id, _ := o.Payload["id"].(string)
	w.turn.Lock()
	w.conducted = append(w.conducted, id+" "+o.Kind())
	w.running++
	w.most = max(w.most, w.running)
	w.turn.Unlock()
	if w.during != nil {
		w.during(id)
	}
	w.turn.Lock()
	defer w.turn.Unlock()
	w.running--
	of := conductor.ObligationTrace{Obligation: o, Outcome: planning.OutResolved, Runs: []conductor.Run{{Tool: "a.tool", Status: "done"}}, Candidates: []conductor.Candidate{{Tool: "a.tool", Taken: true, Reason: "succeeded"}}}
	of.Runs[0].Agent, of.Runs[0].Usage = w.agent != nil, w.agent
	trace := conductor.Trace{ID: "run", Status: planning.OutResolved}
	failed, fails := w.fails[o.Kind()]
	switch {
	case w.broken != nil:
		return trace, w.broken
	case o.Payload["status"] == blocked && w.noBlock:
		of.Outcome, of.Candidates[0].Reason = planning.OutFailed, "it may not"
	case o.Payload["status"] == blocked:
		w.status[id], w.blocked[id] = blocked, o.Payload["reason"].(string)
	case w.truncated:
		of.Outcome, of.Candidates[0].Reason = planning.OutTruncated, "it failed"
	case w.missing[o.Kind()]:
		of = conductor.ObligationTrace{Obligation: o, Outcome: planning.OutFailed, Why: "no tool satisfies it"}
		trace.Missing = []string{o.String()}
	case w.clarify[o.Kind()]:
		of = conductor.ObligationTrace{Obligation: o, Outcome: planning.OutClarify, Why: "it needs a branch"}
	case fails:
		of.Outcome, of.Why, of.Runs = planning.OutFailed, "nothing did", []conductor.Run{failed}
		of.Candidates[0].Reason = "it failed"
	default:
		w.at[id]++
	}
	trace.Status, trace.Obligations = of.Outcome, []conductor.ObligationTrace{of}
	return trace, nil
}

var pm = conductor.Caller{Name: "ann", Role: "pm"}

// drive carries an order out, and gives all that was told besides the report.
func (w *world) drive(t *testing.T, o Order) (Report, []Event) {
	t.Helper()
	var told []Event
	if o.Caller.Role == "" {
		o.Caller = pm
	}
	d := &Driver{Project: w, Conductor: w}
	if w.trees != nil {
		d.Trees = w.trees
	}
	report, err := d.Drive(t.Context(), o, func(e Event) { told = append(told, e) })
	require.NoError(t, err)
	require.Equal(t, &report, told[len(told)-1].Report, "the report is the last event")
	return report, told
}

// again is a world in which tests fail, and are gone back from.
type again struct {
	*world
	failed bool
}

func (a *again) Position(ctx context.Context, id string) (Position, error) {
	s, err := a.world.Position(ctx, id)
	if a.failed && s.Status != blocked {
		s.Status = testedFail
	}
	return s, err
}

func (a *again) Conduct(ctx context.Context, c conductor.Caller, r planning.Request) (conductor.Trace, error) {
	trace, err := a.world.Conduct(ctx, c, r)
	a.at["A"] = 0
	a.failed = !a.failed
	return trace, err
}
