package conductor

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// project is one of a test, with one requirement. A change moves it unless refuse says why not; ignore makes it lie about that.
type project struct {
	requirement builtin.Requirement
	refuse      error
	cut         func() // what else happens while a change is made
	ignore      bool
	moves       bool // each reading finds another status
	log         builtin.LogCheck
	changes     []builtin.Change
	queries     []builtin.Query
	refusals    []builtin.Refusals
	asked       []string // role of each Next
	reads       int
	due         func() []builtin.Work
	briefings   []builtin.Briefing
	unwritten   error // no prompt can be written
	stored      builtin.Parts
}

func (p *project) Status(context.Context) (builtin.ProjectStatus, error) {
	return builtin.ProjectStatus{Counts: map[lifecycle.Status]int{"planned": 1}, Total: 1}, nil
}

func (p *project) Requirement(_ context.Context, id string) (builtin.Requirement, error) {
	p.reads++
	if id != p.requirement.ID {
		return builtin.Requirement{}, fault.New(fault.NotFound, "unknown_requirement", "there is no requirement %q", id)
	}
	if p.moves && p.reads > 1 {
		p.requirement.Status = "blocked"
	}
	return p.requirement, nil
}

func (p *project) Stored(context.Context, string) (builtin.Parts, error) { return p.stored, nil }

func (p *project) Next(_ context.Context, _, role string) (builtin.NextSteps, error) {
	p.asked = append(p.asked, role)
	return builtin.NextSteps{Steps: []builtin.NextStep{{ID: "REQ-1", By: lifecycle.Party(role), Do: "move it to planned"}}}, nil
}

func (p *project) Missing(_ context.Context, id string) (builtin.Missing, error) {
	return builtin.Missing{ID: id, Status: "planned", Moves: 7, Lacks: []builtin.Lacking{{What: "a design_spec", By: "architect", With: "PATCH with design_spec"}}}, nil
}

func (p *project) Query(_ context.Context, q builtin.Query) (builtin.RequirementList, error) {
	p.queries = append(p.queries, q)
	return builtin.RequirementList{Requirements: []builtin.Requirement{p.requirement}}, nil
}

func (p *project) Change(_ context.Context, c builtin.Change) error {
	p.changes = append(p.changes, c)
	if p.cut != nil {
		p.cut()
	}
	if p.refuse != nil {
		return p.refuse
	}
	if status, is := c.Members["status"].(string); is && !p.ignore {
		p.requirement.Status = lifecycle.Status(status)
	}
	return nil
}

func (p *project) Evidence(context.Context, string) (builtin.EvidenceCheck, error) {
	return builtin.EvidenceCheck{Problems: []string{"/test/evidence/0: the file is gone"}, Cited: 1}, nil
}

func (p *project) Work(_ context.Context, id string) ([]builtin.Work, error) {
	if id != p.requirement.ID {
		return nil, fault.New(fault.NotFound, "unknown_requirement", "there is no requirement %q", id)
	}
	return p.due(), nil
}

func (p *project) Prompt(_ context.Context, b builtin.Briefing) (string, error) {
	p.briefings = append(p.briefings, b)
	return "you are " + b.Agent + ", " + b.Role, p.unwritten
}

func (p *project) Refusals(_ context.Context, q builtin.Refusals) (builtin.RefusalList, error) {
	p.refusals = append(p.refusals, q)
	return builtin.RefusalList{Refusals: []builtin.Refusal{{At: q.Since, By: "ada", Role: "pm", Of: "REQ-1", Code: "gate_unmet", Detail: "not yet", Times: 1, Record: 7}}}, nil
}

func (p *project) History(_ context.Context, id string) (builtin.History, error) {
	return builtin.History{ID: id, Status: p.requirement.Status}, nil
}

func (p *project) Acts(_ context.Context, id, did string) (builtin.Acts, error) {
	return builtin.Acts{ID: id, Status: p.requirement.Status, Did: did, Acts: []builtin.Act{{What: did, By: "ada", Role: "pm"}}}, nil
}

func (p *project) Complete(_ context.Context, o planning.Obligation) planning.Obligation { return o }

func (p *project) VerifyLog(context.Context) (builtin.LogCheck, error) { return p.log, nil }

