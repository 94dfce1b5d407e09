package requirements

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/measure"
)

// setOf is a set of one document with requirements "ID text".
func setOf(lines ...string) reqdoc.Set {
	set := reqdoc.Set{Title: "Demo", Documents: []reqdoc.Document{{Path: "R.md", SHA256: strings.Repeat("0", 64)}}}
	for i, line := range lines {
		id, text, _ := strings.Cut(line, " ")
		set.Requirements = append(set.Requirements, reqdoc.Requirement{
			Place: reqdoc.Place{Path: "R.md", Line: i + 1}, ID: id, Title: text, Kind: reqdoc.KindRequirement, EndLine: i + 1,
			Family: "markdown", Fingerprint: "sha256:" + ledger.Digest([]byte(text)),
		})
	}
	return set
}

func (r *rig) mustTake(set reqdoc.Set) drift.Report {
	r.t.Helper()
	asked := func() (reqdoc.Set, error) { return set, nil }
	dry, err := r.importing(r.t.Context(), paula, asked, ImportOptions{DryRun: true})
	require.NoError(r.t, err)
	require.True(r.t, dry.DryRun)
	report, err := r.importing(r.t.Context(), paula, asked, ImportOptions{})
	require.NoError(r.t, err)
	dry.DryRun = false
	require.Equal(r.t, report, dry, "a dry run says what happens")
	return report
}

func (r *rig) ids() []string {
	r.t.Helper()
	list, err := r.List(lookup.Query{Limit: 1000})
	require.NoError(r.t, err)
	return ids(list)
}

func TestNoListOfAReportIsNull(t *testing.T) {
	r := start(t, store.NewMemory())
	set := setOf("REQ-001 one")
	for _, report := range []drift.Report{r.mustTake(set), r.mustTake(setOf("REQ-001 two")), drift.Failed(errors.New("x"))} {
		raw, err := json.Marshal(report) // of the standard library, which writes null for nil
		require.NoError(t, err)
		require.NotContains(t, string(raw), "null")
	}
}

func TestTheReportTellsWhatWasRead(t *testing.T) {
	set := setOf("REQ-001 one")
	at := reqdoc.Place{Path: "R.md", Line: 7}
	set.Documents[0].Families, set.Documents[0].Found = map[string]int{"markdown": 1}, 1
	set.Others = []reqdoc.Entry{{Place: at, ID: "SC-001", Kind: reqdoc.KindSuccessCriterion, Title: "fast"}}
	set.Warnings = []reqdoc.Problem{{Place: at, ID: "REQ-001", Message: "m", Fix: "f"}}
	set.Skipped = []reqdoc.Problem{{Place: at, Message: "s"}}
	report := start(t, store.NewMemory()).mustTake(set)
	require.Equal(t, []drift.Document{{
		Path: "R.md", SHA256: strings.Repeat("0", 64), Families: map[string]int{"markdown": 1}, Found: 1, Others: map[string]int{},
	}}, report.Documents)
	require.Equal(t, []drift.Other{{Kind: "success_criterion", ID: "SC-001", Title: "fast", Place: drift.Place(at)}}, report.Others)
	require.Equal(t, []drift.Remark{{Place: drift.Place(at), ID: "REQ-001", Message: "m", Fix: "f"}}, report.Warnings)
	require.Equal(t, []drift.Remark{{Place: drift.Place(at), ID: "", Message: "s", Fix: ""}}, report.Skipped)
	require.Equal(t, "1 found, 0 unchanged, 1 added, 1 warnings, 1 skipped", report.String())
	require.Equal(t, 1, report.Found)
}

// Verifies: ORC-006, ORC-080
func TestTheReportTellsWhatAChangeMakesStale(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	r.must(paula, "REQ-001", "{"+approved+"}")
	report := r.mustImport(strings.Replace(twoRequirements, "login", "sign-in", 1))
	require.Equal(t, []string{"design_spec", "implementation", "test", "approvals"}, report.Changed[0].Stale)
	require.True(t, report.Changed[0].Suspect)
	require.Equal(t, []drift.Edit{{Op: "equal", Text: "The"}, {Op: "delete", Text: "login"}, {Op: "insert", Text: "sign-in"}, {Op: "equal", Text: "works."}}, report.Changed[0].Diff)

	report = r.mustImport("- **REQ-002**: The logout works.\n")
	require.Equal(t, []drift.Retired{{
		ID: "REQ-001", Title: "The sign-in works.", Status: lifecycle.TestedPass, Strands: []string{"status", "design_spec", "implementation", "test", "approvals"},
		PMMust: "work had begun: defer it, or put its text back into the document",
	}}, report.Retired)
	require.Empty(t, r.mustImport("- **REQ-002**: The logout works.\n").Retired, "it is listed by the import that retires it")
	require.Equal(t, "REQ-001", r.review().Findings.RetiredWithWork[0].ID, "and to PM until it is deferred")
	report = r.mustImport(strings.Replace(twoRequirements, "login", "log-in", 1))
	require.Equal(t, []string{"REQ-001"}, report.Restored)
	require.Equal(t, "REQ-001", report.Changed[0].ID, "back, with another text")
	r.verified()
}

