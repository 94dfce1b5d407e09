package drive

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/conductor/worktree"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// trees are working trees in which each run shows the same.
type trees struct {
	enter  error
	look   error
	watch  error
	found  worktree.Found
	merge  error
	merged worktree.Merge
	aside  []string
	left   []string
	kept   string
	leave  error
}

func (t *trees) Enter(_ context.Context, id string) (*worktree.Tree, error) {
	return &worktree.Tree{ID: id, Branch: "orchestrator/" + id, Path: "/trees/" + id, Found: 2}, t.enter
}

func (t *trees) Watch(context.Context, string, bool) error { return t.watch }

func (t *trees) Seen(string) worktree.Seen {
	return worktree.Seen{Found: t.found, Merge: t.merged, Aside: t.aside, Err: t.look}
}

func (t *trees) Merge(context.Context, string) (worktree.Merge, error) { return t.merged, t.merge }

func (t *trees) Leave(_ context.Context, id string) (string, error) {
	t.left = append(t.left, id)
	return t.kept, t.leave
}

// inTrees drives A in trees that show what is given.
func inTrees(t *testing.T, shown trees, change func(w *world)) (*world, End, []Event) {
	w := newWorld("A")
	w.trees = &shown
	if change != nil {
		change(w)
	}
	report, told := w.drive(t, Order{})
	require.Equal(t, []string{"A"}, shown.left, "its tree is left")
	return w, report.Requirements[0], told
}

func TestAgentsWorkInATree(t *testing.T) {
	w, end, told := inTrees(t, trees{found: worktree.Found{Commits: true}}, nil)
	require.Equal(t, Done, end.Outcome)
	require.Empty(t, end.Kept)
	require.Empty(t, w.recorded)
	entered := 0
	for _, e := range told {
		if e.Entered != nil {
			entered++
			require.Equal(t, Entered{"A", "orchestrator/A", "/trees/A", 2}, *e.Entered)
		}
	}
	require.Equal(t, 1, entered, "once")

	_, end, _ = inTrees(t, trees{found: worktree.Found{Commits: true}, kept: "/trees/A is kept: 1 commits"}, nil)
	require.Equal(t, "/trees/A is kept: 1 commits", end.Kept)
	_, end, _ = inTrees(t, trees{found: worktree.Found{Commits: true}, leave: errors.New("broken")}, nil)
	require.Equal(t, "its working tree is kept: broken", end.Kept)
}

// What nobody accepted is named, and the requirement goes on.
//
// Verifies: ORC-273
func TestWhatWasSetAsideIsNamed(t *testing.T) {
	w, end, _ := inTrees(t, trees{found: worktree.Found{Commits: true}, aside: []string{"orchestrator/A.aside-1"}}, nil)
	require.Equal(t, Done, end.Outcome)
	require.Contains(t, w.recorded[0], "note A: what was committed for ACHIEVE(requirement.design_spec) (run run) is not merged")
	require.Contains(t, w.recorded[0], "is on orchestrator/A.aside-1")
	require.Contains(t, end.Kept, "orchestrator/A.aside-1, which nobody accepted, is kept")
}

// What a tree shows ends a requirement where it is, with that on record.
//
// Verifies: ORC-273
func TestWhatATreeShows(t *testing.T) {
	dirty := fault.New(fault.Conflict, worktree.CodeLeftover, "it has changes").WithFix("commit them")
	meddled := fault.New(fault.Conflict, worktree.CodeMeddled, "its tree was changed").WithFix("look at it")
	for name, c := range map[string]struct {
		shown    trees
		status   lifecycle.Status
		why      string
		recorded []string
	}{
		"what is not the agent's": {trees{found: worktree.Found{Commits: true, Foreign: []string{"refs/heads/main"}}}, "designed",
			"for the pm: while a.tool (run run) worked, what is not the agent's changed: refs/heads/main; nothing of that was merged",
			[]string{"deviation A: while a.tool (run run) worked, what is not the agent's changed: refs/heads/main; nothing of that was merged"}},
		"nothing was committed": {trees{}, "built", "for the pm: a.tool (run run) recorded an implementation, and committed nothing",
			[]string{"deviation A: a.tool (run run) recorded an implementation, and committed nothing"}},
		"not all was committed": {trees{found: worktree.Found{Commits: true, Uncommitted: []string{"b.go"}}}, "built",
			"for the pm: a.tool (run run) left changes that it did not commit: b.go", []string{"note A: a.tool (run run) left changes that it did not commit: b.go"}},
		"a conflict": {trees{found: worktree.Found{Commits: true}, merged: worktree.Merge{Branch: "orchestrator/A", Into: "main", Conflicts: []string{"a.go"}}}, "designed",
			"for a merge: orchestrator/A cannot be merged into main: both changed a.go; merge main in its working tree, commit that, and drive again",
			[]string{"note A: orchestrator/A cannot be merged into main: both changed a.go; merge main in its working tree, commit that, and drive again"}},
		"a tree that others changed": {trees{watch: meddled}, "planned", "for the pm: its tree was changed (look at it)",
			[]string{"deviation A: its tree was changed (look at it)"}},
		"a tree that others changed, at the merge": {trees{look: meddled}, "designed", "for the pm: its tree was changed (look at it)",
			[]string{"deviation A: its tree was changed (look at it)"}},
		"nothing to watch": {trees{watch: errors.New("no git")}, "planned", "for a working tree: no git", nil},
		"a leftover":       {trees{enter: dirty}, "planned", "for a working tree: it has changes (commit them)", nil},
		"git that is gone": {trees{look: errors.New("no git")}, "designed", "for a merge: no git", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, end, _ := inTrees(t, c.shown, nil)
			require.Equal(t, Waiting, end.Outcome)
			require.Equal(t, c.why, end.Why)
			require.Equal(t, c.recorded, w.recorded)
			require.Equal(t, c.status, end.Status)
		})
	}
}