// overProject is a conductor with the tools over a project.
func overProject(t *testing.T, s *store.Memory, p *project) bench {
	t.Helper()
	if p.requirement.ID == "" {
		p.requirement = builtin.Requirement{ID: "REQ-1", Status: "not_started", Title: "Log in"}
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	l, err := ledger.Open(t.Context(), s, clock)
	require.NoError(t, err)
	registry, err := contract.Load(t.TempDir(), append(builtin.FactContracts(), builtin.ProjectContracts()...))
	require.NoError(t, err)
	return bench{New(l, Options{Tools: registry, Project: p, Root: t.TempDir(), Clock: clock, Deterministic: true}), t, s, l, &now}
}

func TestReadingTheProject(t *testing.T) {
	p := &project{}
	b := overProject(t, store.NewMemory(), p)
	filters := map[string]any{"status": "not_started"}
	trace := b.conduct(ob(planning.Report, "project.status"), ob(planning.Report, "requirement.status", "id", "REQ-1"), ob(planning.Report, "requirement.next"),
		ob(planning.Report, "query.requirements", "filters", filters, "why", true, "after", "REQ-0", "limit", 5.0))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, []string{
		"The requirements of the project, 1 in all, by status: planned 1.", "REQ-1 is not_started (Log in).",
		"What is next:\n- REQ-1, coder: move it to planned", "Requirements (status not_started): 1.\n- REQ-1 is not_started (Log in)",
	}, texts(trace))
	for _, o := range trace.Obligations {
		require.Equal(t, &Verification{By: "again", With: []string{o.Runs[0].Tool}, Verified: true}, o.Verified, "the store is read a second time")
	}
	require.Equal(t, []string{"coder", "coder"}, p.asked, "the caller's own role, where none is named")
	require.Equal(t, builtin.Query{Status: "not_started", Why: true, After: "REQ-0", Limit: 5}, p.queries[0])

	trace = b.conduct(ob(planning.Report, "requirement.missing", "id", "REQ-1"))
	require.Equal(t, []string{"REQ-1 is planned, 7 moves from done. Missing:\n- a design_spec: PATCH with design_spec, by the architect"}, texts(trace))

	trace = b.conduct(ob(planning.Report, "requirement.status", "id", "REQ-9"))
	require.Equal(t, "unknown_requirement", string(trace.Obligations[0].Runs[0].Error.Code))
	require.Empty(t, trace.Answers)
	trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "query.requirements", "filters", map[string]any{"owner": "ada"})}})
	require.NoError(t, err)
	require.Empty(t, trace.Obligations[0].Runs, "a filter that does not exist narrows nothing")
}

// What moved between the first and the second reading is not answered.
func TestAReadingThatIsNotConfirmed(t *testing.T) {
	trace := overProject(t, store.NewMemory(), &project{moves: true}).conduct(ob(planning.Report, "requirement.status", "id", "REQ-1"))
	require.Equal(t, planning.OutFailed, trace.Status)
	require.True(t, trace.Answers[0].Uncertain)
	require.Nil(t, trace.Answers[0].Result)
}

// Verifies: ORC-284
func TestChangingARequirement(t *testing.T) {
	why := map[string]any{"reason": "it is time", "evidence": []any{map[string]any{"kind": "file", "path": "plan.md"}}}
	achieve := func(kind string, more ...any) planning.Obligation {
		return ob(planning.Achieve, kind, append([]any{"id", "REQ-1"}, more...)...)
	}
	t.Run("it is made by the caller, and read back", func(t *testing.T) {
		p := &project{}
		trace := overProject(t, store.NewMemory(), p).conduct(achieve("requirement.status", "status", "planned", "revision", 3.0, "justification", why))
		require.Equal(t, planning.OutResolved, trace.Status)
		require.Equal(t, []builtin.Change{{
			Caller: ada, ID: "REQ-1", Revision: 3, Members: map[string]any{"status": "planned", "justification": why}, Run: trace.ID, Key: "conductor: " + trace.ID + "/o1/1",
		}}, p.changes)
		require.Equal(t, "planned", trace.Obligations[0].Runs[0].Result["status"])
		require.Equal(t, 1, p.reads)
	})
	t.Run("what the store does not show is not believed", func(t *testing.T) {
		trace := overProject(t, store.NewMemory(), &project{ignore: true}).conduct(achieve("requirement.status", "status", "planned"))
		require.Equal(t, planning.OutFailed, trace.Status)
		require.Contains(t, trace.Obligations[0].Why, "result.status == payload.status")
		trace = overProject(t, store.NewMemory(), &project{}).conduct(achieve("requirement.design_spec", "design_spec", map[string]any{"summary": "x"}))
		require.Equal(t, planning.OutFailed, trace.Status, "no design_spec stands")
	})
	t.Run("a refusal has its code, detail and fix", func(t *testing.T) {
		refusal := fault.New(fault.Forbidden, "field_forbidden", "not for role coder").WithFields(fault.Field{Pointer: "/status", Detail: "is for pm"}).WithFix("ask the pm")
		trace := overProject(t, store.NewMemory(), &project{refuse: errors.Join(refusal)}).conduct(achieve("requirement.status", "status", "planned"))
		failed := trace.Obligations[0].Runs[0].Error
		require.Equal(t, []string{"field_forbidden", "not for role coder (/status is for pm)", "ask the pm"}, []string{string(failed.Code), failed.Detail, failed.Fix})
		require.Equal(t, planning.Justify, trace.Obligations[0].Emitted[0].Obligation.Type)
	})
	t.Run("work that somebody else is to do is left to others", func(t *testing.T) {
		p := &project{}
		for _, kind := range []string{"requirement.design_spec", "requirement.implementation", "requirement.test", "requirement.signoff"} {
			require.Empty(t, overProject(t, store.NewMemory(), p).conduct(achieve(kind)).Obligations[0].Runs, "%s without the work itself", kind)
		}
		require.Empty(t, p.changes)
	})
	t.Run("what is known of the caller is no part of a change", func(t *testing.T) {
		p := &project{}
		b := overProject(t, store.NewMemory(), p)
		b.conduct(ob(planning.Achieve, "ir.assert", "facts", []any{map[string]any{"subject": "user", "predicate": "pm_notes", "object": "x"}}))
		b.conduct(achieve("requirement.status", "status", "planned"))
		require.Equal(t, map[string]any{"status": "planned"}, p.changes[0].Members)
	})
}