// Verifies: ORC-009
func TestRenamesAreProposedAndNeverMade(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []string
		declared      []reqdoc.Rename
		want          []drift.Renamed
	}{
		"the same text":     {[]string{"A-1 one", "A-2 two"}, []string{"B-1 one", "A-2 two"}, nil, []drift.Renamed{{From: "A-1", To: "B-1", Declared: false}}},
		"another text":      {[]string{"A-1 one"}, []string{"B-1 two"}, nil, []drift.Renamed{}},
		"several":           {[]string{"A-1 one", "A-2 one", "A-3 one"}, []string{"B-1 one", "B-2 one"}, nil, []drift.Renamed{{From: "A-1", To: "B-1", Declared: false}, {From: "A-2", To: "B-2", Declared: false}}},
		"it is still there": {[]string{"A-1 one"}, []string{"A-1 one", "B-1 one"}, nil, []drift.Renamed{}},
		"declared":          {[]string{"A-1 one"}, []string{"B-1 two"}, []reqdoc.Rename{{From: "A-1", To: "B-1"}}, []drift.Renamed{{From: "A-1", To: "B-1", Declared: true}}},
		"declared, and others": {
			[]string{"A-1 one", "A-2 one"}, []string{"B-1 one", "B-2 one"}, []reqdoc.Rename{{From: "A-2", To: "B-1"}},
			[]drift.Renamed{{From: "A-2", To: "B-1", Declared: true}, {From: "A-1", To: "B-2", Declared: false}},
		},
		"declared otherwise": {[]string{"A-1 one"}, []string{"B-1 one"}, []reqdoc.Rename{{From: "A-9", To: "B-1"}}, []drift.Renamed{{From: "A-9", To: "B-1", Declared: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, store.NewMemory())
			r.mustTake(setOf(c.before...))
			set := setOf(c.after...)
			set.Renamed = c.declared
			report := r.mustTake(set)
			require.Equal(t, c.want, report.Renamed)
			require.Empty(t, r.mustTake(set).Renamed, "an import that makes no new name names none")
			for _, renamed := range c.want {
				if e, found := r.current.Load().Find(renamed.From); found {
					require.True(t, e.Summary.Retired)
				}
				_, found := r.current.Load().Find(renamed.To)
				require.True(t, found)
			}
			r.verified()
		})
	}
}

func TestDeltasLeaveWhatTheyDoNotName(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustTake(setOf("A-1 one", "A-2 two", "A-3 three", "A-4 four"))
	delta := setOf("B-1 new", "A-3 changed", "A-4 four", "B-4 other")
	delta.Partial, delta.Title = true, "A change"
	delta.Requirements[2].Line = 4
	at := reqdoc.Place{Path: "R.md", Line: 9}
	delta.Removed = []reqdoc.Entry{{Place: at, ID: "A-2"}, {Place: at, ID: "A-2"}, {Place: at, ID: "A-9"}, {Place: at, ID: "A-3"}}
	delta.Renamed = []reqdoc.Rename{{From: "A-1", To: "Z-1"}}
	report := r.mustTake(delta)
	require.Equal(t, []string{"A-1", "A-2", "A-3", "A-4", "B-1", "B-4"}, r.ids(), "in their places, and the new ones behind")
	require.Equal(t, "Demo", r.current.Load().Project.Name)
	require.Len(t, report.Added, 2)
	require.Equal(t, "A-3", report.Changed[0].ID)
	require.Len(t, report.Retired, 1)
	require.Equal(t, "A-2", report.Retired[0].ID)
	require.Empty(t, report.Renamed, "what has no new text stays")
	require.Len(t, report.Warnings, 3)
	require.Contains(t, report.Warnings[0].Message, `renames "A-1" to "Z-1" and has no text`)
	require.Contains(t, report.Warnings[1].Message, "A-9")
	require.Contains(t, report.Warnings[2].Message, "A-3")
	for id, retired := range map[string]bool{"A-1": false, "A-2": true, "A-3": false, "A-4": false} {
		e, _ := r.current.Load().Find(id)
		require.Equal(t, retired, e.Summary.Retired, id)
	}
	r.verified()

	delta = setOf("C-1 one")
	delta.Partial, delta.Renamed = true, []reqdoc.Rename{{From: "A-1", To: "C-1"}}
	require.Equal(t, "A-1", r.mustTake(delta).Retired[0].ID, "its new text is there under the new id")
	delta = reqdoc.Set{Partial: true, Documents: delta.Documents, Removed: []reqdoc.Entry{{ID: "A-4"}}}
	require.Equal(t, "A-4", r.mustTake(delta).Retired[0].ID)
	r.verified()
}

