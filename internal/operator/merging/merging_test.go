package merging

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// export is the version of a log of some size with one requirement.
func export(t *testing.T, size uint64, key string, change func(*lifecycle.Requirement)) version {
	t.Helper()
	req := lifecycle.Requirement{Revision: size, Status: lifecycle.NotStarted}
	req.ID, req.Fingerprint = "REQ-1", "fp"
	if change != nil {
		change(&req)
	}
	raw, err := ledger.Encode(req)
	require.NoError(t, err)
	p := projection.Project{IDs: []string{req.ID}, AuditKey: key, WorkflowName: "v1"}
	snap, err := projection.New(p, map[string]*projection.Entry{req.ID: projection.NewEntry(req, raw, lifecycle.V1)},
		audit.Head{Size: size})
	require.NoError(t, err)
	return version{side: "theirs", size: size, export: snap}
}

// Verifies: ORC-165
func TestTheShorterExportMustBeAnEarlierState(t *testing.T) {
	moved := func(to ...lifecycle.Status) func(*lifecycle.Requirement) {
		return func(r *lifecycle.Requirement) {
			for _, s := range to {
				r.History = append(r.History, lifecycle.HistoryEntry{To: s})
			}
		}
	}
	for name, c := range map[string]struct {
		short, long func(*lifecycle.Requirement)
		forked      bool
	}{
		"the same":           {nil, nil, false},
		"a move more":        {moved(lifecycle.Planned), moved(lifecycle.Planned, lifecycle.DesignInProgress), false},
		"another move":       {moved(lifecycle.Planned), moved(lifecycle.Deferred, lifecycle.Planned), true},
		"a move that is not": {moved(lifecycle.Planned), nil, true},
		"an older revision":  {func(r *lifecycle.Requirement) { r.Revision = 99 }, nil, true},
		"another note": {func(r *lifecycle.Requirement) { r.PMNotes = []lifecycle.Note{{Text: "a"}} },
			func(r *lifecycle.Requirement) { r.PMNotes = []lifecycle.Note{{Text: "b"}} }, true},
		"another approval": {func(r *lifecycle.Requirement) { r.Approvals = []lifecycle.Approval{{Decision: "approved"}} }, nil, true},
		"the same revision, another text": {func(r *lifecycle.Requirement) { r.Revision = 9 },
			func(r *lifecycle.Requirement) { r.Revision, r.Fingerprint = 9, "other" }, true},
		"another id":          {func(r *lifecycle.Requirement) { r.ID = "REQ-2" }, nil, false},
		"another requirement": {func(r *lifecycle.Requirement) { r.ID, r.Fingerprint = "REQ-2", "other" }, nil, true},
		"another id, and then another text": {
			func(r *lifecycle.Requirement) { moved(lifecycle.Planned)(r); r.ID = "REQ-2" },
			func(r *lifecycle.Requirement) { moved(lifecycle.Planned)(r); r.Fingerprint = "other" }, false},
		"another id, and another life": {
			func(r *lifecycle.Requirement) { moved(lifecycle.Deferred)(r); r.ID = "REQ-2" },
			moved(lifecycle.Planned), true},
	} {
		shown, err := Request{Path: "p.json"}.byExports(t.Context(), export(t, 5, "k", c.short), export(t, 9, "k", c.long))
		if c.forked {
			require.ErrorIs(t, err, fault.Conflict, name)
			require.Empty(t, shown)
		} else {
			require.NoError(t, err, name)
			require.NotEmpty(t, shown)
		}
	}
	_, err := Request{Path: "p.json"}.byExports(t.Context(), export(t, 5, "k", nil), export(t, 9, "other", nil))
	require.ErrorContains(t, err, "different keys")
}

// service answers questions about two sizes with a proof or an error, and with the size of its log.
type service struct {
	proof audit.Consistency
	err   error
	size  uint64 // 0 is an error
}

func (service) Base() string { return "http://there" }

func (s service) GetJSON(_ context.Context, path string, v any) ([]byte, error) {
	if strings.Contains(path, "new=") {
		*v.(*audit.Consistency) = s.proof
		return nil, s.err
	}
	if s.size == 0 {
		return nil, s.err
	}
	*v.(*audit.Consistency) = audit.Consistency{Old: 1, New: s.size}
	return nil, nil
}

