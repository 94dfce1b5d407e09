package requirements

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/renames"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Verifies: ORC-175

// A requirement comes back to its first id: its history is whole, and each id that it had leads to it or is it.
func TestARequirementComesBackToItsFirstID(t *testing.T) {
	r := renamedDocument(t)
	_, err := r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	r.must(paula, "LOGIN-1", `{"pm_notes":[{"text":"between"}]}`)
	before, err := r.History(t.Context(), "LOGIN-1", 0, 100)
	require.NoError(t, err)
	r.mustImport(twoRequirements)
	require.Equal(t, renaming.Pair{From: "LOGIN-1", To: "REQ-001"}, r.ProposedRenames().Proposed[0].Pair)
	out, err := r.rename("LOGIN-1", "REQ-001")
	require.NoError(t, err)
	require.Empty(t, out.Suspect)

	require.Len(t, r.requirement("REQ-001").FormerIDs, 2)
	_, err = r.Requirement("LOGIN-1")
	require.Equal(t, "REQ-001", fault.As(err).RenamedTo)
	after, err := r.History(t.Context(), "REQ-001", 0, 100)
	require.NoError(t, err)
	require.Equal(t, seqs(t, before), seqs(t, after))
	done := r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	after, err = r.History(t.Context(), "REQ-001", 0, 100)
	require.NoError(t, err)
	require.Equal(t, append([]uint64{done.Receipt.Index}, seqs(t, before)...), seqs(t, after))
	r.verified()
	rebuilt(t, r.store)
}

func TestCirclesAndChainsInOneRequestAreRefused(t *testing.T) {
	r := renamedDocument(t)
	for _, pairs := range [][]renaming.Pair{
		{{From: "REQ-001", To: "LOGIN-1"}, {From: "LOGIN-1", To: "REQ-001"}},
		{{From: "REQ-001", To: "LOGIN-1"}, {From: "LOGIN-1", To: "AUTH-1"}},
		{{From: "REQ-001", To: "REQ-001"}},
	} {
		_, err := r.Rename(t.Context(), renames.Asked{By: paula, Renames: pairs, Reason: "r"}, Refused{Request: "POST /project/renames"})
		requireCode(t, err, "rename_invalid")
	}
	r.verified()
}

// An id that differs in its case alone is another one, and a requirement can have it instead.
func TestARenamingToOtherCase(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	r.mustImport(strings.Replace(twoRequirements, "REQ-001", "Req-001", 1))
	_, err := r.rename("REQ-001", "Req-001")
	require.NoError(t, err)
	require.Equal(t, lifecycle.TestedPass, r.requirement("Req-001").Status)
	_, err = r.Requirement("REQ-001")
	require.Equal(t, "Req-001", fault.As(err).RenamedTo)
	r.verified()
}

// Of two pms who mean different requirements one wins, and the other is told; who means the same finds it done.
func TestTwoRenamingsAtOnce(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	r.mustImport("# Demo\n\n- **A-1**: The login works.\n- **A-2**: The logout works.\n")
	var made, unchanged, refused int
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 8 {
		to := []string{"A-1", "A-2"}[i%2]
		all.Go(func() {
			out, err := r.rename("REQ-001", to)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				require.True(t, fault.Is(err, renaming.CodeSource), err)
				refused++
			case out.Unchanged:
				unchanged++
			default:
				made++
			}
		})
	}
	all.Wait()
	require.Equal(t, []int{1, 3, 4}, []int{made, unchanged, refused})
	require.Len(t, r.records(0, record.KindRenamed), 1)
	r.verified()
}

// A request that was answered before a renaming is answered so again, under the old id.
func TestAnOldAnswerIsGivenAgain(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	p := Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned)), IdempotencyKey: "k"}
	first, err := r.Patch(t.Context(), paula, p)
	require.NoError(t, err)
	r.mustImport(strings.Replace(twoRequirements, "REQ-001", "LOGIN-1", 1))
	_, err = r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	size := r.State().LogSize
	again, err := r.Patch(t.Context(), paula, p)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Requirement, again.Requirement)
	require.Equal(t, size, r.State().LogSize)
	p.ID = "LOGIN-1"
	_, err = r.Patch(t.Context(), paula, p)
	requireCode(t, err, "idempotency_key_reused")
	r.verified()
}