// A change whose outcome is unknown is asked for again under the same key, with which it is made once.
func TestAChangeThatWasCutOff(t *testing.T) {
	s := store.NewMemory()
	p := &project{refuse: context.Canceled}
	b := overProject(t, s, p)
	p.cut = b.stop // the service ends while it is made
	_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "requirement.status", "id", "REQ-1", "status", "planned")}})
	require.ErrorIs(t, err, fault.Unavailable)

	p.refuse, p.cut = nil, nil
	b = overProject(t, s, p)
	left, err := b.Unfinished(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	trace, err := b.Resume(t.Context(), left[0])
	require.NoError(t, err)
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Len(t, p.changes, 2)
	require.Equal(t, p.changes[0], p.changes[1], "under the same key")
}

func TestVerifyingTheProject(t *testing.T) {
	p := &project{log: builtin.LogCheck{Records: 7}}
	b := overProject(t, store.NewMemory(), p)
	trace := b.conduct(ob(planning.Verify, "audit"))
	require.Equal(t, planning.OutResolved, trace.Status)
	trace = b.conduct(ob(planning.Verify, "requirement.evidence", "id", "REQ-1"))
	require.Equal(t, planning.OutFailed, trace.Status)
	require.Contains(t, trace.Obligations[0].Why, "the file is gone", "it says what is wrong")
	attempts := trace.Obligations[0].Emitted[0].Obligation.Payload["attempts"].([]any)
	require.Contains(t, attempts[0].(map[string]any)["why"], "the file is gone")
}

// Without a project there are no such tools, even where a contract names one.
func TestWithoutAProject(t *testing.T) {
	trace := conductorOf(t, store.NewMemory()).conduct(ob(planning.Report, "project.status"))
	require.Equal(t, []string{"REPORT(project.status)"}, trace.Missing)
}

// Conditions may ask for the state of the project.
func TestConditionsOnTheState(t *testing.T) {
	for condition, want := range map[string]planning.Outcome{"state.counts.planned == 1": planning.OutResolved, "state.total > 1": planning.OutGuardrail} {
		b := overProject(t, store.NewMemory(), &project{})
		trace := b.conduct(ob(planning.Maintain, "g", "condition", condition), ob(planning.Report, "project.status"))
		require.Equal(t, want, trace.Status, condition)
	}
	trace := conductorOf(t, store.NewMemory()).conduct(ob(planning.Maintain, "g", "condition", "state.total == 1"))
	require.Equal(t, planning.OutGuardrail, trace.Status, "without a project it cannot be told")
}

// Who asks for a move and says neither where to nor why is asked for both, and the move is made with both.
//
// Verifies: ORC-245
func TestAMoveThatLacksAllIsAskedForAll(t *testing.T) {
	why := map[string]any{"reason": "agreed", "evidence": []any{map[string]any{"kind": "commit", "commit": "abcdef1"}}}
	for name, all := range map[string][]planning.Obligation{
		"alone":  {ob(planning.Achieve, "requirement.status", "id", "REQ-1")},
		"a step": {plan(ob(planning.Achieve, "requirement.status", "id", "REQ-1"))},
	} {
		t.Run(name, func(t *testing.T) {
			p := &project{}
			b := overProject(t, store.NewMemory(), p)
			run := b.conduct(all...)
			require.Equal(t, planning.OutClarify, run.Status)
			require.Equal(t, "it needs justification, status", run.Obligations[0].Why)
			half := b.reply(run.ID, Reply{Slot: "status", Value: "planned"})
			require.Equal(t, planning.OutClarify, half.Status, half.Obligations[0].Why)
			require.Equal(t, "it needs justification", half.Obligations[0].Why)
			require.Empty(t, p.changes)
			done := b.reply(run.ID, Reply{Slot: "justification", Value: why})
			require.Equal(t, planning.OutResolved, done.Status, done.Obligations[0].Why)
			require.Equal(t, map[string]any{"status": "planned", "justification": why}, p.changes[0].Members)
		})
	}
}
