package requirements

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/auditor/replay"
	boundary "orchestrator/internal/boundary/record"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// TestTheLogAmountsToTheTables lets random actors send random changes, imports and replays, and then
// replays the log: every decision again, the tables byte for byte, the export too. A store that is filled with what
// the replay came to is the same, byte for byte.
func TestTheLogAmountsToTheTables(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lived := store.NewMemory()
		r := start(t, lived, func(o *Options) {
			o.ExportPath, o.Workflow = "", rapid.SampledFrom([]lifecycle.Workflow{lifecycle.V1, lifecycle.Rework}).Draw(rt, "workflow")
		})
		r.mustImport(randomDocument(rt))
		accepted, journal := 0, map[string]int64{}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			if rapid.IntRange(0, 9).Draw(rt, "step") == 0 {
				if rapid.Bool().Draw(rt, "delta") {
					r.mustTake(randomDelta(rt))
				} else {
					_, _ = r.importText(randomDocument(rt))
				}
				continue
			}
			if rapid.IntRange(0, 9).Draw(rt, "switch") == 0 {
				_, _ = r.switchTo(rapid.SampledFrom([]lifecycle.Actor{paula, paula, cody}).Draw(rt, "pm"),
					rapid.SampledFrom([]string{"v1", "rework"}).Draw(rt, "to"), rapid.SampledFrom([]string{"because", "because", ""}).Draw(rt, "reason"))
			}
			if rapid.IntRange(0, 14).Draw(rt, "journal") == 0 {
				randomJournal(rt, r.ledger, journal)
			}
			if rapid.IntRange(0, 4).Draw(rt, "claim") == 0 {
				r.randomClaim(rt)
				continue
			}
			p := Proposal{ID: randomID(rt), Holder: rapid.SampledFrom([]string{"h1", "h1", "h2"}).Draw(rt, "holder"), Body: []byte(randomBody(rt)), IdempotencyKey: rapid.SampledFrom([]string{"", "", "k1", "k2"}).Draw(rt, "key")}
			p.IfMatch = rapid.SampledFrom([][]string{nil, nil, nil, {"1"}, {"*"}}).Draw(rt, "if-match")
			if _, err := r.Patch(t.Context(), rapid.SampledFrom([]lifecycle.Actor{paula, archy, cody, tess, {Name: "cody", Role: lifecycle.PM}}).Draw(rt, "who"), p); err == nil {
				accepted++
			}
			if rapid.IntRange(0, 30).Draw(rt, "a day passes") == 0 {
				r.clock.wind(record.KeepKeys)
				_, err := r.ForgetKeys(t.Context())
				require.NoError(rt, err)
			}
		}
		r.verified()
		require.Equal(rt, lived.Dump(), rebuilt(t, lived).Dump())
	})
}

// rebuilt is an empty store after it was filled with the log of another, and with what its replay came to.
func rebuilt(t *testing.T, from store.Store) *store.Memory {
	t.Helper()
	to := store.NewMemory()
	l, err := ledger.OpenReadOnly(t.Context(), from)
	require.NoError(t, err)
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		b, err := ledger.NewBuilder(t.Context(), to, r)
		if err != nil {
			return err
		}
		replay, err := replay.New(nil)
		if err != nil {
			return err
		}
		require.ErrorContains(t, replay.Fill(t.Context(), b), "not told to Keep")
		replay.Keep()
		var head audit.Head
		err = r.Scan("audit", "", "", func(_ string, row []byte) error {
			raw := ledger.RecordOf(row)
			record, after, _, err := head.Next(raw)
			if err != nil {
				return err
			}
			head = after
			if err := replay.Apply(replay.Read(r, record), head); err != nil {
				return err
			}
			return b.Append(t.Context(), raw)
		})
		if err != nil {
			return err
		}
		if err := replay.Fill(t.Context(), b); err != nil {
			return err
		}
		_, err = b.Finish(t.Context())
		return err
	}))
	return to
}

// A store that was stopped before anything was chosen is in order, and so is its copy.
func TestALogOfOneRecord(t *testing.T) {
	s := store.NewMemory()
	_, err := ledger.Open(t.Context(), s, newClock().read)
	require.NoError(t, err)
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	v, err := replay.Verify(t.Context(), l, nil, nil)
	require.NoError(t, err)
	require.Equal(t, uint64(1), v.Records)
	require.Equal(t, s.Dump(), rebuilt(t, s).Dump())
}

