package replay_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

var cody = audit.Actor{Name: "cody", Role: string(lifecycle.Coder)}

// imported opens the ledger of a store, and imports two requirements into it.
func imported(t *testing.T, s store.Store) *ledger.Ledger {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	l, err := ledger.Open(t.Context(), s, clock)
	require.NoError(t, err)
	service, err := requirements.Open(t.Context(), l, clock, requirements.Options{Workflow: lifecycle.V1})
	require.NoError(t, err)
	documents := func() ([]reqdoc.File, error) {
		const text = "# Demo\n\n- **REQ-001**: The login works.\n- **REQ-002**: The logout works.\n"
		return []reqdoc.File{{Path: "REQUIREMENTS.md", Content: []byte(text)}}, nil
	}
	pm := lifecycle.Actor{Name: "paula", Role: lifecycle.PM}
	_, err = service.Import(t.Context(), pm, documents, requirements.ImportOptions{})
	require.NoError(t, err)
	return l
}

// verify opens a store a second time, and replays its log.
func verify(t *testing.T, s store.Store) error {
	t.Helper()
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	_, err = replay.Verify(t.Context(), l, nil, nil)
	return err
}

// What the conductor knows is no more than the log says.
//
// Verifies: ORC-282
func TestVerifyFollowsTheConductor(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(tx store.Tx) error
		want  string
	}{
		"as it was": {},
		"a row moved": {func(tx store.Tx) error { return tx.Put("ir", "run0/count/request", []byte(`7`)) },
			`table ir, "run0/count/request" is not what the log amounts to`},
		"a row lost": {func(tx store.Tx) error { return tx.Delete("ir", "held/user:ada/name") },
			`table ir lacks "held/user:ada/name"`},
		"a row added": {func(tx store.Tx) error { return tx.Put("ir", "held/x/y", []byte(`[]`)) },
			`table ir has "held/x/y"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			known := state.New(imported(t, s))
			o := planning.Obligation{Type: planning.Report,
				Payload: map[string]any{"kind": "query.math", "n": 1.50, "text": "<é>"}}
			require.NoError(t, known.Step(t.Context(), "r1", "begun", cody, func(w *state.Writer) error {
				return errors.Join(w.Obligation(state.Obligation{ID: "o1", Status: planning.Active, Of: o}),
					w.Request(state.Request{ID: "r1", Number: 1, Caller: cody}))
			}))
			for _, object := range []any{"Ada", "Ada Lovelace"} {
				require.NoError(t, known.Step(t.Context(), "r1", "tool ended", cody, func(w *state.Writer) error {
					return w.Assert(state.Assertion{ID: object.(string), Subject: "user:ada", Predicate: "name",
						Object: object, Confidence: 1}, state.Single)
				}))
			}
			if c.spoil != nil {
				require.NoError(t, s.Update(t.Context(), c.spoil))
			}
			err := verify(t, s)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestVerifyHoldsAStepToItsRun(t *testing.T) {
	s := store.NewMemory()
	l := imported(t, s)
	require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
		return tx.Append(ledger.Event{Kind: state.KindStepped, Actor: cody, Subject: "REQ-001",
			Data: state.Stepped{Run: "r1", Step: "s", Rows: []state.Row{{Key: "a/1", Value: []byte(`1`)}}}})
	}))
	require.ErrorContains(t, verify(t, s), "a step of conductor/r1 is about")
}
