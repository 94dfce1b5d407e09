package requirements

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/renames"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Verifies: ORC-175

func (r *rig) rename(from, to string) (Renamed, error) {
	return r.Rename(r.t.Context(), renames.Asked{By: paula, Renames: []renaming.Pair{{From: from, To: to}}, Reason: "by chapter"},
		Refused{Request: "POST /project/renames"})
}

// renamed is a service in which REQ-001 has lived as far as tested_pass, and its document calls it LOGIN-1 now.
func renamedDocument(t *testing.T) *rig {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	r.mustImport(strings.Replace(twoRequirements, "REQ-001", "LOGIN-1", 1))
	return r
}

func TestARenamingKeepsTheLife(t *testing.T) {
	r := renamedDocument(t)
	before := r.requirement("REQ-001")
	_, _, err := r.claim(cody, "c1", "REQ-002", time.Hour)
	require.NoError(t, err)
	r.mustImport(strings.Replace(twoRequirements, "REQ-001", "LOGIN-1", 1))

	out, err := r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	require.Equal(t, []renaming.Pair{{From: "REQ-001", To: "LOGIN-1"}}, out.Renames)
	require.Empty(t, out.Suspect)
	require.Equal(t, projection.ExportWritten, out.Exported)
	now := r.requirement("LOGIN-1")
	require.Equal(t, before.History, now.History)
	require.Equal(t, before.Stamps, now.Stamps)
	require.Equal(t, []lifecycle.FormerID{{ID: "REQ-001", Record: out.Record}}, now.FormerIDs)
	require.Equal(t, []string{"LOGIN-1", "REQ-002"}, r.current.Load().Project.IDs)

	gone, err := r.Requirement("REQ-001")
	require.Empty(t, gone)
	f := requireCode(t, err, "unknown_requirement")
	require.Equal(t, "LOGIN-1", f.RenamedTo)
	require.Empty(t, f.IDs)
	require.Equal(t, "LOGIN-1", r.refused(paula, "REQ-001", move(lifecycle.Done, approved), "unknown_requirement").RenamedTo)
	r.must(paula, "LOGIN-1", move(lifecycle.Done, approved))
	r.verified()
	rebuilt(t, r.store)

	again, err := r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	require.True(t, again.Unchanged, "it is made already")
	r.verified()
}

// seqs returns the numbers of the records of a page.
func seqs(t *testing.T, page ledger.Page) (all []uint64) {
	t.Helper()
	for _, raw := range page.Records {
		rec, err := audit.Decode(raw)
		require.NoError(t, err)
		all = append(all, rec.Seq)
	}
	return all
}

func TestTheHistoryGoesOnUnderTheNewID(t *testing.T) {
	r := renamedDocument(t)
	r.refused(cody, "REQ-001", move(lifecycle.Done), "field_forbidden")
	old, err := r.History(t.Context(), "REQ-001", 0, 100)
	require.NoError(t, err)
	_, err = r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	answer := r.must(paula, "LOGIN-1", move(lifecycle.Done, approved))
	want := append([]uint64{answer.Receipt.Index}, seqs(t, old)...)

	page, err := r.History(t.Context(), "LOGIN-1", 0, 100)
	require.NoError(t, err)
	require.Equal(t, want, seqs(t, page))
	require.EqualValues(t, len(want), page.Total)
	found, err := r.Find(t.Context(), lookup.Records{Requirement: "LOGIN-1", Newest: true, Limit: 100})
	require.NoError(t, err)
	require.Equal(t, want, seqs(t, found))
	dossier, err := r.Dossier(t.Context(), "LOGIN-1", false)
	require.NoError(t, err)
	require.Equal(t, 1, dossier.Refused.Count)
	require.Equal(t, "REQ-001", dossier.FormerIDs[0].ID)
	_, err = r.History(t.Context(), "REQ-001", 0, 100)
	require.Equal(t, "LOGIN-1", requireCode(t, err, "unknown_requirement").RenamedTo)
}

func TestAnotherTextMakesTheRenamedOneSuspect(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	r.mustImport(strings.Replace(twoRequirements, "REQ-001**: The login", "LOGIN-1**: The new login", 1))
	out, err := r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	require.Equal(t, []string{"LOGIN-1"}, out.Suspect)
	require.True(t, r.requirement("LOGIN-1").Suspect)
	require.Contains(t, string(r.record(out.Record)), `"suspect":["LOGIN-1"]`)
	r.verified()
}