// randomClaim takes, renews, releases or breaks a claim, or lets time pass.
func (r *rig) randomClaim(rt *rapid.T) {
	who := rapid.SampledFrom([]lifecycle.Actor{archy, cody, tess, paula}).Draw(rt, "claimer")
	holder := rapid.SampledFrom([]string{"h1", "h2"}).Draw(rt, "claims as")
	switch rapid.IntRange(0, 3).Draw(rt, "of a claim") {
	case 0:
		_, _ = r.release(who, holder, randomID(rt), rapid.SampledFrom([]string{"implementation", "test", "status"}).Draw(rt, "field"))
	case 1:
		r.clock.wind(10 * time.Minute)
	default:
		_, _, _ = r.claim(who, holder, randomID(rt), rapid.SampledFrom([]time.Duration{time.Minute, time.Hour}).Draw(rt, "length"))
	}
}

func randomID(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"REQ-001", "REQ-001", "REQ-002", "REQ-404"}).Draw(rt, "id")
}

func randomDocument(rt *rapid.T) string {
	doc := "# Demo\n\n"
	for _, id := range []string{"REQ-001", "REQ-002", "REQ-003"} {
		if text := rapid.SampledFrom([]string{"one", "one", "two", ""}).Draw(rt, id); text != "" {
			doc += fmt.Sprintf("- **%s**: text %s\n", id, text)
		}
	}
	return doc + "- **REQ-009**: always there\n"
}

// randomDelta names only what it changes, and may name one id in several ways.
func randomDelta(rt *rapid.T) reqdoc.Set {
	var lines []string
	set := reqdoc.Set{}
	for _, id := range []string{"REQ-004", "REQ-001", "REQ-002", "REQ-005"} {
		if text := rapid.SampledFrom([]string{"one", "two", "", ""}).Draw(rt, id); text != "" {
			lines = append(lines, id+" "+text)
		}
		if rapid.IntRange(0, 3).Draw(rt, "away") == 0 {
			set.Removed = append(set.Removed, reqdoc.Entry{ID: id})
		}
	}
	if rapid.Bool().Draw(rt, "renamed") {
		set.Renamed = []reqdoc.Rename{{From: "REQ-003", To: "REQ-004"}}
	}
	defined := setOf(lines...)
	set.Title, set.Documents, set.Requirements, set.Partial = defined.Title, defined.Documents, defined.Requirements, true
	return set
}

func randomBody(rt *rapid.T) string {
	switch rapid.IntRange(0, 7).Draw(rt, "kind") {
	case 0:
		return designed
	case 1:
		return implemented
	case 2:
		return "{" + passed + "}"
	case 3:
		return "{" + approved + "}"
	case 4:
		return rapid.SampledFrom([]string{`{`, `{"x":1}`, `{"test":null}`, `{"deviations":[{"id":"D1","text":"t"}]}`, `{"deviations":[{"id":"D1","resolution":{"outcome":"fixed","text":"t"}}]}`}).Draw(rt, "odd")
	}
	return move(rapid.SampledFrom(lifecycle.Statuses()).Draw(rt, "to"))
}

// spoiled is a store with a short history, changed by fn behind the service's back.
func spoiled(t *testing.T, fn func(store.Tx) error) (store.Store, []byte) {
	t.Helper()
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	r.refused(cody, "REQ-001", move(lifecycle.Done), "field_forbidden")
	_, err := r.Patch(t.Context(), paula, Proposal{ID: "REQ-002", Body: []byte(move(lifecycle.Planned)), IdempotencyKey: "k"})
	require.NoError(t, err)
	var export bytes.Buffer
	_, write := r.Project()
	require.NoError(t, write(&export))
	require.NoError(t, s.Update(t.Context(), fn))
	return s, export.Bytes()
}

func verify(t *testing.T, s store.Store, export []byte) error {
	t.Helper()
	l, err := ledger.OpenReadOnly(t.Context(), s)
	if err != nil {
		return err
	}
	_, err = replay.Verify(t.Context(), l, projection.ExportOf(export), nil)
	return err
}

