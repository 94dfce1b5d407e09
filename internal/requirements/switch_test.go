package requirements

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// switchTo asks for another workflow.
func (r *rig) switchTo(who lifecycle.Actor, to, reason string) (Switched, error) {
	r.t.Helper()
	return r.SwitchWorkflow(r.t.Context(), choices.Switch{By: who, To: to, Reason: reason}, Refused{Request: "PUT /workflow", RequestID: "r"})
}

func (r *rig) mustSwitch(to string) {
	r.t.Helper()
	_, err := r.switchTo(paula, to, "because")
	require.NoError(r.t, err)
}

func workflow(w lifecycle.Workflow) func(*Options) { return func(o *Options) { o.Workflow = w } }

func TestTheLogHasTheWorkflow(t *testing.T) {
	s := store.NewMemory()
	require.Equal(t, "v1", start(t, s, workflow(lifecycle.Workflow{})).Workflow().Name)
	r := start(t, s, workflow(lifecycle.V1))
	r.mustImport(twoRequirements)
	r.must(paula, "REQ-001", move(lifecycle.Blocked))
	require.Contains(t, r.refused(paula, "REQ-001", move(lifecycle.NotStarted), "illegal_transition").Fix, "PUT /workflow")

	size := r.State().LogSize
	l, err := ledger.Open(t.Context(), s, r.clock.read)
	require.NoError(t, err)
	_, err = Open(t.Context(), l, r.clock.read, Options{Workflow: lifecycle.Rework})
	require.True(t, fault.Is(err, "workflow_on_record"), err)
	require.Contains(t, fault.As(err).Fix, "orchestrator workflow rework")
	require.Equal(t, size, l.Head().Size)

	r = start(t, s, workflow(lifecycle.Workflow{}))
	out, err := r.switchTo(paula, "rework", "work must return")
	require.NoError(t, err)
	require.Equal(t, Switched{To: "rework", Before: "v1", Exported: projection.ExportWritten, Receipt: out.Receipt}, out)
	require.Equal(t, size, out.Receipt.Index)
	require.Equal(t, "rework", r.Workflow().Name)
	require.Contains(t, string(r.record(size)), `"data":{"rules":4,"from":"v1","to":"rework","reason":"work must return"}`)
	r.must(paula, "REQ-001", move(lifecycle.NotStarted))
	require.Contains(t, string(r.record(size+1)), `"workflow":"rework"`)
	r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	require.Contains(t, string(r.record(size+2)), `"workflow":"rework"`)
	var export bytes.Buffer
	_, write := r.Project()
	require.NoError(t, write(&export))
	require.Contains(t, export.String(), `"workflow":"rework"`)

	size = r.State().LogSize
	out, err = r.switchTo(paula, "rework", "again")
	require.NoError(t, err)
	require.True(t, out.Unchanged)
	require.Equal(t, size, start(t, s, workflow(lifecycle.Workflow{})).State().LogSize, "the present workflow is no record")
	require.Equal(t, size, start(t, s, workflow(lifecycle.Rework)).State().LogSize)
	r.verified()
}

// record returns the bytes of one record.
func (r *rig) record(index uint64) []byte {
	r.t.Helper()
	raw, err := r.Record(r.t.Context(), index)
	require.NoError(r.t, err)
	return raw
}

func TestASwitchThatIsRefused(t *testing.T) {
	r := start(t, store.NewMemory(), workflow(lifecycle.Rework))
	r.mustImport(twoRequirements)
	for name, c := range map[string]struct {
		who        lifecycle.Actor
		to, reason string
		code       fault.Code
	}{
		"by a coder":       {cody, "v1", "r", "role_forbidden"},
		"to nothing":       {paula, "", "r", "unknown_workflow"},
		"to another one":   {paula, "agile", "r", "unknown_workflow"},
		"without a reason": {paula, "v1", " \n", "reason_required"},
		"too long":         {paula, "v1", strings.Repeat("r", 1001), "reason_too_long"},
		"with a secret":    {paula, "v1", "AKIAQYLPMN5HGLXXWZ4A", "secret_in_text"},
	} {
		size := r.State().LogSize
		_, err := r.switchTo(c.who, c.to, c.reason)
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
		require.NotEmpty(t, fault.As(err).Fix)
		require.Contains(t, string(r.record(size)), `"kind":"request.refused"`)
		require.NotContains(t, string(r.record(size)), "AKIA")
	}
	require.Equal(t, "rework", r.Workflow().Name)
	r.verified()
}

// Back under v1 goes a project alone of which nothing would be stranded: what is retired cannot be.
//
// Verifies: ORC-017
func TestASwitchStrandsNothing(t *testing.T) {
	var doc strings.Builder
	for i := range 25 {
		fmt.Fprintf(&doc, "- **REQ-%03d**: Number %d.\n", i, i)
	}
	r := start(t, store.NewMemory(), workflow(lifecycle.Rework))
	r.mustImport("# Demo\n\n" + doc.String())
	for i := range 24 {
		r.must(paula, fmt.Sprintf("REQ-%03d", i), move([]lifecycle.Status{lifecycle.Blocked, lifecycle.Deferred, lifecycle.NeedsChanges}[i%3]))
	}
	_, err := r.switchTo(paula, "v1", "as it was")
	require.True(t, fault.Is(err, "workflow_would_strand"), err)
	require.ErrorContains(t, err, "no way to done: 24")
	require.Len(t, fault.As(err).Fields, 20)
	require.Equal(t, "REQ-001 is deferred", fault.As(err).Fields[1].Detail)

	r.mustImport("# Demo\n\n- **REQ-000**: Number 0.\n- **REQ-024**: Number 24.\n")
	_, err = r.switchTo(paula, "v1", "as it was")
	require.ErrorContains(t, err, "no way to done: 1")
	r.must(paula, "REQ-000", move(lifecycle.NotStarted))
	r.mustSwitch("v1")
	r.must(paula, "REQ-024", move(lifecycle.Planned))
	r.mustSwitch("rework")
	r.verified()
}

// A record that strands a requirement, with hashes that are right, is found.
func TestVerifyFindsASwitchThatStrands(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s, workflow(lifecycle.Rework))
	r.mustImport(twoRequirements)
	strand := func() {
		require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
			_, err := choices.Switch{By: paula, To: "v1", Reason: "r"}.Apply(tx, func(string) (choices.Standing, error) {
				return choices.Standing{Status: lifecycle.Planned}, nil
			})
			return err
		}))
	}
	strand()
	r.verified()
	r.mustSwitch("rework")
	r.must(paula, "REQ-002", move(lifecycle.Blocked))
	strand()
	require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), "strands REQ-002 in status blocked")
}
