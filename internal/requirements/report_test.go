package requirements

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
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
			Family: "markdown", Fingerprint: "sha256:" + digestOf([]byte(text)),
		})
	}
	return set
}

func (r *rig) mustTake(set reqdoc.Set) Report {
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
	list, err := r.List(Query{Limit: 1000})
	require.NoError(r.t, err)
	return ids(list)
}

func TestNoListOfAReportIsNull(t *testing.T) {
	r := start(t, store.NewMemory())
	set := setOf("REQ-001 one")
	for _, report := range []Report{r.mustTake(set), r.mustTake(setOf("REQ-001 two")), Failed(errors.New("x")), emptyReport()} {
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
	require.Equal(t, []ReportDocument{{
		Path: "R.md", SHA256: strings.Repeat("0", 64), Families: map[string]int{"markdown": 1}, Found: 1, Others: map[string]int{},
	}}, report.Documents)
	require.Equal(t, []ReportOther{{"success_criterion", "SC-001", "fast", ReportPlace(at)}}, report.Others)
	require.Equal(t, []ReportRemark{{ReportPlace(at), "REQ-001", "m", "f"}}, report.Warnings)
	require.Equal(t, []ReportRemark{{ReportPlace(at), "", "s", ""}}, report.Skipped)
	require.Equal(t, "1 found, 0 unchanged, 1 added, 1 warnings, 1 skipped", report.String())
	require.Equal(t, 1, report.Found)
}

func TestTheReportTellsWhatAChangeMakesStale(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	r.must(paula, "REQ-001", "{"+approved+"}")
	report := r.mustImport(strings.Replace(twoRequirements, "login", "sign-in", 1))
	require.Equal(t, []string{"design_spec", "implementation", "test", "approvals"}, report.Changed[0].Stale)
	require.True(t, report.Changed[0].Suspect)
	require.Equal(t, []Edit{{"equal", "The"}, {"delete", "login"}, {"insert", "sign-in"}, {"equal", "works."}}, report.Changed[0].Diff)

	report = r.mustImport("- **REQ-002**: The logout works.\n")
	require.Equal(t, []ReportRetired{{
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

func TestRenamesAreProposedAndNeverMade(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []string
		declared      []reqdoc.Rename
		want          []ReportRenamed
	}{
		"the same text":     {[]string{"A-1 one", "A-2 two"}, []string{"B-1 one", "A-2 two"}, nil, []ReportRenamed{{"A-1", "B-1", false}}},
		"another text":      {[]string{"A-1 one"}, []string{"B-1 two"}, nil, []ReportRenamed{}},
		"several":           {[]string{"A-1 one", "A-2 one", "A-3 one"}, []string{"B-1 one", "B-2 one"}, nil, []ReportRenamed{{"A-1", "B-1", false}, {"A-2", "B-2", false}}},
		"it is still there": {[]string{"A-1 one"}, []string{"A-1 one", "B-1 one"}, nil, []ReportRenamed{}},
		"declared":          {[]string{"A-1 one"}, []string{"B-1 two"}, []reqdoc.Rename{{From: "A-1", To: "B-1"}}, []ReportRenamed{{"A-1", "B-1", true}}},
		"declared, and others": {
			[]string{"A-1 one", "A-2 one"}, []string{"B-1 one", "B-2 one"}, []reqdoc.Rename{{From: "A-2", To: "B-1"}},
			[]ReportRenamed{{"A-2", "B-1", true}, {"A-1", "B-2", false}},
		},
		"declared otherwise": {[]string{"A-1 one"}, []string{"B-1 one"}, []reqdoc.Rename{{From: "A-9", To: "B-1"}}, []ReportRenamed{{"A-9", "B-1", true}}},
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

func TestFailed(t *testing.T) {
	line := fault.Field{Pointer: "a#b/R.md#L12", Detail: "d", Fix: "mend it"}
	for name, c := range map[string]struct {
		err  error
		want []ReportRemark
	}{
		"lines": {
			fault.New(fault.Invalid, "x", "all").WithFix("f").WithFields(line, fault.Field{Pointer: "R.md#Lx", Detail: "e"}),
			[]ReportRemark{{ReportPlace{"a#b/R.md", 12}, "", "d", "mend it"}, {ReportPlace{"R.md#Lx", 0}, "", "e", "f"}},
		},
		"a whole document": {fault.New(fault.Invalid, "x", "R.md: too large").WithFix("f"), []ReportRemark{{ReportPlace{}, "", "R.md: too large", "f"}}},
		"not a fault":      {errors.New("odd"), []ReportRemark{{ReportPlace{}, "", "odd", ""}}},
	} {
		require.Equal(t, c.want, Failed(c.err).Errors, name)
	}
	_, err := Preview(nil, []reqdoc.File{{Path: "R.md", Content: []byte("- **REQ-001**: a\n- **REQ-001**: b\n")}}, reqdoc.Options{})
	report := Failed(err)
	require.Equal(t, ReportPlace{"R.md", 2}, report.Errors[0].ReportPlace)
	require.NotEmpty(t, report.Errors[0].Fix)
	require.Equal(t, "0 found, 0 unchanged, 1 errors", report.String())
}

func TestPreview(t *testing.T) {
	files := []reqdoc.File{{Path: "REQUIREMENTS.md", Content: []byte(strings.Replace(twoRequirements, "login", "sign-in", 1))}}
	report, err := Preview(nil, files, reqdoc.Options{})
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
	report, err = Preview(strings.NewReader(whole), files, reqdoc.Options{})
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
		_, err = Preview(strings.NewReader(broken), files, reqdoc.Options{})
		require.ErrorIs(t, requireCode(t, err, "export_invalid"), fault.Invalid, name)
	}
}

func TestWordDiff(t *testing.T) {
	def := func(title, text string, acceptance ...string) lifecycle.Definition {
		d := lifecycle.Definition{Title: title, Text: text}
		for _, a := range acceptance {
			d.Acceptance = append(d.Acceptance, lifecycle.Criterion{Kind: "acceptance", Text: a})
		}
		return d
	}
	numbers := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint(i))
		}
		return strings.Join(all, " ")
	}
	for name, c := range map[string]struct {
		before, after lifecycle.Definition
		want          []Edit
	}{
		"a word":         {def("Log in", "at once"), def("Log in", "at last"), []Edit{{"equal", "Log in\nat"}, {"delete", "once"}, {"insert", "last"}}},
		"a criterion":    {def("T", "x", "one"), def("T", "x", "one", "two"), []Edit{{"equal", "T\nx\n- one"}, {"insert", "\n- two"}}},
		"line ends":      {def("T", "a b\nc d"), def("T", "a\nb c e"), []Edit{{"equal", "T\na b c"}, {"delete", "d"}, {"insert", "e"}}},
		"only spaces":    {def("T", "a  b"), def("T", "a b"), []Edit{{"delete", "T\na  b"}, {"insert", "T\na b"}}},
		"a made title":   {def("Log in.", "**Log** in. At once."), def("Log in.", "**Log** in. At last."), []Edit{{"equal", "**Log** in. At"}, {"delete", "once."}, {"insert", "last."}}},
		"from the empty": {def("", ""), def("T", ""), []Edit{{"insert", "T"}}},
		"a long text": {
			def("T", numbers(40)+" old "+numbers(40)+" old "+numbers(12)), def("T", numbers(40)+" new "+numbers(40)+" new "+numbers(12)),
			[]Edit{
				{"equal", "… 35 36 37 38 39"}, {"delete", "old"}, {"insert", "new"}, {"equal", "0 1 2 3 4 … 35 36 37 38 39"},
				{"delete", "old"}, {"insert", "new"}, {"equal", numbers(12)},
			},
		},
	} {
		require.Equal(t, c.want, wordDiff(c.before, c.after), name)
	}
}

func TestAWordDiffIsTheChange(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	rapid.Check(t, func(rt *rapid.T) {
		before, after := rapid.SliceOfN(word, 1, 200).Draw(rt, "before"), rapid.SliceOfN(word, 1, 200).Draw(rt, "after")
		if fmt.Sprint(before) == fmt.Sprint(after) {
			return
		}
		old, now := lifecycle.Definition{Title: strings.Join(before, " ")}, lifecycle.Definition{Title: strings.Join(after, " ")}
		var deleted, inserted int
		for _, e := range wordDiff(old, now) {
			switch e.Op {
			case opDelete:
				deleted += len(strings.Fields(e.Text))
			case opInsert:
				inserted += len(strings.Fields(e.Text))
			}
		}
		require.Equal(rt, len(after)-len(before), inserted-deleted)
	})
}

// A document of any kind must neither keep an import busy nor make its report large.
func TestAWordDiffIsBounded(t *testing.T) {
	megabyte := func(unit string) string { return strings.Repeat(unit, 1<<20/len(unit)) }
	small := func(seed, step int) string {
		var all []string
		for i := range 6_000 {
			all = append(all, fmt.Sprint((i*step+seed)%1000))
		}
		return strings.Join(all, " ")
	}
	long := strings.Repeat("The service keeps every change that it has confirmed. ", 1_000)
	ordinary := measure.CPU(5, func() {
		require.NotEmpty(t, wordDiff(lifecycle.Definition{Title: long}, lifecycle.Definition{Title: "Once: " + long}))
	})
	for name, c := range map[string][2]string{
		"no spaces": {megabyte("a"), megabyte("b")}, "many words": {megabyte("a b "), megabyte("b c ")}, "the end differs": {megabyte("é") + "x", megabyte("é") + "y"},
		"all words differ": {small(0, 7), small(3, 11)}, "longer": {"one", megabyte("a ")}, "many small changes": {small(0, 1), strings.ReplaceAll(small(0, 1), "5 ", "5x ")},
	} {
		var diff []Edit
		took := measure.CPU(1, func() { diff = wordDiff(lifecycle.Definition{Title: c[0]}, lifecycle.Definition{Title: c[1]}) })
		require.Less(t, took, 100*ordinary, name)
		size, ops := 0, map[string]bool{}
		for _, e := range diff {
			size += len(e.Text)
			ops[e.Op] = true
		}
		require.Less(t, size, longestDiff+longestEdit, name)
		require.True(t, ops[opDelete] && ops[opInsert], name)
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
	require.Equal(t, "document_invalid", problem.Code)
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

func TestWithoutAChoiceTheWorkflowStays(t *testing.T) {
	s := store.NewMemory()
	none := func(o *Options) { o.Workflow = lifecycle.Workflow{} }
	require.Equal(t, "v1", start(t, s, none).Workflow().Name)
	r := start(t, s, func(o *Options) { o.Workflow = lifecycle.Rework })
	r.mustImport(twoRequirements)
	size := r.State().LogSize
	again := start(t, s, none)
	require.Equal(t, "rework", again.Workflow().Name)
	require.Equal(t, size, again.State().LogSize)
	again.must(paula, "REQ-001", move(lifecycle.Blocked))
	again.must(paula, "REQ-001", move(lifecycle.NotStarted))
	again.verified()
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