func TestVerifyFindsWhatTheLogDoesNotAccountFor(t *testing.T) {
	replace := func(table, key, old, new string) func(store.Tx) error {
		return func(tx store.Tx) error {
			raw, err := tx.Get(table, key)
			if err != nil {
				return err
			}
			return tx.Put(table, key, bytes.Replace(raw, []byte(old), []byte(new), 1))
		}
	}
	for name, c := range map[string]struct {
		spoil func(store.Tx) error
		want  string
	}{
		"nothing":                   {func(store.Tx) error { return nil }, ""},
		"a status set in the table": {replace("requirements", "REQ-001", `"status":"planned"`, `"status":"done"`), `"REQ-001" is not what the log amounts to`},
		"a requirement dropped":     {func(tx store.Tx) error { return tx.Delete("requirements", "REQ-002") }, `lacks "REQ-002"`},
		"a requirement added":       {func(tx store.Tx) error { return tx.Put("requirements", "REQ-666", []byte("{}")) }, "does not account for"},
		"a row read after all":      {replace("project", "project", `"read":2`, `"read":1`), "is not what the log amounts to"},
		"another one who imported":  {replace("project", "project", `"name":"paula"`, `"name":"cody"`), "is not what the log amounts to"},
		"a workflow set":            {replace("project", "project", `"v1"`, `"rework"`), "is not what the log amounts to"},
		"an answer forgotten":       {func(tx store.Tx) error { return tx.Delete("idempotency", "paula\x00pm\x00k") }, "lacks"},
		"an answer changed":         {replace("idempotency", "paula\x00pm\x00k", `"revision":2`, `"revision":3`), "is not what the log amounts to"},
		"a record changed":          {replace("audit", "\x00\x00\x00\x00\x00\x00\x00\x04", `"because"`, `"becauze"`), "record 4 was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			s, export := spoiled(t, c.spoil)
			err := verify(t, s, export)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestVerifyDecidesAgain writes records that the rules would not have made, with hashes that are right.
func TestVerifyDecidesAgain(t *testing.T) {
	for name, c := range map[string]struct {
		event ledger.Event
		want  string
	}{
		"an illegal change": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(cody), Subject: "REQ-002",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: []byte(move(lifecycle.Done)), Revision: 2}}, "accepted, but the rules refuse it"},
		"a refusal of what is allowed": {ledger.Event{Kind: record.KindRefused, Actor: record.Actor(paula), Subject: "REQ-002",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: []byte(move(lifecycle.Blocked)), Refusal: fault.New(fault.Invalid, "idempotency_key_reused", "used")}}, "refused (idempotency_key_reused), but the rules allow it"},
		"a refusal for another reason": {ledger.Event{Kind: record.KindRefused, Actor: record.Actor(cody), Subject: "REQ-002",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: []byte(move(lifecycle.Blocked)), Refusal: fault.New(fault.Invalid, "idempotency_key_reused", "used")}}, "the rules refuse it as field_forbidden"},
		"a change with another outcome": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(paula), Subject: "REQ-002",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: []byte(move(lifecycle.Blocked)), Revision: 7}}, "not 7"},
		"an import of what did not change": {ledger.Event{Kind: record.KindImported, Actor: record.Actor(paula),
			Data: record.Imported{Rules: lifecycle.LatestRules, Workflow: lifecycle.V1.Name, Retired: []string{"REQ-001", "REQ-001"}}}, "retired already"},
		"an import that read as before what nobody read": {ledger.Event{Kind: record.KindImported, Actor: record.Actor(paula),
			Data: record.Imported{Rules: lifecycle.LatestRules, Workflow: lifecycle.V1.Name, Origin: &projection.ImportOrigin{}, Read: []account.Document{{Path: "other.md"}}}}, "was not read before"},
		"a workflow that was not chosen": {ledger.Event{Kind: record.KindWorkflowChosen, Actor: record.Actor(paula),
			Data: record.WorkflowChosen{Rules: lifecycle.LatestRules, From: "v2", To: "rework", Reason: "r"}}, `was "v1"`},
		"a workflow that an agent chose": {ledger.Event{Kind: record.KindWorkflowChosen, Actor: record.Actor(cody),
			Data: record.WorkflowChosen{Rules: lifecycle.LatestRules, From: "v1", To: "rework", Reason: "r"}}, "in the role coder"},
		"a workflow that a start chose again": {ledger.Event{Kind: record.KindWorkflowChosen, Actor: ledger.System(),
			Data: record.WorkflowChosen{Rules: lifecycle.LatestRules, From: "v1", To: "rework", Reason: "r"}}, "in the role system"},
		"a workflow chosen as older rules let starts choose it": {ledger.Event{Kind: record.KindWorkflowChosen, Actor: ledger.System(),
			Data: record.WorkflowChosen{From: "v1", To: "rework"}}, "after version 4 was in force"},
		"a workflow switched without a reason": {ledger.Event{Kind: record.KindWorkflowChosen, Actor: record.Actor(paula),
			Data: record.WorkflowChosen{Rules: lifecycle.LatestRules, From: "v1", To: "rework"}}, "has a reason"},
		"a workflow switched to itself": {ledger.Event{Kind: record.KindWorkflowChosen, Actor: record.Actor(paula),
			Data: record.WorkflowChosen{Rules: lifecycle.LatestRules, From: "v1", To: "v1", Reason: "r"}}, "that is in force"},
		"a workflow that nobody knows": {ledger.Event{Kind: record.KindWorkflowChosen, Actor: record.Actor(paula),
			Data: record.WorkflowChosen{Rules: lifecycle.LatestRules, From: "v1", To: "v2", Reason: "r"}}, "is not a workflow"},
		"a first choice by an agent": {ledger.Event{Kind: record.KindWorkflowChosen, Actor: record.Actor(paula),
			Data: record.WorkflowChosen{Rules: lifecycle.LatestRules, To: "rework"}}, "only an operator"},
		"a change under another workflow": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(paula), Subject: "REQ-002",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "rework", Change: []byte(move(lifecycle.Blocked)), Revision: 2}}, `"v1" is in force`},
		"a large refusal that names no workflow": {ledger.Event{Kind: record.KindRefused, Actor: record.Actor(paula), Subject: "REQ-002",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Omitted: &record.Omitted{SHA256: "00", Bytes: 9}, Refusal: fault.New(fault.Invalid, "gate_unmet", "no")}},
			`"v1" is in force`},
		"an evidence that was not chosen": {ledger.Event{Kind: record.KindEvidenceChosen, Actor: ledger.System(),
			Data: record.EvidenceChosen{From: "verify", To: "record"}}, `was "record"`},
		"an evidence that an agent chose": {ledger.Event{Kind: record.KindEvidenceChosen, Actor: record.Actor(cody),
			Data: record.EvidenceChosen{From: "record", To: "verify"}}, "only an operator"},
		"a branch that was not chosen": {ledger.Event{Kind: record.KindBranchChosen, Actor: ledger.System(),
			Data: record.BranchChosen{From: "main", To: "next"}}, `the branch before was ""`},
		"a branch that an agent chose": {ledger.Event{Kind: record.KindBranchChosen, Actor: record.Actor(cody),
			Data: record.BranchChosen{To: "next"}}, "only an operator"},
		"a change by older rules": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(paula), Subject: "REQ-002",
			Data: record.Proposed{Rules: lifecycle.Rules2, Change: []byte(move(lifecycle.Blocked)), Revision: 2}}, "after version 4 was in force"},
		"an import by the first rules": {ledger.Event{Kind: record.KindImported, Actor: record.Actor(paula), Data: record.Imported{}}, "after version 4 was in force"},
		"a change by rules to come": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(paula), Subject: "REQ-002",
			Data: record.Proposed{Rules: 99, Change: []byte(move(lifecycle.Blocked)), Revision: 2}}, "does not know"},
		"evidence that an agent looked at": {ledger.Event{Kind: record.KindRechecked, Actor: record.Actor(cody), Data: record.Rechecked{}}, "by itself"},
		"a recheck that found nothing": {ledger.Event{Kind: record.KindRechecked, Actor: ledger.System(),
			Data: record.Rechecked{Rules: lifecycle.LatestRules, Workflow: lifecycle.V1.Name, Changed: []record.RecheckedOne{{ID: "REQ-001"}}}}, "which it did not"},
		"a journal that an agent recorded": {ledger.Event{Kind: boundary.KindRecorded, Actor: record.Actor(cody),
			Subject: boundary.Subject, Data: boundary.Recorded{File: "2026-01-01.jsonl", To: 5}}, "by itself"},
		"a journal that is recorded elsewhere": {ledger.Event{Kind: boundary.KindRecorded, Actor: ledger.System(),
			Subject: "REQ-001", Data: boundary.Recorded{File: "2026-01-01.jsonl", To: 5}}, `is about "REQ-001"`},
		"an import by a coder": {ledger.Event{Kind: record.KindImported, Actor: record.Actor(cody), Data: record.Imported{}}, "in the role coder"},
		"a change that calls itself refused": {ledger.Event{Kind: record.KindRefused, Actor: record.Actor(paula), Subject: "REQ-002",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: []byte(move(lifecycle.Blocked)), Revision: 2}}, "whether it was refused"},
		"a refusal that calls itself a change": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(paula), Subject: "REQ-002",
			Data: record.Proposed{Refusal: fault.New(fault.Invalid, "idempotency_key_reused", "used")}}, "whether it was refused"},
		"a refusal of nothing":        {ledger.Event{Kind: record.KindRequestRefused, Actor: record.Actor(cody), Data: record.RequestRefused{}}, "whether it was refused"},
		"a kind that nobody knows":    {ledger.Event{Kind: "secret.kind", Actor: ledger.System()}, "no such kind"},
		"a key forgotten that is not": {ledger.Event{Kind: record.KindKeysForgotten, Actor: ledger.System(), Data: record.KeysForgotten{Keys: []string{"x"}}}, "forgets"},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s)
			r.mustImport(twoRequirements)
			require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error { return tx.Append(c.event) }))
			require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), c.want)
		})
	}
}