// A chain of renamings is followed to its end, and an id that a document defines anew is a requirement of its own.
func TestAnIDThatIsUsedAgain(t *testing.T) {
	r := renamedDocument(t)
	first, err := r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	r.mustImport(strings.Replace(twoRequirements, "REQ-001", "AUTH-1", 1))
	_, err = r.rename("LOGIN-1", "AUTH-1")
	require.NoError(t, err)
	_, err = r.Requirement("REQ-001")
	require.Equal(t, "AUTH-1", fault.As(err).RenamedTo)
	require.Len(t, r.requirement("AUTH-1").FormerIDs, 2)
	before, err := r.History(t.Context(), "AUTH-1", 0, 100)
	require.NoError(t, err)

	report := r.mustImport(strings.Replace(twoRequirements, "REQ-001", "AUTH-1", 1) + "- **REQ-001**: Another thing.\n")
	require.Contains(t, report.Warnings[0].Message, fmt.Sprintf("REQ-001 was renamed to AUTH-1 by record %d", first.Record))
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	require.Equal(t, lifecycle.Planned, r.requirement("REQ-001").Status)
	page, err := r.History(t.Context(), "REQ-001", 0, 100)
	require.NoError(t, err)
	require.Len(t, page.Records, 1, "a life of its own")
	page, err = r.History(t.Context(), "AUTH-1", 0, 100)
	require.NoError(t, err)
	require.Equal(t, before.Records, page.Records)
	r.verified()
	rebuilt(t, r.store)
}

func TestClaimsGoAlong(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	_, _, err := r.claim(archy, "a1", "REQ-001", time.Hour)
	require.NoError(t, err)
	_, _, err = r.claim(archy, "a1", "REQ-002", time.Hour)
	require.NoError(t, err)
	r.mustImport(strings.Replace(twoRequirements, "REQ-001", "LOGIN-1", 1))
	_, err = r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	require.Empty(t, r.ClaimsOn("REQ-001"))
	require.Equal(t, "LOGIN-1", r.ClaimsOn("LOGIN-1")[0].Requirement)
	r.verified()
	found, err := r.release(archy, "a1", "LOGIN-1", lifecycle.FieldDesignSpec)
	require.NoError(t, err)
	require.True(t, found)
	r.verified()
}

func TestARenamingWithAKeyIsAnsweredOnce(t *testing.T) {
	r := renamedDocument(t)
	a := renames.Asked{By: paula, Renames: []renaming.Pair{{From: "REQ-001", To: "LOGIN-1"}}, Reason: "by chapter", Key: "k", Digest: "d"}
	asked := Refused{Request: "POST /project/renames"}
	first, err := r.Rename(t.Context(), a, asked)
	require.NoError(t, err)
	again, err := r.Rename(t.Context(), a, asked)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	again.Replayed = false
	require.Equal(t, first.Done, again.Done)
	a.Digest = "e"
	_, err = r.Rename(t.Context(), a, asked)
	requireCode(t, err, "idempotency_key_reused")
	r.verified()
}

func TestARenamingThatIsRefused(t *testing.T) {
	r := renamedDocument(t)
	pair := []renaming.Pair{{From: "REQ-001", To: "LOGIN-1"}}
	for name, c := range map[string]struct {
		a    renames.Asked
		code fault.Code
	}{
		"by a coder":           {renames.Asked{By: cody, Renames: pair, Reason: "r"}, "role_forbidden"},
		"without a reason":     {renames.Asked{By: paula, Renames: pair}, "reason_required"},
		"with a long reason":   {renames.Asked{By: paula, Renames: pair, Reason: strings.Repeat("r", 1001)}, "reason_too_long"},
		"of nothing":           {renames.Asked{By: paula, Reason: "r"}, "rename_invalid"},
		"of both":              {renames.Asked{By: paula, Renames: pair, Qualify: "none", Reason: "r"}, "rename_invalid"},
		"of too many":          {renames.Asked{By: paula, Renames: make([]renaming.Pair, 1001), Reason: "r"}, "rename_invalid"},
		"of one twice":         {renames.Asked{By: paula, Renames: append(pair, renaming.Pair{From: "REQ-001", To: "X-1"}), Reason: "r"}, "rename_invalid"},
		"of what is no id":     {renames.Asked{By: paula, Renames: []renaming.Pair{{From: "", To: "X-1"}}, Reason: "r"}, "rename_invalid"},
		"to an unknown form":   {renames.Asked{By: paula, Qualify: "hand", Reason: "r"}, "rename_invalid"},
		"of what is there":     {renames.Asked{By: paula, Renames: []renaming.Pair{{From: "REQ-002", To: "LOGIN-1"}}, Reason: "r"}, "rename_source_in_use"},
		"to what is not there": {renames.Asked{By: paula, Renames: []renaming.Pair{{From: "REQ-001", To: "X-1"}}, Reason: "r"}, "rename_target_undefined"},
	} {
		size := r.State().LogSize
		_, err := r.Rename(t.Context(), c.a, Refused{Request: "POST /project/renames"})
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
		require.Contains(t, string(r.record(size)), `"kind":"request.refused"`, name)
		_, err = r.Rename(t.Context(), c.a, Refused{DryRun: true})
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
	}
	out, err := r.Rename(t.Context(), renames.Asked{By: paula, Renames: pair, Reason: "r"}, Refused{DryRun: true})
	require.NoError(t, err)
	require.True(t, out.DryRun)
	require.Equal(t, pair, out.Renames)
	require.True(t, r.requirement("REQ-001").Retired, "nothing was done")
	r.verified()
}

func TestNamesOfTestsKeepCounting(t *testing.T) {
	r := renamedDocument(t)
	_, err := r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	require.Equal(t, []string{"LOGIN-1"}, r.current.Load().Finder(&r.Service.shared.ids).In("TestLogin_REQ001"))
}

