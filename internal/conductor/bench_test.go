package conductor

import (
	"context"
	"slices"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/evaluating"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
	"orchestrator/schemas"
)

var ada = Caller{Name: "ada", Role: "coder"}

// fake is a tool of a test, which counts its runs.
type fake struct {
	contract planning.Contract
	run      func(in tools.In) (map[string]any, error)
	again    func(ctx context.Context, result map[string]any) error
	runs     *int
	hangs    bool // until its time is over
}

func named(name, satisfies string, change ...func(*fake)) fake {
	f := fake{
		contract: planning.Contract{
			Name: name, Version: "1", Description: "A tool of a test.", Satisfies: []string{satisfies}, Produces: map[string]any{"type": "object"},
			Reliability: planning.High, Cost: planning.CostTiny, LatencyMS: 1, TimeoutMS: 1000, Verify: planning.CheckOff,
			Implementation: planning.Implementation{Means: planning.Builtin, Name: name},
		},
		run:  func(tools.In) (map[string]any, error) { return map[string]any{"value": name}, nil },
		runs: new(int),
	}
	for _, c := range change {
		c(&f)
	}
	return f
}

func outOfOrder(why string) func(*fake) {
	return func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) { return nil, fault.New(fault.Invalid, "no_luck", "%s", why) }
	}
}

// bench is a conductor over a ledger in memory.
type bench struct {
	*Conductor
	t      *testing.T
	store  *store.Memory
	ledger *ledger.Ledger
	now    *time.Time // what the clock says
}

// later moves the clock on.
func (b bench) later(by time.Duration) { *b.now = b.now.Add(by) }

func conductorOf(t *testing.T, s *store.Memory, fakes ...fake) bench {
	t.Helper()
	return conductorOn(t, s, s, fakes...)
}

// conductorOn is a conductor over a store that keeps what it has in memory.
func conductorOn(t *testing.T, on store.Store, s *store.Memory, fakes ...fake) bench {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l, err := ledger.Open(t.Context(), on, func() time.Time { return now })
	require.NoError(t, err)
	box := tools.Box()
	for _, f := range fakes {
		box = append(box, f.tool())
	}
	contracts := builtin.FactContracts()
	for _, b := range box {
		contracts = append(contracts, b.Contract)
	}
	registry, err := contract.Load(t.TempDir(), contracts)
	require.NoError(t, err)
	c := New(l, Options{Tools: registry, Box: box, Root: t.TempDir(), Clock: func() time.Time { return now }, Deterministic: true})
	c.evaluators = evaluating.New(registry, tools.Box(), c.stateTools) // the fakes are not of the box
	return bench{c, t, s, l, &now}
}

func ob(typ planning.Type, kind string, more ...any) planning.Obligation {
	payload := map[string]any{"kind": kind}
	for i := 0; i < len(more); i += 2 {
		payload[more[i].(string)] = more[i+1]
	}
	return planning.Obligation{Type: typ, Payload: payload}
}

// conduct runs obligations, and holds what every trace has to be.
func (b bench) conduct(all ...planning.Obligation) Trace {
	b.t.Helper()
	trace, err := b.Conduct(b.t.Context(), ada, planning.Request{Obligations: all})
	require.NoError(b.t, err)
	b.kept(trace)
	return trace
}

// raw returns a trace as it is kept.
func raw(t *testing.T, trace Trace) string {
	t.Helper()
	encoded, err := ledger.Encode(trace)
	require.NoError(t, err)
	return string(encoded)
}

// violationsOf holds an obligation against its schema.
func violationsOf(t *testing.T, o planning.Obligation) []fault.Field {
	t.Helper()
	encoded, err := ledger.Encode(planning.Request{Obligations: []planning.Obligation{o}})
	require.NoError(t, err)
	var value any
	require.NoError(t, jsonv2.Unmarshal(encoded, &value))
	return schemas.Violations(schemas.Obligations, value)
}

// kept holds what every trace has to be.
func (b bench) kept(trace Trace) {
	b.t.Helper()
	raw, err := b.Trace(b.t.Context(), trace.ID)
	require.NoError(b.t, err)
	answered, err := ledger.Encode(trace)
	require.NoError(b.t, err)
	require.Equal(b.t, string(answered), string(raw), "the trace is kept as it was answered")
	var value any
	require.NoError(b.t, jsonv2.Unmarshal(raw, &value))
	if !slices.ContainsFunc(trace.Obligations, func(o ObligationTrace) bool { return o.Refusal != nil }) { // which HTTP tells as a problem
		require.Empty(b.t, schemas.Violations(schemas.Trace, value))
	}
	listed, err := b.Summary(b.t.Context(), trace.ID)
	require.NoError(b.t, err)
	require.True(b.t, listed.Ended)
	for _, o := range listed.Obligations {
		waits := false
		for t := range trace.Each() {
			waits = waits || t.ID == o.ID && t.Outcome == planning.OutClarify
		}
		require.True(b.t, o.Status != planning.Active || waits, "only what waits for a CLARIFY stays active: %v", o)
	}
}

func fact(subject, predicate, object string) map[string]any {
	return map[string]any{"subject": subject, "predicate": predicate, "object": object}
}

func texts(trace Trace) []string {
	all := []string{}
	for _, a := range trace.Answers {
		all = append(all, a.Text)
	}
	return all
}

func withInput(name string) func(*fake) {
	return func(f *fake) {
		f.contract.Consumes = []planning.Input{{Name: name, Schema: map[string]any{}, Required: true}}
	}
}
