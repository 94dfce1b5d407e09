package requirements

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/loading"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// replicas starts services on one store that they share.
func replicas(t *testing.T, n int, change ...func(*Options)) (all []*rig) {
	t.Helper()
	hub := storetest.NewHub()
	for range n {
		r := start(t, hub.Open(), change...)
		t.Cleanup(func() { r.stop(); require.NoError(t, r.ledger.Close()) })
		all = append(all, r)
	}
	return all
}

// state is all that a replica says of the requirements, once it has caught up.
func (r *rig) state(at time.Time) string {
	r.t.Helper()
	require.NoError(r.t, r.ledger.CatchUp(r.t.Context()))
	return stateOf(r.t, r.current.Load(), at)
}

func stateOf(t *testing.T, snap *projection.Snapshot, at time.Time) string {
	t.Helper()
	var all bytes.Buffer
	require.NoError(t, snap.Write(&all))
	list, err := lookup.Query{Limit: 1000}.Select(snap, at)
	require.NoError(t, err)
	counts := snap.Counts
	counts.ByStatus = maps.Clone(counts.ByStatus)
	maps.DeleteFunc(counts.ByStatus, func(_ lifecycle.Status, n int) bool { return n == 0 })
	for _, one := range []any{list, counts, snap.Claims(time.Time{}), snap.Project, snap.ProposedRenames(), snap.Pending()} {
		raw, err := ledger.Encode(one)
		require.NoError(t, err)
		all.Write(append(raw, '\n'))
	}
	return all.String()
}

// agree requires that all replicas say the same, which is what the store has.
func agree(t *testing.T, all []*rig) {
	t.Helper()
	stored, at := "", all[0].clock.read()
	require.NoError(t, all[0].ledger.View(t.Context(), func(r store.Reader) error {
		snap, err := loading.Snapshot(r, all[0].headNow())
		if err == nil {
			stored = stateOf(t, snap, at)
		}
		return err
	}))
	for i, r := range all {
		require.Equal(t, stored, r.state(at), "replica %d", i)
	}
}

func (r *rig) headNow() audit.Head {
	r.t.Helper()
	require.NoError(r.t, r.ledger.CatchUp(r.t.Context()))
	return r.ledger.Head()
}

// Verifies: ORC-353
func TestReplicasServeOneState(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	steps := []func(){
		func() { a.mustImport(twoRequirements) },
		func() { b.must(paula, "REQ-001", move(lifecycle.Planned)) },
		func() { a.must(paula, "REQ-001", move(lifecycle.DesignInProgress)) },
		func() { b.must(archy, "REQ-001", designed) },
		func() { a.must(archy, "REQ-002", designed) },
		func() { b.mustSwitch(lifecycle.Rework.Name) },
		func() { _, _, err := a.claim(cody, "t1", "REQ-002", time.Hour); require.NoError(t, err) },
		func() { _, err := b.release(cody, "t1", "REQ-002", "implementation"); require.NoError(t, err) },
		func() { _, _, err := b.claim(cody, "t1", "REQ-001", time.Hour); require.NoError(t, err) },
		func() {
			a.mustImport("# Demo\n\n- **REQ-003**: The logout works.\n- **REQ-001**: The login works well.\n")
		},
		func() { _, err := b.rename("REQ-002", "REQ-003"); require.NoError(t, err) },
		func() { a.mustImport("# Demo\n\n- **REQ-003**: The logout works.\n") },
		func() { b.mustImport(twoRequirements) },
	}
	for i, step := range steps {
		step()
		require.NoError(t, a.ledger.CatchUp(t.Context()))
		require.NoError(t, b.ledger.CatchUp(t.Context()))
		agree(t, all)
		one, err := ledger.Encode(a.Workflow())
		require.NoError(t, err)
		two, err := ledger.Encode(b.Workflow())
		require.NoError(t, err)
		require.Equal(t, string(one), string(two), "step %d", i)
	}
	one, err := a.Find(t.Context(), lookup.Records{Requirement: "REQ-003", Limit: 100})
	require.NoError(t, err)
	two, err := b.Find(t.Context(), lookup.Records{Requirement: "REQ-003", Limit: 100})
	require.NoError(t, err)
	require.Equal(t, one, two)
	a.verified()
	b.verified()
	pa, err := a.Progress(t.Context())
	require.NoError(t, err)
	pb, err := b.Progress(t.Context())
	require.NoError(t, err)
	pa.At, pb.At = time.Time{}, time.Time{}
	require.Equal(t, pa, pb)
}

// Verifies: ORC-353
func TestAChangeIsDecidedByTheStateOfAllReplicas(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	a.mustImport(twoRequirements)
	for i := range 20 { // the other may not have been told yet
		a.must(archy, "REQ-001", fmt.Sprintf(`{"design_spec":{"summary":"a %d"}}`, i))
		b.must(archy, "REQ-001", fmt.Sprintf(`{"design_spec":{"summary":"b %d"}}`, i))
		_, err := a.Patch(
			t.Context(),
			paula,
			Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned)), IfMatch: []string{"1"}},
		)
		requireCode(t, err, "stale_revision")
	}
	key := Proposal{ID: "REQ-002", Body: []byte(move(lifecycle.Planned)), IdempotencyKey: "k"}
	first, err := a.Patch(t.Context(), paula, key)
	require.NoError(t, err)
	again, err := b.Patch(t.Context(), paula, key)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Requirement, again.Requirement)
	agree(t, all)
}