// Verifies: ORC-176

func TestAllIDsGetAnotherForm(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s, func(o *Options) { o.Reading.Qualify = qualify.None })
	r.takeFiles(specIn("cli-list"), reqdoc.File{Path: "R.md", Content: []byte("- **REQ-1**: One.\n- **REQ-2**: Two.\n")})
	r.must(paula, "Output Format", move(lifecycle.Planned))
	r.takeFiles(specIn("cli-list"), reqdoc.File{Path: "R.md", Content: []byte("- **REQ-1**: One.\n")})
	ask := func(form string, dry bool) (Renamed, error) {
		return r.Rename(t.Context(), renames.Asked{By: paula, Qualify: form, Reason: "one project"}, Refused{Request: "POST /project/renames", DryRun: dry})
	}
	dry, err := ask(qualify.Folder, true)
	require.NoError(t, err)
	require.Len(t, dry.Renames, 1)
	out, err := ask(qualify.Folder, false)
	require.NoError(t, err)
	require.Equal(t, []renaming.Pair{{From: "Output Format", To: "cli-list/Output Format"}}, out.Renames)
	require.Equal(t, []string{"cli-list/Output Format", "REQ-1", "REQ-2"}, r.current.Load().Project.IDs)
	require.Equal(t, lifecycle.Planned, r.requirement("cli-list/Output Format").Status)
	r.verified()
	rebuilt(t, r.store)

	size := r.State().LogSize
	r.takeFiles(specIn("cli-list"), reqdoc.File{Path: "R.md", Content: []byte("- **REQ-1**: One.\n")})
	require.Equal(t, size, r.State().LogSize, "the documents are as they were")
	_, err = r.Requirement("Output Format")
	require.Equal(t, []string{"cli-list/Output Format"}, fault.As(err).IDs, "it is the short form now")
	require.Equal(t, "cli-list/Output Format", fault.As(err).RenamedTo)
	same, err := ask(qualify.Folder, false)
	require.NoError(t, err)
	require.True(t, same.Unchanged)

	r.takeFiles(specIn("cli-list"), specIn("cli-show"))
	_, err = ask(qualify.None, false)
	require.True(t, fault.Is(err, "rename_form_invalid"), err)
	r.takeFiles(specIn("cli-list"))
	r.verified()
}

func TestTenThousandIDsGetAnotherFormInOneRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "- **REQ-%d**: What number %d is to do.\n", i+1, i+1)
	}
	r := start(t, store.NewMemory())
	r.takeFiles(reqdoc.File{Path: "docs/R.md", Content: []byte(text.String())})
	size, began := r.State().LogSize, time.Now()
	out, err := r.Rename(t.Context(), renames.Asked{By: paula, Qualify: qualify.Folder, Reason: "one project"}, Refused{})
	require.NoError(t, err)
	t.Logf("10,000 ids in %s", time.Since(began))
	require.Len(t, out.Renames, 10_000)
	require.Equal(t, size+1, r.State().LogSize)
	require.Less(t, len(r.record(size)), 60_000)
	r.verified()
}

// A record that the rules would not have made does not verify.
func TestVerifyDecidesRenamingsAgain(t *testing.T) {
	pairs := []renaming.Pair{{From: "REQ-001", To: "LOGIN-1"}}
	pm := record.Actor(paula)
	for says, c := range map[string]struct {
		by   audit.Actor
		data record.Renamed
	}{
		"in the role coder":              {record.Actor(cody), record.Renamed{Renames: pairs, Reason: "r"}},
		"gives no reason":                {pm, record.Renamed{Renames: pairs}},
		"renames nothing":                {pm, record.Renamed{Reason: "r"}},
		"gives the ids the form":         {pm, record.Renamed{Qualify: "hand", Reason: "r"}},
		"the rules refuse it":            {pm, record.Renamed{Renames: []renaming.Pair{{From: "REQ-002", To: "LOGIN-1"}}, Reason: "r"}},
		"more than once":                 {pm, record.Renamed{Renames: append(pairs, renaming.Pair{From: "REQ-001", To: "REQ-002"}), Reason: "r"}},
		"renames other requirements":     {pm, record.Renamed{Qualify: qualify.Folder, Renames: pairs, Reason: "r"}},
		"makes others suspect":           {pm, record.Renamed{Renames: pairs, Suspect: []string{"LOGIN-1"}, Reason: "r"}},
		"names workflow":                 {pm, record.Renamed{Renames: pairs, Reason: "r", Workflow: "rework"}},
		"is not what the log amounts to": {pm, record.Renamed{Renames: pairs, Reason: "r"}},
	} {
		r := renamedDocument(t)
		c.data.Rules = lifecycle.LatestRules
		if c.data.Workflow == "" {
			c.data.Workflow = "v1"
		}
		require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
			return tx.Append(ledger.Event{Kind: record.KindRenamed, Actor: c.by, Data: c.data})
		}))
		require.ErrorContains(t, verify(t, r.store, []byte(`{"log":{"size":1}}`)), says)
	}
}
