package projection

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
)

func numbered(n int) (Project, map[string]*Entry) {
	p, entries := Project{Name: "Demo", WorkflowName: "v1"}, map[string]*Entry{}
	for i := range n {
		req, _ := lifecycle.Define(nil, lifecycle.Definition{ID: fmt.Sprintf("REQ-%04d", i)}, time.Time{}, lifecycle.LatestRules)
		raw, err := ledger.Encode(req)
		if err != nil {
			panic(err)
		}
		p.IDs = append(p.IDs, req.ID)
		entries[req.ID] = NewEntry(req, raw, p.Workflow())
	}
	return p, entries
}

func change(req lifecycle.Requirement, size uint64) ledger.Commit {
	raw, err := ledger.Encode(req)
	if err != nil {
		panic(err)
	}
	return ledger.Commit{Head: audit.Head{Size: size}, Writes: []ledger.Write{{Table: TableRequirements.Name, Key: req.ID, Value: raw, Object: &req}}}
}

func TestAfterSharesWhatDidNotChange(t *testing.T) {
	p, entries := numbered(1000)
	before, err := New(p, entries, audit.Head{Size: 1})
	require.NoError(t, err)
	e, _ := before.Find("REQ-0700")
	req := e.Requirement()
	req.Status, req.Suspect, req.Revision = lifecycle.Planned, true, 2
	again := req
	again.Status, again.Revision = lifecycle.Blocked, 3
	after := before.After([]ledger.Commit{change(req, 2), change(again, 3)})

	e, _ = before.Find("REQ-0700")
	require.Equal(t, lifecycle.NotStarted, e.Summary.Status, "a published snapshot never changes")
	require.Equal(t, 1000, before.Counts.ByStatus[lifecycle.NotStarted])
	e, _ = after.Find("REQ-0700")
	require.Equal(t, lifecycle.Blocked, e.Summary.Status, "the last of a batch counts")
	require.Equal(t, `"3"`, e.ETag)
	require.Equal(t, 999, after.Counts.ByStatus[lifecycle.NotStarted])
	require.Equal(t, 1, after.Counts.ByStatus[lifecycle.Blocked])
	require.Zero(t, after.Counts.ByStatus[lifecycle.Planned])
	require.Equal(t, 1, after.Counts.Suspect)
	require.Equal(t, uint64(1002), after.Counts.Revision)
	require.Equal(t, uint64(3), after.Head.Size)

	shared := 0
	for i := range after.chunks {
		if &after.chunks[i][0] == &before.chunks[i][0] {
			shared++
		}
	}
	require.Equal(t, len(after.chunks)-1, shared)
}

func TestAStoreThatContradictsItself(t *testing.T) {
	p, entries := numbered(3)
	delete(entries, "REQ-0001")
	_, err := New(p, entries, audit.Head{})
	require.ErrorIs(t, err, fault.Internal)
	p, entries = numbered(3)
	p.IDs = p.IDs[:2]
	_, err = New(p, entries, audit.Head{})
	require.ErrorIs(t, err, fault.Internal)
}

func TestLikeFindsTheIDThatWasMeant(t *testing.T) {
	snap := &Snapshot{names: &names{}, Project: Project{IDs: []string{"ORC-001", "ORC-010", "FR-1.10", "REQ-0", "A-00", "Log in", "x"}}}
	for id, want := range map[string]string{
		"ORC-1": "ORC-001", "orc_01": "ORC-001", "ORC001": "ORC-001", "ORC\u2011001": "ORC-001", "ORC-0001": "ORC-001", "ORC-10": "ORC-010", "FR 01.10": "FR-1.10",
		"REQ-00": "REQ-0", "a-0": "A-00", "LOG-IN": "Log in", "X": "x",
		"ORC-100": "", "ORC-0": "", "ORC-": "", "ORC-11": "", "": "", "REQ": "", "FR-1.1": "",
	} {
		got, found := snap.Like(id)
		require.Equal(t, want, got, id)
		require.Equal(t, want != "", found)
	}
}

// What a transaction goes by is what a snapshot says.
func TestTheWorkflowInForceIsThatOfTheProject(t *testing.T) {
	for _, name := range []string{"v1", "rework"} {
		for _, evidence := range []string{EvidenceVerified, EvidenceRecorded} {
			p := Project{Name: "x", WorkflowName: name, Evidence: evidence, Sources: []SourceFile{{Path: "workflow"}}}
			raw, err := ledger.Encode(p)
			require.NoError(t, err)
			w, err := InForce(stored(raw))
			require.NoError(t, err)
			require.Equal(t, p.Workflow(), w)
		}
	}
	for _, broken := range []string{"", "{", `{"name":"x"}`, `{"workflow":"v9","evidence":"record"}`, "[]"} {
		_, err := InForce(stored(broken))
		require.Error(t, err, broken)
	}
}

// stored is a store with one entry.
type stored []byte

func (s stored) Get(string, string) ([]byte, error) { return s, nil }

// What was put on record stands as long as the requirement is the one that was written then.
func TestWhatHasChangedSinceDoesNotStand(t *testing.T) {
	p, entries := numbered(3)
	s, err := New(p, entries, audit.Head{Size: 1})
	require.NoError(t, err)
	id, base := p.IDs[1], "tip"
	e, _ := s.Find(id)
	written := ledger.Digest(e.Raw)
	s.Stand(id, written, nil)
	require.False(t, e.Stands(base))
	s.Stand(id, written, &base)
	require.True(t, e.Stands(base))
	s.Stand("none", written, &base)

	req := e.Requirement()
	req.Revision++
	next := s.After([]ledger.Commit{change(req, 2)})
	next.Stand(id, written, &base)
	e, _ = next.Find(id)
	require.False(t, e.Stands(base))
}
