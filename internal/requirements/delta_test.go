package requirements

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/reqdoc"
)

// deltaOf is a delta with requirements "ID text" that are all changed in one way.
func deltaOf(change string, lines ...string) reqdoc.Set {
	set := setOf(lines...)
	set.Partial = true
	set.Documents[0].Path = "delta.md"
	for i := range set.Requirements {
		set.Requirements[i].Path, set.Requirements[i].Change = "delta.md", change
	}
	return set
}

// withState is a state with, of which A-3 is retired.
func withState(t *testing.T) *rig {
	t.Helper()
	r := start(t, store.NewMemory())
	r.mustTake(setOf("A-1 one", "A-2 two", "A-3 three"))
	r.mustTake(setOf("A-1 one", "A-2 two"))
	return r
}

func TestADeltaThatContradictsTheStateIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		set         reqdoc.Set
		detail, fix string
	}{
		"a known id with another text": {deltaOf(reqdoc.DeltaAdded, "A-2 other"), `the delta adds "A-2", which the project has with another text`, "list it under MODIFIED Requirements"},
		"modified, nearly known":       {deltaOf(reqdoc.DeltaModified, "a-2 two"), "a-2 is nearly A-2, which the project has: did you mean A-2?", "write A-2"},
		"added, nearly known":          {deltaOf(reqdoc.DeltaAdded, "A-02 new"), "A-02 is nearly A-2, which the project has: did you mean A-2?", "write A-2"},
		"of another script":            {deltaOf(reqdoc.DeltaAdded, "А-2 new"), "А-2 is nearly A-2, which the project has: did you mean A-2?", "write A-2"},
		"of no kind, nearly known":     {deltaOf("", "a-02 new"), "a-02 is nearly A-2, which the project has: did you mean A-2?", "write A-2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := withState(t)
			for _, dry := range []bool{true, false} {
				_, err := r.importing(t.Context(), paula, func() (reqdoc.Set, error) { return c.set, nil }, ImportOptions{DryRun: dry})
				f := requireCode(t, err, "document_invalid")
				require.ErrorIs(t, f, fault.Invalid)
				require.Equal(t, []fault.Field{{Pointer: "delta.md#L1", Detail: c.detail, Fix: c.fix}}, f.Fields)
			}
			require.Equal(t, fault.Code("document_invalid"), r.reviewImport().Problem.Code)
			require.Equal(t, []string{"A-1", "A-2", "A-3"}, r.ids())
			r.verified()
		})
	}
}

func TestWhatIsWrongWithADeltaStandsInOrderOfLines(t *testing.T) {
	set := deltaOf(reqdoc.DeltaAdded, "A-1 other", "B-1 new", "a-2 two")
	set.Requirements[0].Line = 9
	_, err := withState(t).importing(t.Context(), paula, func() (reqdoc.Set, error) { return set, nil }, ImportOptions{})
	var f *fault.Error
	require.True(t, errors.As(err, &f))
	require.Len(t, f.Fields, 2)
	require.Equal(t, []string{"delta.md#L3", "delta.md#L9"}, []string{f.Fields[0].Pointer, f.Fields[1].Pointer})
	require.Equal(t, "problems with ids in the document: 2", f.Detail)
}

