package requirements

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/planning"
)

// What the conductor knows is no more than the log says.
func TestVerifyFollowsTheConductor(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(tx store.Tx) error
		want  string
	}{
		"as it was":   {},
		"a row moved": {func(tx store.Tx) error { return tx.Put("ir", "count/request", []byte(`7`)) }, `table ir, "count/request" is not what the log amounts to`},
		"a row lost":  {func(tx store.Tx) error { return tx.Delete("ir", "held/user:ada/name") }, `table ir lacks "held/user:ada/name"`},
		"a row added": {func(tx store.Tx) error { return tx.Put("ir", "held/x/y", []byte(`[]`)) }, `table ir has "held/x/y"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s)
			r.mustImport(twoRequirements)
			known := state.New(r.ledger)
			o := planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "n": 1.50, "text": "<é>"}}
			require.NoError(t, known.Step(t.Context(), "r1", "begun", record.Actor(cody), func(w *state.Writer) error {
				return errors.Join(w.Obligation(state.Obligation{ID: "o1", Status: planning.Active, Of: o}), w.Request(state.Request{ID: "r1", Number: 1, Caller: record.Actor(cody)}))
			}))
			for _, object := range []any{"Ada", "Ada Lovelace"} {
				require.NoError(t, known.Step(t.Context(), "r1", "tool ended", record.Actor(cody), func(w *state.Writer) error {
					return w.Assert(state.Assertion{ID: object.(string), Subject: "user:ada", Predicate: "name", Object: object, Confidence: 1}, true)
				}))
			}
			if c.spoil != nil {
				require.NoError(t, s.Update(t.Context(), c.spoil))
			}
			l, err := ledger.OpenReadOnly(t.Context(), s)
			require.NoError(t, err)
			_, err = replay.Verify(t.Context(), l, nil)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}