// TestVerifyWantsEvidenceLookedUp does the same to a service that looks evidence up.
func TestVerifyWantsEvidenceLookedUp(t *testing.T) {
	stale := lifecycle.Stale{Part: lifecycle.FieldTest, Pointer: "/test/evidence/0", Reason: lifecycle.ReportGone, Detail: "gone"}
	for name, c := range map[string]struct {
		event ledger.Event
		want  string
	}{
		"evidence": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(cody), Subject: "REQ-001", Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: []byte(implemented)}},
			"nobody looked its evidence up"},
		"results": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(tess), Subject: "REQ-001",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: []byte(`{"test":{"results":{"passed":9,"failed":0}}}`)}}, "nobody looked its evidence up"},
		"a claim without a finding": {ledger.Event{Kind: record.KindChanged, Actor: record.Actor(cody), Subject: "REQ-001",
			Data: record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: []byte(implemented), Looked: &lifecycle.Looked{}}}, "the rules refuse it: evidence_not_found"},
		"a recheck with another outcome": {ledger.Event{Kind: record.KindRechecked, Actor: ledger.System(),
			Data: record.Rechecked{Rules: lifecycle.LatestRules, Workflow: lifecycle.V1.Name, Changed: []record.RecheckedOne{{ID: "REQ-001", Recheck: lifecycle.Recheck{Revision: 11, Stale: []lifecycle.Stale{stale}}}}}}, "with another digest"},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r, _ := startVerifying(t, s)
			require.Equal(t, uint64(11), r.requirement("REQ-001").Revision)
			require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error { return tx.Append(c.event) }))
			require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), c.want)
		})
	}
}