func TestWhatIsDoubtfulInADelta(t *testing.T) {
	at := reqdoc.Place{Path: "delta.md", Line: 7}
	with := func(set reqdoc.Set, removed []reqdoc.Entry, renamed ...reqdoc.Rename) reqdoc.Set {
		set.Removed, set.Renamed = removed, renamed
		return set
	}
	for name, c := range map[string]struct {
		set          reqdoc.Set
		message, fix string // of the one warning; "" for none
		report       string
	}{
		"modified and unknown": {
			deltaOf(reqdoc.DeltaModified, "B-1 new"), `the delta modifies "B-1", which is no requirement of the project; it is added`,
			"list it under ADDED Requirements", "1 found, 0 unchanged, 1 added, 1 warnings",
		},
		"modified, nearly a retired one": {
			deltaOf(reqdoc.DeltaModified, "a-3 new"), `the delta modifies "a-3", which is no requirement of the project; it is added`,
			"write A-3 if it is meant", "1 found, 0 unchanged, 1 added, 1 warnings",
		},
		"added again": {
			deltaOf(reqdoc.DeltaAdded, "A-2 two"), `the delta adds "A-2", which is already there, word for word`,
			"the delta was taken over before; leave it out of the import", "1 found, 0 unchanged, 1 moved, 1 warnings",
		},
		"added, and retired before": {deltaOf(reqdoc.DeltaAdded, "A-3 other"), "", "", "1 found, 0 unchanged, 1 changed, 1 restored"},
		"modified under its new name": {
			with(deltaOf(reqdoc.DeltaModified, "a-2 other"), nil, reqdoc.Rename{Place: at, From: "A-2", To: "a-2"}), "", "",
			"1 found, 0 unchanged, 1 added, 1 renamed, 1 retired",
		},
		"its old name is another's": {
			with(deltaOf(reqdoc.DeltaAdded, "A-2 other", "B-2 two"), nil, reqdoc.Rename{Place: at, From: "A-2", To: "B-2"}), "", "",
			"2 found, 0 unchanged, 1 added, 1 changed, 1 renamed",
		},
		"renamed without a text": {
			with(deltaOf(""), nil, reqdoc.Rename{Place: at, From: "A-2", To: "B-2"}), `the delta renames "A-2" to "B-2" and has no text under the new name; nothing is renamed`,
			`write "B-2" with its text under MODIFIED Requirements too`, "0 found, 0 unchanged, 1 warnings",
		},
		"renames what is unknown": {
			with(deltaOf(reqdoc.DeltaAdded, "B-2 two"), nil, reqdoc.Rename{Place: at, From: "a-2", To: "B-2"}), `the delta renames "a-2", which is no requirement of the project`,
			"write A-2 if it is meant", "1 found, 0 unchanged, 1 added, 1 renamed, 1 warnings",
		},
		"removes what is unknown": {
			with(deltaOf(""), []reqdoc.Entry{{Place: at, ID: "A-02"}}), "A-02 is taken away here, and is no requirement of the project",
			"write A-2 if it is meant", "0 found, 0 unchanged, 1 warnings",
		},
		"takes one away and adds its like": {with(deltaOf(reqdoc.DeltaAdded, "a-2 other"), []reqdoc.Entry{{Place: at, ID: "A-2"}}), "", "", "1 found, 0 unchanged, 1 added, 1 retired"},
	} {
		t.Run(name, func(t *testing.T) {
			r := withState(t)
			report := r.mustTake(c.set)
			require.Equal(t, c.report, report.String())
			if c.message != "" {
				require.Len(t, report.Warnings, 1)
				require.Equal(t, "delta.md", report.Warnings[0].Path)
				require.Equal(t, []string{c.message, c.fix}, []string{report.Warnings[0].Message, report.Warnings[0].Fix})
			}
			r.verified()
		})
	}
}

func TestADeltaThatChangesNothingWritesNothing(t *testing.T) {
	r := withState(t)
	before := r.State().LogSize
	set := deltaOf("")
	set.Renamed = []reqdoc.Rename{{From: "A-2", To: "B-2"}}
	r.mustTake(set)
	require.Equal(t, before, r.State().LogSize)
	require.Equal(t, "R.md", r.current.Load().Project.Sources[0].Path)
}

// What was not read of such a delta is on record once, and again when it is mended.
func TestWhatWasNotReadOfADeltaThatChangesNothing(t *testing.T) {
	r := withState(t)
	set := deltaOf("", "A-1 one")
	set.Requirements[0].Path, set.Documents[0].Delta, set.Documents[0].Found = "R.md", true, 1
	set.Documents[0].Rows = 2
	set.Skipped = []reqdoc.Problem{{Place: reqdoc.Place{Path: "delta.md", Line: 2}, Reason: reqdoc.ReasonNearMiss}}
	for _, rows := range []int{2, 1} {
		before := r.State().LogSize
		set.Documents[0].Rows = rows
		r.mustTake(set)
		r.mustTake(set)
		require.Equal(t, before+1, r.State().LogSize)
		last := r.current.Load().Project.Import
		require.Equal(t, []string{"R.md", "delta.md"}, pathsOf(last))
		require.Equal(t, rows-1, last.Documents[1].Missed())
		require.Equal(t, "R.md", r.current.Load().Project.Sources[0].Path)
		set.Skipped = nil
	}
	r.verified()
}

func TestTheReportTellsDeclaredNamesFromProposedOnes(t *testing.T) {
	r := drift.Report{Renamed: []drift.Renamed{{From: "A", To: "B", Declared: true}, {From: "C", To: "D", Declared: false}, {From: "E", To: "F", Declared: true}}}
	require.Equal(t, "0 found, 0 unchanged, 2 renamed, 1 perhaps renamed", r.String())
}