// TestALogThatIsHereDecides: a version that has more than the log of the service was not written from it, whatever the
// exports show.
//
// Verifies: ORC-165
func TestALogThatIsHereDecides(t *testing.T) {
	short, long := export(t, 5, "k", nil), export(t, 9, "k", nil)
	refused := fault.New(fault.Malformed, "x", "x").WithFix("x")
	away := fault.New(fault.Unavailable, "x", "x").WithFix("x")
	shown, err := Request{Service: service{err: away}}.byService(t.Context(), short, long)
	require.NoError(t, err)
	require.Empty(t, shown, "it does not answer")
	there := "the log of the service at http://there "
	for _, c := range []struct {
		service service
		code    fault.Code
		says    string
	}{
		{service{proof: audit.Consistency{Old: 5, New: 9}}, "log_forked", there + "does not have both"},
		{service{proof: audit.Consistency{Old: 9, New: 9}}, "log_forked", ""}, // a proof of something else
		{service{err: refused, size: 9}, "log_forked", ""},
		{service{err: refused, size: 8}, "merge_ahead", "theirs has 9 records, and " + there + "only 8"},
		{service{err: refused, size: 3}, "merge_ahead", "only 3"},
		{service{err: refused}, "merge_unopened", "which decides here"},
	} {
		shown, err := Request{Path: "p.json", Service: c.service}.show(t.Context(), short, long)
		require.Empty(t, shown)
		require.True(t, fault.Is(err, c.code), "%v", err)
		require.ErrorContains(t, err, c.says)
	}
	forked := export(t, 5, "another", nil)
	_, err = Request{Path: "p.json", Service: service{err: refused, size: 8}}.show(t.Context(), forked, long)
	require.ErrorContains(t, err, "different keys")
}

// TestADatabaseThatCannotBeReadDecidesToo: a merge waits for it.
func TestADatabaseThatCannotBeReadDecidesToo(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	require.NoError(t, os.WriteFile(data.Database(), []byte("no database"), 0o600))
	_, err := Request{Path: "p.json", Data: data}.show(t.Context(), export(t, 5, "k", nil), export(t, 9, "k", nil))
	require.True(t, fault.Is(err, "merge_unopened"), "%v", err)
}

// Checkpoints without a log and without exports beside them are not merged, and stay as they are.
func TestWhatNothingShowsIsNotMerged(t *testing.T) {
	t.Chdir(t.TempDir())
	put := func(name string, size uint64, root ...byte) string {
		c := audit.Checkpoint{Origin: "example.org/log", Size: size}
		copy(c.Root[:], root)
		text := c.Text() + "\n— example.org/log AAAAAAA=\n"
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return text
	}
	ours := put("ours", 5)
	put("theirs", 9)
	r := Request{Ours: "ours", Theirs: "theirs", Path: "project_status.checkpoint", Data: "none"}
	_, err := r.merge(t)
	require.True(t, fault.Is(err, "merge_unknown"), "%v", err)
	got, _ := os.ReadFile("ours")
	require.Equal(t, ours, string(got))

	put("theirs", 5)
	out, err := r.merge(t)
	require.NoError(t, err)
	require.Equal(t, Outcome{Path: r.Path, Kept: 5, Left: 5, SameLogState: true}, out)
	put("theirs", 5, 1)
	_, err = r.merge(t)
	require.ErrorContains(t, err, "both sides have 5 records, and not the same ones")
	require.True(t, fault.Is(err, "log_forked"), "%v", err)
	require.NoError(t, os.WriteFile("theirs", []byte("{}"), 0o600))
	_, err = r.merge(t)
	require.ErrorContains(t, err, "theirs is no checkpoint")
	got, _ = os.ReadFile("ours")
	require.Equal(t, ours, string(got))
	require.NoError(t, os.Symlink("ours", "link"))
	r.Theirs = filepath.Join("gone", "away")
	_, err = r.merge(t)
	require.ErrorIs(t, err, fault.Unavailable)
}

func (r Request) merge(t *testing.T) (Outcome, error) {
	t.Helper()
	return Merge(t.Context(), r)
}