// Who is no pm puts nothing on record, and is told all the same.
func TestACoderRecordsNothing(t *testing.T) {
	w := newWorld("A")
	w.at["A"], w.trees = 1, &trees{}
	coder := pm
	coder.Role = "coder"
	report, _ := w.drive(t, Order{Caller: coder})
	require.Contains(t, report.Requirements[0].Why, "committed nothing")
	require.Empty(t, w.recorded)
}

// Verifies: ORC-272
func TestTheBranchIsMergedBeforeAMove(t *testing.T) {
	conflict := worktree.Merge{Requirement: "A", Branch: "orchestrator/A", Into: "main", Commits: 1, Conflicts: []string{"a.go", "b.go"}}
	why := "orchestrator/A cannot be merged into main: both changed a.go, b.go; merge main in its working tree, commit that, and drive again"
	dirty := fault.New(fault.Conflict, worktree.CodeDirty, "files are changed").WithFix("commit them")
	for name, c := range map[string]struct {
		to      lifecycle.Status
		shown   trees
		outcome Outcome
		why     string
		merges  int
		notes   []string
	}{
		"merged":                              {lifecycle.TestInProgress, trees{merged: worktree.Merge{Commit: "abc", Commits: 1}}, Done, "", 1, nil},
		"nothing to merge":                    {lifecycle.TestInProgress, trees{}, Done, "", 0, nil},
		"a conflict before tests":             {lifecycle.TestInProgress, trees{merged: conflict}, Waiting, "for a merge: " + why, 1, []string{"note A: " + why}},
		"a conflict before done":              {lifecycle.Done, trees{merged: conflict}, Waiting, "for a merge: " + why, 1, []string{"note A: " + why}},
		"a conflict before it is implemented": {lifecycle.Implemented, trees{merged: conflict}, Waiting, "for a merge: " + why, 1, []string{"note A: " + why}},
		"a person's changes":                  {lifecycle.TestInProgress, trees{merge: dirty}, Waiting, "for a merge: files are changed (commit them)", 0, nil},
		"a move that rests on no code":        {lifecycle.DesignReady, trees{merged: conflict}, Done, "", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, end, told := inTrees(t, c.shown, func(w *world) { w.at["A"], w.bare, w.to = 2, true, c.to })
			require.Equal(t, c.outcome, end.Outcome)
			require.Equal(t, c.why, end.Why)
			require.Equal(t, c.notes, w.recorded)
			merges := 0
			for _, e := range told {
				if e.Merge != nil {
					merges++
				}
			}
			require.Equal(t, c.merges, merges)
		})
	}
	_, end, _ := inTrees(t, trees{merged: conflict}, func(w *world) {
		w.at["A"], w.bare, w.to, w.noRecord = 2, true, lifecycle.TestInProgress, errors.New("full")
	})
	require.Equal(t, "for a merge: "+why+"; it could not be put on record: full", end.Why)
}

// Before a coder builds again what was built, what is left is merged, and evidence is looked up again: a drive may have
// been cut off behind the merge. That takes no step.
//
// Verifies: ORC-276
func TestWhatWasBuiltIsLookedAtFirst(t *testing.T) {
	w := newWorld("A")
	w.built, w.trees = true, &trees{found: worktree.Found{Commits: true}}
	report, _ := w.drive(t, Order{MaxSteps: len(way)})
	require.Equal(t, Done, report.Requirements[0].Outcome)
	require.Equal(t, 1, w.looked)
	w = newWorld("A")
	w.built, w.look, w.trees = true, errors.New("no git"), &trees{found: worktree.Found{Commits: true}}
	report, _ = w.drive(t, Order{})
	require.Equal(t, Failed, report.Requirements[0].Outcome)
	require.Equal(t, "no git", report.Requirements[0].Why)
}

// What agents report is counted by requirement and by agent, and no agent starts once a budget is used up.
//
// Verifies: ORC-274
func TestBudgetsOfTokensAndMoney(t *testing.T) {
	cost := 0.25
	for name, c := range map[string]struct {
		order Order
		steps int
		why   string
	}{
		"none":   {Order{}, 3, ""},
		"tokens": {Order{MaxTokens: 150}, 2, "max_tokens is used up: agents reported 200 tokens, and the budget is 150"},
		"money":  {Order{MaxCostUSD: 0.25}, 1, "max_cost_usd is used up: agents reported 0.2500 US dollars, and the budget is 0.25"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld("A")
			w.agent = &usage.Usage{Client: "claude", Input: 90, Output: 10, CostUSD: &cost}
			report, _ := w.drive(t, c.order)
			end, n := report.Requirements[0], c.steps
			require.Equal(t, c.why, end.Why)
			want := usage.Sum{Runs: n, Input: int64(90 * n), Output: int64(10 * n), CostUSD: cost * float64(n)}
			require.Equal(t, &want, end.Usage)
			require.Equal(t, map[string]usage.Sum{"a.tool": want}, report.Usage)
			require.Contains(t, report.String(), want.String())
		})
	}
}