func TestVerifyOfTheExport(t *testing.T) {
	s, export := spoiled(t, func(store.Tx) error { return nil })
	require.ErrorContains(t, verify(t, s, []byte(`{"log":`)), "not whole")
	require.ErrorContains(t, verify(t, s, []byte(`{}`)), "names no log")
	require.ErrorContains(t, verify(t, s, bytes.Replace(export, []byte(`"size":7`), []byte(`"size":19`), 1)), "the store has 7")
	require.Contains(t, string(export), `"size":7`)
	require.ErrorContains(t, verify(t, s, bytes.Replace(export, []byte("login"), []byte("logon"), 1)), "not the state of the log at size 7")

	r := start(t, s)
	r.must(paula, "REQ-001", `{"pm_notes":[{"text":"later"}]}`)
	require.Equal(t, "behind", r.verifiedAgainst(export).Export, "whole, and of an earlier moment")
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	v, err := replay.Verify(t.Context(), l, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "absent", v.Export)
}

func TestTheStartFindsTablesThatWereChanged(t *testing.T) {
	s, export := spoiled(t, func(store.Tx) error { return nil })
	r := start(t, s)
	require.NoError(t, r.Matches(bytes.NewReader(export)))
	requireCode(t, r.Matches(bytes.NewReader(bytes.Replace(export, []byte("planned"), []byte("blocked"), 1))), "store_differs")
	requireCode(t, r.Matches(bytes.NewReader(append(export[:len(export):len(export)], '\n'))), "store_differs")
	requireCode(t, r.Matches(bytes.NewReader(export[:len(export)-3])), "store_differs")
	givenUp := bytes.Replace(export, []byte(r.ledger.Head().Root.String()), []byte(audit.Hash{1}.String()), 1)
	require.NotEqual(t, export, givenUp)
	require.NoError(t, r.Matches(bytes.NewReader(givenUp)), "as many records, of a part of the log that was given up")
	r.must(paula, "REQ-001", `{"pm_notes":[{"text":"later"}]}`)
	require.NoError(t, r.Matches(bytes.NewReader(export)), "of an earlier moment")
	require.NoError(t, r.Matches(strings.NewReader("garbage")), "the start has said so")
}
