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
	"orchestrator/internal/conductor/state"
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