func TestPreview(t *testing.T) {
	files := []reqdoc.File{{Path: "REQUIREMENTS.md", Content: []byte(strings.Replace(twoRequirements, "login", "sign-in", 1))}}
	report, err := drift.Preview(nil, files, reqdoc.Options{})
	require.NoError(t, err)
	require.True(t, report.DryRun)
	require.Len(t, report.Added, 2)

	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	var export bytes.Buffer
	_, write := r.Project()
	require.NoError(t, write(&export))
	whole := export.String()
	report, err = drift.Preview(strings.NewReader(whole), files, reqdoc.Options{})
	require.NoError(t, err)
	there, err := r.Import(t.Context(), paula, reading(files...), ImportOptions{DryRun: true})
	require.NoError(t, err)
	require.Equal(t, there, report, "the export says as much as the store")
	require.True(t, report.Changed[0].Suspect)

	for name, broken := range map[string]string{
		"empty": "", "cut": whole[:len(whole)/2], "another file": `{}`, "a list": `[]`, "twice": strings.ReplaceAll(whole, "REQ-002", "REQ-001"),
		"another version": strings.Replace(whole, `"schema_version":1`, `"schema_version":2`, 1), "no status": strings.Replace(whole, `"status":"planned"`, `"status":"soon"`, 1),
		"a wrong type": strings.Replace(whole, `"suspect":false`, `"suspect":0`, 1),
	} {
		_, err = drift.Preview(strings.NewReader(broken), files, reqdoc.Options{})
		require.ErrorIs(t, requireCode(t, err, "export_invalid"), fault.Invalid, name)
	}
}

func TestReview(t *testing.T) {
	r := start(t, store.NewMemory())
	require.True(t, r.review().Findings.Import.OK)
	require.Equal(t, review.NotReady, r.review().Verdict)
	r.mustImport(twoRequirements + "- **REQ-003**: The menu works.\n")
	r.must(paula, "REQ-001", move(lifecycle.Planned, `"deviations":[{"id":"D1","text":"t"}]`))
	r.must(paula, "REQ-002", move(lifecycle.Planned))
	r.mustImport("- **REQ-001**: The login works well.\n")
	found := r.review().Findings
	require.True(t, found.Import.OK)
	require.Nil(t, found.Import.At, "an import that changes nothing changes no byte of the review")
	require.Equal(t, 1, r.review().Counts.Suspect)
	require.Equal(t, []review.Stranded{{ID: "REQ-002", Status: lifecycle.Planned, Strands: []string{"status"}}}, found.RetiredWithWork, "REQ-003 had no work on it")
	require.Equal(t, "REQ-001", found.Deviations[0].Requirement)

	r.must(paula, "REQ-002", move(lifecycle.Deferred))
	r.must(paula, "REQ-001", `{"deviations":[{"id":"D1","resolution":{"outcome":"fixed","text":"t"}}]}`)
	require.Empty(t, r.review().Findings.RetiredWithWork)
	require.Empty(t, r.review().Findings.Deviations)

	var broken strings.Builder
	for range 6 {
		broken.WriteString("- **REQ-001**: a\n- **REQ-001**: b\n")
	}
	_, err := r.importText(broken.String())
	require.Error(t, err)
	problem := r.reviewImport().Problem
	require.False(t, r.reviewImport().OK)
	require.Equal(t, fault.Code("document_invalid"), problem.Code)
	require.Contains(t, problem.Errors[0].Path, "REQUIREMENTS.md")
	require.Equal(t, 2, problem.Errors[0].Line)
	require.Contains(t, r.importFailure(), "REQUIREMENTS.md:2: REQ-001")
	require.Contains(t, r.importFailure(), "GET /project/review")
	_, err = r.Import(t.Context(), paula, reading(reqdoc.File{Path: "R.md", Content: []byte(twoRequirements)}), ImportOptions{DryRun: true})
	require.NoError(t, err)
	require.False(t, r.reviewImport().OK, "a dry run mends nothing")
	r.mustImport("- **REQ-001**: The login works well.\n")
	require.Nil(t, r.reviewImport().Problem)
}

// An import of many requirements, of which none changed, costs little more than to read the document.
func TestAnUnchangedImportIsFast(t *testing.T) {
	r := start(t, store.NewMemory(), func(o *Options) { o.ExportPath = "" })
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "- **REQ-%05d**: The requirement with number %d.\n", i, i)
	}
	r.mustImport(text.String())
	size := r.State().LogSize
	read := measure.CPU(1, func() {
		_, err := reqdoc.Read([]reqdoc.File{{Path: "R.md", Content: []byte(text.String())}}, reqdoc.Options{})
		require.NoError(t, err)
	})
	again := measure.CPU(1, func() { require.Equal(t, 10_000, r.mustImport(text.String()).Unchanged) })
	t.Logf("10,000 unchanged requirements: %v, to read them alone: %v", again, read)
	require.Less(t, again, 20*read)
	require.Equal(t, size, r.State().LogSize)
}