// Verifies: ORC-353
func TestReplicasDecideAtTheSameTime(t *testing.T) {
	all := replicas(t, 3)
	all[0].mustImport(twoRequirements)
	var running sync.WaitGroup
	var mu sync.Mutex
	accepted := 0
	for i, r := range all {
		for c := range 4 {
			running.Go(func() {
				for n := range 15 {
					id := fmt.Sprintf("REQ-%03d", 1+(i+c+n)%2)
					body := fmt.Sprintf(`{"pm_notes":[{"text":"%d %d %d"}]}`, i, c, n)
					answer, err := r.Patch(
						context.WithoutCancel(t.Context()),
						paula,
						Proposal{ID: id, Body: []byte(body)},
					)
					if err != nil {
						t.Error(err)
						return
					}
					if doc, err := r.Requirement(id); err != nil ||
						!bytes.Contains(doc.Bytes, fmt.Appendf(nil, `"%d %d %d"`, i, c, n)) {
						t.Errorf("the change to revision %d is not served: %v", answer.Revision, err)
					}
					mu.Lock()
					accepted++
					mu.Unlock()
				}
			})
		}
	}
	running.Wait()
	require.Equal(t, 3*4*15, accepted)
	agree(t, all)
	all[2].verified()
}

// Verifies: ORC-353
func TestWhatIsChosenElsewhereCounts(t *testing.T) {
	hub := storetest.NewHub()
	shelf := newShelf()
	verifying := func(o *Options) { o.Evidence, o.Repository = projection.EvidenceVerified, shelf }
	a := start(t, hub.Open(), verifying)
	defer func() { a.stop(); require.NoError(t, a.ledger.Close()) }()
	require.Equal(t, "trunk", shelf.branch)
	b := start(t, hub.Open(), func(o *Options) {
		o.Evidence, o.Repository, o.Branch = projection.EvidenceVerified, newShelf(), "release"
	})
	require.NoError(t, a.ledger.CatchUp(t.Context()))
	require.Equal(t, "release", shelf.branch, "it follows the branch on record")
	require.Equal(t, "release", a.Workflow().Branch)
	require.True(t, a.verifies())
	b.stop()
	require.NoError(t, b.ledger.Close())

	c := start(t, hub.Open(), func(o *Options) { o.Evidence = projection.EvidenceRecorded })
	require.NoError(t, a.ledger.CatchUp(t.Context()))
	require.Equal(t, projection.EvidenceRecorded, a.Workflow().Evidence)
	require.False(t, a.verifies())
	c.stop()
	require.NoError(t, c.ledger.Close())
}

// Verifies: ORC-353
func TestReplicasThatStartAtOnceChooseOnce(t *testing.T) {
	for range 10 {
		hub := storetest.NewHub()
		services := make([]*Service, 3)
		ledgers := make([]*ledger.Ledger, 3)
		var starting sync.WaitGroup
		for i := range services {
			starting.Go(func() {
				var err error
				if ledgers[i], err = ledger.Open(t.Context(), hub.Open(), time.Now); err != nil {
					t.Error(err)
					return
				}
				services[i], err = Open(t.Context(), ledgers[i], time.Now, Options{Workflow: lifecycle.V1})
				if err != nil {
					t.Error(err)
				}
			})
		}
		starting.Wait()
		page, err := ledgers[0].Records(t.Context(), 0, 100)
		require.NoError(t, err)
		kinds := map[string]int{}
		for _, raw := range page.Records {
			r, err := audit.Decode(raw)
			require.NoError(t, err)
			kinds[r.Kind]++
		}
		require.Equal(
			t,
			map[string]int{ledger.KindCreated: 1, record.KindWorkflowChosen: 1, record.KindEvidenceChosen: 1},
			kinds,
		)
		for i, s := range services {
			s.Close()
			require.NoError(t, ledgers[i].Close())
		}
	}
	// What was on record when it was looked at may not be when it is written.
	r := start(t, store.NewMemory())
	require.NoError(t, choices.AuditKey(t.Context(), r.ledger, "", "log.example+1+key", ""))
	requireCode(t, choices.AuditKey(t.Context(), r.ledger, "", "log.example+2+other", ""), "audit_key_changed")
	requireCode(t, choices.Workflow(t.Context(), r.ledger, "", lifecycle.Rework.Name), "workflow_on_record")
}

// Verifies: ORC-353
func TestReplicasAgreeWhateverHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hub := storetest.NewHub()
		var all []*rig
		for range rapid.IntRange(2, 3).Draw(rt, "replicas") {
			h := hub.Open()
			if rapid.Bool().Draw(rt, "deaf") {
				h.Deafen()
			}
			r := start(t, h, func(o *Options) { o.ExportPath = "" })
			defer func() { r.stop(); require.NoError(t, r.ledger.Close()) }()
			all = append(all, r)
		}
		all[0].mustImport(twoRequirements)
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			r := rapid.SampledFrom(all).Draw(rt, "by")
			switch rapid.IntRange(0, 6).Draw(rt, "step") {
			case 0:
				_, _ = r.importText(randomDocument(rt))
			case 1:
				require.NoError(rt, r.ledger.CatchUp(t.Context())) // a dry run decides by what is published
				r.mustTake(randomDelta(rt))
			case 2:
				r.randomClaim(rt)
			case 3:
				_, _ = r.rename(randomID(rt), randomID(rt))
			default:
				who := rapid.SampledFrom([]lifecycle.Actor{paula, archy, cody, tess}).Draw(rt, "who")
				_, _ = r.patch(who, randomID(rt), randomBody(rt))
			}
		}
		agree(t, all)
		all[0].verified()
	})
}
