package drive

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// The statuses as obligations name them.
const (
	done       = "done"
	blocked    = "blocked"
	testedFail = "tested_fail"
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

// Verifies: ORC-291
func TestARequirementIsDrivenToDone(t *testing.T) {
	w := newWorld("A")
	report, told := w.drive(t, Order{})
	require.Equal(t, []End{{Requirement: "A", Status: done, Outcome: Done, Steps: 3}}, report.Requirements)
	require.Equal(t, map[Outcome]int{Done: 1}, report.Outcomes)
	require.Equal(t, 3, report.Steps)
	require.Equal(t, "1 requirement, 3 steps: 1 done", report.String())
	require.Equal(t, []string{"A requirement.design_spec", "A requirement.implementation", "A requirement.status"}, w.conducted)
	require.Equal(t, &Scope{Requirements: 1, Moves: 3}, told[0].Order)
	require.Equal(t, &Begun{"A", "architect", "ACHIEVE(requirement.design_spec)", 3}, told[1].Begun)
	require.Equal(t, &Step{
		Number: 1, Requirement: "A", Role: "architect", Obligation: "ACHIEVE(requirement.design_spec)", Run: "run", Tool: "a.tool",
		Outcome: planning.OutResolved, From: "planned", To: "designed", Moves: 2,
	}, told[2].Step)
	require.Equal(t, lifecycle.Done, told[6].Step.To)
	require.Equal(t, Done, told[7].End.Outcome)
	require.Len(t, told, 9)
}

// Verifies: ORC-291
func TestHowRequirementsEnd(t *testing.T) {
	failed := func(code fault.Code) conductor.Run {
		return conductor.Run{Tool: "a.tool", Status: "failed", Error: &state.Failure{Code: code, Detail: "broken", Fix: map[bool]string{true: "look again"}[code == "tool_unreachable"]}}
	}
	for name, c := range map[string]struct {
		world func(w *world)
		order Order
		end   End
	}{
		"done before":          {func(w *world) { w.at["A"] = len(way) }, Order{}, End{Status: done, Outcome: Done}},
		"blocked before":       {func(w *world) { w.status["A"] = blocked }, Order{}, End{Status: blocked, Outcome: Blocked, Why: "it is blocked"}},
		"deferred by somebody": {func(w *world) { w.status["A"] = "deferred" }, Order{}, End{Status: "deferred", Outcome: Waiting, Why: "it is deferred"}},
		"for another role": {nil, Order{Roles: []string{"architect", "pm"}},
			End{Status: "designed", Outcome: Waiting, Why: "for the coder: ACHIEVE(requirement.implementation): the rest", Steps: 1}},
		"no step left":   {nil, Order{MaxSteps: 2}, End{Status: "built", Outcome: Stopped, Why: "max_steps is exhausted", Steps: 2}},
		"no tool":        {func(w *world) { w.missing["requirement.implementation"] = true }, Order{}, End{Status: "designed", Outcome: Waiting, Why: "for the coder: ACHIEVE(requirement.implementation): the rest; there is no agent for it: declare one in the folder tools, or do the work yourself", Steps: 2}},
		"a question":     {func(w *world) { w.clarify["requirement.design_spec"] = true }, Order{}, End{Status: "planned", Outcome: Waiting, Why: "for the architect: ACHIEVE(requirement.design_spec): the rest; there is no agent for it: declare one in the folder tools, or do the work yourself", Steps: 1}},
		"the tool fails": {func(w *world) { w.fails["requirement.design_spec"] = failed("tool_failed") }, Order{}, End{Status: blocked, Outcome: Blocked, Why: "a.tool: it failed", Steps: 2}},
		"the tool does not do": {func(w *world) { w.fails["requirement.design_spec"] = conductor.Run{Status: "refused"} }, Order{},
			End{Status: blocked, Outcome: Blocked, Why: "a.tool: it failed", Steps: 2}},
		"the tool is not there": {func(w *world) { w.fails["requirement.design_spec"] = failed("tool_missing") }, Order{},
			End{Status: "planned", Outcome: Waiting, Why: "for the architect: ACHIEVE(requirement.design_spec): the rest; a.tool: it failed", Steps: 1}},
		"a budget is used up": {func(w *world) { w.truncated = true }, Order{}, End{Status: "planned", Outcome: Waiting, Why: "for the architect: ACHIEVE(requirement.design_spec): the rest; a.tool: it failed", Steps: 1}},
		"a move is refused": {func(w *world) {
			w.at["A"], w.bare, w.fails["requirement.status"] = 2, true, failed("evidence_not_found")
		}, Order{},
			End{Status: "built", Outcome: Waiting, Why: "for the pm: ACHIEVE(requirement.status) to next; a.tool: it failed; commit what the move cites: the document of the requirement, or the work", Steps: 1}},
		"a host does not answer": {func(w *world) { w.fails["requirement.design_spec"] = failed("tool_unreachable") }, Order{},
			End{Status: "planned", Outcome: Waiting, Why: "for the architect: ACHIEVE(requirement.design_spec): the rest; a.tool: it failed; look again", Steps: 1}},
		"only a pm blocks": {func(w *world) { w.fails["requirement.design_spec"] = failed("tool_failed") }, Order{Caller: conductor.Caller{Name: "bob", Role: "architect"}},
			End{Status: "planned", Outcome: Failed, Why: "a.tool: it failed; only a pm can block it", Steps: 1}},
		"it cannot be blocked": {func(w *world) { w.fails["requirement.design_spec"], w.noBlock = failed("tool_failed"), true }, Order{},
			End{Status: "planned", Outcome: Failed, Why: "a.tool: it failed; and it could not be blocked: a.tool: it may not", Steps: 2}},
		"the service fails": {func(w *world) { w.broken = errors.New("no disk") }, Order{}, End{Status: "planned", Outcome: Failed, Why: "no disk"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld("A")
			if c.world != nil {
				c.world(w)
			}
			report, _ := w.drive(t, c.order)
			c.end.Requirement = "A"
			require.Equal(t, []End{c.end}, report.Requirements)
			require.Equal(t, map[Outcome]int{c.end.Outcome: 1}, report.Outcomes)
			if c.end.Outcome == Blocked && w.blocked["A"] != "" {
				require.Equal(t, "given up on: "+c.end.Why, w.blocked["A"])
			}
		})
	}
}

// What somebody else brought about while a tool failed is gone on from.
func TestAFailureThatNoLongerMatters(t *testing.T) {
	w := newWorld("A")
	w.fails["requirement.design_spec"] = conductor.Run{Status: "refused"}
	w.during = func(id string) {
		w.turn.Lock()
		defer w.turn.Unlock()
		w.at[id] = max(w.at[id], 1)
	}
	report, _ := w.drive(t, Order{})
	require.Equal(t, Done, report.Requirements[0].Outcome)
}

// Tests that fail again and again end as blocked, whatever the workflow allows.
//
// Verifies: ORC-291
func TestTestsThatFailAgainAndAgain(t *testing.T) {
	w := newWorld("A")
	turns := &again{world: w}
	report, err := (&Driver{Project: turns, Conductor: turns}).Drive(t.Context(), Order{Caller: pm}, func(Event) {})
	require.NoError(t, err)
	require.Equal(t, Blocked, report.Requirements[0].Outcome)
	require.Equal(t, "its tests failed 4 times", report.Requirements[0].Why)
	require.Equal(t, 8, report.Steps, "four tests, three ways back, and the block")
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

// Verifies: ORC-291
func TestWhatIsDependedOnIsFirst(t *testing.T) {
	w := newWorld("A", "B", "C")
	w.depends["A"] = []string{"C"}
	report, _ := w.drive(t, Order{Parallel: 1})
	require.Equal(t, map[Outcome]int{Done: 3}, report.Outcomes)
	require.Equal(t, "A", report.Requirements[0].Requirement, "the report is in the order of the documents")
	require.Less(t, slices.Index(w.conducted, "C requirement.status"), slices.Index(w.conducted, "A requirement.design_spec"))
	require.Less(t, slices.Index(w.conducted, "B requirement.status"), slices.Index(w.conducted, "C requirement.design_spec"))

	w = newWorld("A", "B", "C", "D")
	w.depends["A"], w.depends["C"], w.depends["D"] = []string{"B"}, []string{"D"}, []string{"C"}
	w.status["B"] = blocked
	report, _ = w.drive(t, Order{Parallel: 4})
	require.Equal(t, map[Outcome]int{Blocked: 1, Waiting: 3}, report.Outcomes)
	require.Equal(t, End{Requirement: "A", Status: "planned", Outcome: Waiting, Why: "it depends on B, which is not done"}, report.Requirements[0])
	require.Equal(t, "it depends on D, which in turn depends on it: a cycle, which the documents have to resolve", report.Requirements[2].Why)

	report, _ = w.drive(t, Order{Requirements: []string{"A"}})
	require.Equal(t, "it depends on B, which is not done", report.Requirements[0].Why, "nor is what was not chosen")
	require.Empty(t, w.conducted)
}

// Verifies: ORC-291
func TestSoManyAtOnce(t *testing.T) {
	ids := []string{"A", "B", "C", "D", "E", "F"}
	w := newWorld(ids...)
	w.depends["F"] = []string{"A"}
	together := make(chan struct{})
	var once sync.Once
	w.during = func(string) {
		w.turn.Lock()
		running := w.running
		w.turn.Unlock()
		if running == 3 {
			once.Do(func() { close(together) })
		}
		<-together                        // nobody goes on before three run
		time.Sleep(20 * time.Millisecond) // in which a fourth would have begun
	}
	report, _ := w.drive(t, Order{Parallel: 3})
	require.Equal(t, map[Outcome]int{Done: 6}, report.Outcomes)
	require.Equal(t, 3, w.most)
	require.Equal(t, 18, report.Steps)
}

// Verifies: ORC-291
func TestOneRequirementIsDrivenOnce(t *testing.T) {
	w := newWorld("A", "B")
	d := &Driver{Project: w, Conductor: w}
	begun, on := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.during = func(id string) {
		if id == "A" {
			once.Do(func() { close(begun); <-on })
		}
	}
	first := make(chan Report)
	go func() {
		report, _ := d.Drive(t.Context(), Order{Caller: pm, Requirements: []string{"A"}}, func(Event) {})
		first <- report
	}()
	<-begun
	second, err := d.Drive(t.Context(), Order{Caller: pm}, func(Event) {})
	require.NoError(t, err)
	require.Equal(t, "already being driven by another request", second.Requirements[0].Why)
	require.Equal(t, Done, second.Requirements[1].Outcome)
	close(on)
	require.Equal(t, Done, (<-first).Requirements[0].Outcome)
	third, err := d.Drive(t.Context(), Order{Caller: pm}, func(Event) {})
	require.NoError(t, err)
	require.Equal(t, 2, third.Outcomes[Done], "it was given back")
}

// A run that somebody else has begun comes to its end first.
//
// Verifies: ORC-291
func TestARunUnderWayIsWaitedFor(t *testing.T) {
	w := newWorld("A")
	looks := 0
	w.under = func(string) string {
		if looks++; looks < 3 {
			require.Empty(t, w.conducted)
			return "another"
		}
		return ""
	}
	report, told := w.drive(t, Order{})
	require.Equal(t, Done, report.Requirements[0].Outcome)
	require.Equal(t, &Waits{"A", "another"}, told[1].Waits, "which is said once")
	require.NotNil(t, told[2].Begun)

	w = newWorld("A")
	ctx, cancel := context.WithCancel(t.Context())
	w.under = func(string) string { cancel(); return "another" }
	report, err := (&Driver{Project: w, Conductor: w}).Drive(ctx, Order{Caller: pm}, func(Event) {})
	require.NoError(t, err)
	require.Equal(t, End{Requirement: "A", Status: "planned", Outcome: Stopped, Why: callerGone}, report.Requirements[0])
}

// Who hangs up, or ends the service, has no further step begun; the one that runs comes to its end.
//
// Verifies: ORC-291
func TestDrivesEndBetweenSteps(t *testing.T) {
	w := newWorld("A")
	ctx, cancel := context.WithCancel(t.Context())
	w.during = func(string) { cancel() }
	report, err := (&Driver{Project: w, Conductor: w}).Drive(ctx, Order{Caller: pm}, func(Event) {})
	require.NoError(t, err)
	require.Equal(t, []End{{Requirement: "A", Status: "designed", Outcome: Stopped, Why: callerGone, Steps: 1}}, report.Requirements)

	draining := false
	w = newWorld("A")
	w.during = func(string) { draining = true }
	report, err = (&Driver{Project: w, Conductor: w, Draining: func() bool { return draining }}).Drive(t.Context(), Order{Caller: pm}, func(Event) {})
	require.NoError(t, err)
	require.Equal(t, []End{{Requirement: "A", Status: "designed", Outcome: Stopped, Why: "the service ends", Steps: 1}}, report.Requirements)
}

// Verifies: ORC-291
func TestPlan(t *testing.T) {
	w := newWorld("A", "B", "C", "D", "E")
	w.at["B"], w.at["C"], w.status["D"] = 1, 2, "deferred"
	w.depends["E"], w.missing["requirement.implementation"] = []string{"A"}, true
	d := &Driver{Project: w, Conductor: w}
	plan, err := d.Plan(t.Context(), Order{Caller: pm, Roles: []string{"architect", "coder"}})
	require.NoError(t, err)
	would := []conductor.Candidate{{Tool: "a.tool", Taken: true, Reason: "it would run"}}
	require.Equal(t, []Plan{
		{Requirement: "A", Status: "planned", Role: "architect", Obligation: "ACHIEVE(requirement.design_spec)", Needs: []string{"the rest"}, Tools: would},
		{Requirement: "B", Status: "designed", Role: "coder", Obligation: "ACHIEVE(requirement.implementation)", Needs: []string{"the rest"}, Why: "no tool satisfies ACHIEVE(requirement.implementation)"},
		{Requirement: "C", Status: "built", Role: "pm", Obligation: "ACHIEVE(requirement.status)", Needs: []string{"the rest"}, Tools: []conductor.Candidate{}, Why: "it waits for the pm"},
		{Requirement: "D", Status: "deferred", Tools: []conductor.Candidate{}, Why: "it is deferred"},
		{Requirement: "E", Status: "planned", Role: "architect", Obligation: "ACHIEVE(requirement.design_spec)", Needs: []string{"the rest"}, Tools: []conductor.Candidate{}, Why: "it depends on A, which is not done"},
	}, plan)
	require.Empty(t, w.conducted)
	_, err = d.Plan(t.Context(), Order{Caller: pm, Requirements: []string{"Z"}})
	require.ErrorContains(t, err, "there is no Z")
	_, err = d.Drive(t.Context(), Order{Caller: pm, Requirements: []string{"Z"}}, func(Event) { t.Fatal("nothing is told of an order that is refused") })
	require.ErrorContains(t, err, "there is no Z")
}

// A tool that fails again and again is broken, and blocks no further requirement.
func TestABrokenToolEndsAnOrder(t *testing.T) {
	w := newWorld("A", "B", "C", "D", "E")
	w.fails["requirement.design_spec"] = conductor.Run{Tool: "a.tool", Status: state.RunFailed, Error: &state.Failure{Code: "tool_failed"}}
	report, _ := w.drive(t, Order{})
	require.Equal(t, map[Outcome]int{Blocked: 3, Stopped: 2}, report.Outcomes)
	require.Equal(t, "a.tool failed 3 times in a row", report.Requirements[4].Why)

	w = newWorld("A", "B", "C", "D", "E")
	w.fails["requirement.design_spec"] = conductor.Run{Tool: "a.tool", Status: "refused"}
	report, _ = w.drive(t, Order{})
	require.Equal(t, map[Outcome]int{Blocked: 5}, report.Outcomes, "one that runs and does not do says something of the requirement")
}

// Where nothing leads back from blocked, a requirement is left where it is, whatever became of it.
//
// Verifies: ORC-143
func TestNothingIsDrivenIntoADeadEnd(t *testing.T) {
	w := newWorld("A", "B")
	w.deadEnd = "nothing leads back"
	w.fails["requirement.implementation"] = conductor.Run{Tool: "a.tool", Status: state.RunFailed, Error: &state.Failure{Code: "tool_failed"}}
	w.depends["B"] = []string{"A"}
	report, told := w.drive(t, Order{})
	require.Empty(t, w.blocked)
	require.Equal(t, map[Outcome]int{Waiting: 2}, report.Outcomes)
	end := report.Requirements[0]
	require.Equal(t, lifecycle.Status("designed"), end.Status)
	require.Contains(t, end.Why, "it failed; it was not blocked, since it could not come back: nothing leads back")
	require.Equal(t, 2, report.Steps, "the design, and the implementation that failed; no move to blocked")
	require.NotContains(t, w.conducted, "A requirement.status")
	require.NotEmpty(t, told)

	w = newWorld("A")
	w.deadEnd, w.fails["requirement.design_spec"] = "nothing leads back", conductor.Run{Tool: "a.tool", Status: state.RunFailed, Error: &state.Failure{Code: "tool_failed"}}
	report, _ = w.drive(t, Order{Caller: conductor.Caller{Name: "cody", Role: "coder"}})
	require.Equal(t, Waiting, report.Requirements[0].Outcome, "who may not block is told the same")
}

// What somebody else has claimed is theirs: the requirement waits for them, and nothing failed.
//
// Verifies: ORC-143
func TestAClaimIsWaitedFor(t *testing.T) {
	w := newWorld("A")
	w.claimed = "cody, who has claimed it until noon"
	report, _ := w.drive(t, Order{})
	require.Equal(t, []End{{Requirement: "A", Status: "designed", Outcome: Waiting, Steps: 1,
		Why: "for cody, who has claimed it until noon: ACHIEVE(requirement.implementation): the rest"}}, report.Requirements)

	w = newWorld("A")
	w.fails["requirement.design_spec"] = conductor.Run{Tool: "a.tool", Status: state.RunFailed, Error: &state.Failure{Code: "claimed"}}
	report, _ = w.drive(t, Order{})
	require.Equal(t, Waiting, report.Requirements[0].Outcome, "somebody was faster")
	require.Empty(t, w.blocked)

	w = newWorld("lost")
	report, _ = w.drive(t, Order{})
	require.Equal(t, Failed, report.Requirements[0].Outcome)
}
