// Package reviewtest makes requirements and projects in every state, for tests of reviews and of their forms.
package reviewtest

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

var Noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var People = map[lifecycle.Role]string{
	lifecycle.PM: "paula", lifecycle.Architect: "arno", lifecycle.Coder: "cora", lifecycle.Tester: "tess",
}

// Defined returns a requirement as it was imported.
func Defined(n int) lifecycle.Requirement {
	req, _ := lifecycle.Define(nil, lifecycle.Definition{
		ID: fmt.Sprintf("REQ-%d", n), Title: fmt.Sprintf("Title %d", n), Text: fmt.Sprintf("Text %d.",
			n), Kind: "requirement",
		Source: lifecycle.Source{Path: "REQUIREMENTS.md", Line: 10 + n, EndLine: 10 + n, Family: "markdown",
			Tick: []string{"", reqdoc.TickOpen, reqdoc.TickTicked}[n%3]},
		Fingerprint: fmt.Sprintf("fp-%d", n),
	}, Noon, lifecycle.LatestRules)
	return req
}

// Steps lead from not_started to done; each is made by its role.
var Steps = []struct {
	Role   lifecycle.Role
	Change lifecycle.Change
}{
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.Planned}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.DesignInProgress}},
	{lifecycle.Architect, lifecycle.Change{Fields: []string{lifecycle.FieldDesignSpec}, DesignSpec: []byte(`{"notes":"a | b"}`)}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.DesignReady}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.ImplementationInProgress}},
	{lifecycle.Coder, lifecycle.Change{Fields: []string{lifecycle.FieldImplementation}, Implementation: []byte(`{"files":["a.go"]}`)}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.Implemented}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.TestInProgress}},
	{lifecycle.Tester, lifecycle.Change{Fields: []string{lifecycle.FieldTest}, Test: lifecycle.Optional{Sent: true, Record: &lifecycle.TestRecord{
		Plan: "run it", Results: &lifecycle.Results{Passed: 3},
		Evidence: []lifecycle.Evidence{{Kind: lifecycle.EvidenceTest, Name: "TestIt_REQ2", Result: lifecycle.ResultPass,
			Report: "report.xml"}},
	}}}},
	{lifecycle.Tester, lifecycle.Change{Status: lifecycle.TestedPass}},
	{lifecycle.PM, lifecycle.Change{Fields: []string{lifecycle.FieldApprovals},
		Approvals: []lifecycle.NewApproval{{Decision: lifecycle.Approved, Text: "good"}}}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.Done}},
}

// Apply makes a change through the rules.
func Apply(t require.TestingT, req lifecycle.Requirement, role lifecycle.Role,
	c lifecycle.Change) lifecycle.Requirement {
	if c.Status != "" {
		c.Fields = append(slices.Clone(c.Fields), lifecycle.FieldStatus)
		if c.Justification == nil {
			c.Justification = &lifecycle.Justification{Reason: "it is time",
				Evidence: []lifecycle.Evidence{{Kind: lifecycle.EvidenceFile, Path: "docs/why.md", Lines: "1-3"}}}
		}
	}
	at := Noon.Add(time.Duration(req.Revision) * time.Hour)
	next, err := lifecycle.Rework.Apply(req, lifecycle.Actor{Name: People[role], Role: role}, c, at)
	require.NoError(t, err)
	return next
}

// Brought leads a requirement through the first n Steps.
func Brought(t require.TestingT, req lifecycle.Requirement, n int) lifecycle.Requirement {
	for _, s := range Steps[:n] {
		req = Apply(t, req, s.Role, s.Change)
	}
	return req
}

// At leads a requirement to the first moment it has the status.
func At(t require.TestingT, n int, to lifecycle.Status) lifecycle.Requirement {
	req := Defined(n)
	for _, s := range Steps {
		if req.Status == to {
			return req
		}
		req = Apply(t, req, s.Role, s.Change)
	}
	if req.Status != to {
		req = Apply(t, req, lifecycle.PM, lifecycle.Change{Status: to})
	}
	return req
}

// InputOf returns a project in order, with these requirements.
func InputOf(all ...lifecycle.Requirement) review.Input {
	var ids []string
	for _, req := range all {
		ids = append(ids, req.ID)
	}
	return review.Input{
		IDs: idmatch.New(ids), Project: "Shop", Workflow: lifecycle.Rework, Evidence: "verify", Log: review.Log{Size: 12, Root: "abc=",
			VerifiedUpTo: 12},
		Import: review.Import{OK: true}, Requirements: slices.Values(all),
	}
}

// Everything returns a project with every finding.
func Everything(t require.TestingT) review.Input {
	suspect, deviating, stale := At(t, 4, lifecycle.Implemented), At(t, 5, lifecycle.TestedPass), At(t, 6,
		lifecycle.Done)
	suspect.Suspect, suspect.TextSince = true, Noon.Add(48*time.Hour)
	deviating = Apply(t, deviating, lifecycle.PM, lifecycle.Change{
		Fields:     []string{lifecycle.FieldDeviations},
		Deviations: []lifecycle.DeviationChange{{ID: "D-1", Text: "slower than asked"}},
	})
	stale.Stale = []lifecycle.Stale{{
		Part: "test", Pointer: "/test/evidence/0", Reason: lifecycle.ReportChanged,
		Detail: "report.xml is another one now", Since: Noon.Add(72 * time.Hour),
	}}
	stale.Moved = []lifecycle.Relocated{{Pointer: "/history/0/justification/evidence/0", To: "docs/reasons.md:4-6",
		Since: Noon.Add(72 * time.Hour)}}
	retired, _ := lifecycle.Retire(At(t, 7, lifecycle.DesignReady))
	gone, _ := lifecycle.Retire(Defined(8))
	in := InputOf(Defined(1), At(t, 2, lifecycle.Done), At(t, 3, lifecycle.Blocked), suspect, deviating, stale,
		At(t, 9, lifecycle.Deferred), retired, gone)
	in.Workflow = lifecycle.V1
	in.Log.VerifiedUpTo = 10
	when := Noon
	in.Import = review.Import{At: &when, Problem: &review.ImportProblem{
		Code: "requirements_invalid", Detail: "the document cannot be read", Fix: "mend it",
		Errors: []review.ImportError{{Path: "REQUIREMENTS.md", Line: 40, Detail: "REQ-1 stands twice",
			Fix: "give one of them another id"}},
	}}
	in.Read = []account.Document{
		{Path: "REQUIREMENTS.md", Counts: account.Counts{Rows: 12, Read: 9, Skipped: 4, Totals: 1}, More: 1, Remarks: []account.Remark{
			{Line: 20, ID: "REQ-10", Reason: reqdoc.ReasonNearMiss, Message: "REQ-10 was not taken: it is not bold",
				Fix: "write **REQ-10** text", Excerpt: "- REQ-10 The search works."},
			{Line: 21, ID: "REQ-11", Reason: reqdoc.ReasonNearMiss, Message: "REQ-11 was not taken: it is not bold",
				Fix: "write **REQ-11** text", Excerpt: "- REQ-11 The export works."},
			{Line: 50, Reason: reqdoc.ReasonTotal, Message: "the document says that it has 12 requirements; 9 were read",
				Excerpt: "Total: 12 requirements"},
			{Line: 30, ID: "SHA-256", Reason: reqdoc.ReasonUnrelated, Message: "SHA-256 was not taken: it is a standard",
				Excerpt: "- **SHA-256**: digests"},
		}},
		{Path: "notes.md", Counts: account.Counts{Empty: 1}},
		{Path: "whole.md", Counts: account.Counts{Rows: 3, Read: 3}},
	}
	in.Pending = openChanges()
	in.Drift = []review.Drift{{Path: "REQUIREMENTS.md", Detail: "it was changed after the last import"}}
	in.Actors = []review.ActorCount{{Name: "cora", Role: lifecycle.Coder, Accepted: 4, Refused: 2, Codes: []review.CodeCount{
		{Code: "gate_unmet", Count: 2, At: Noon, Detail: "there is no implementation"}}},
		{Name: "paula", Role: lifecycle.PM, Accepted: 40, Refused: 0}}
	in.Unchecked = []string{review.UncheckedEvidence}
	return in
}

// openChanges returns proposals of every kind.
func openChanges() *pending.Open {
	const path = "openspec/changes/add-json/specs/cli/spec.md"
	return &pending.Open{
		Proposals: []pending.Proposal{
			{Change: "add-json", Does: pending.Modify, Requirement: "REQ-2", Path: path, Line: 3,
				Conflicts: []string{"drop-table would remove it, too (openspec/changes/drop-table/specs/cli/spec.md:3)"}},
			{Change: "add-json", Does: pending.Rename, Requirement: "REQ-3", To: "REQ-33", Path: path, Line: 9},
			{Change: "done", Does: pending.Add, Requirement: "REQ-1", Path: "openspec/changes/done/specs/cli/spec.md",
				Line: 3, Applied: true},
		},
		Remarks: []pending.Remark{{Path: "openspec/changes/half/specs/cli/spec.md", Line: 1,
			Message: "it proposes nothing", Fix: "write it"}},
		More: 2,
	}
}

// Hostile is text that tries to be markup, a mention, a link, a command or another line, wherever it is shown.
const Hostile = "| a \\| b `c` <script>alert(1)</script> ](http://evil.example) ![x](y) @team #12 GH-7 www.evil.example me@evil.example " +
	"https://evil.example/\x1b[31m\u009b\u202e\u200b\ufeff\r\n::error::x ##[error] \u2028# head\n- [ ] item *b* _i_ ~~s~~ $x$ &amp; {0} [l](1) %0A"

// Assaulted returns a requirement every text of which is hostile.
func Assaulted(t require.TestingT) lifecycle.Requirement {
	req := At(t, 1, lifecycle.TestedPass)
	req = Apply(t, req, lifecycle.PM, lifecycle.Change{
		Status: lifecycle.Blocked,
		Justification: &lifecycle.Justification{Reason: Hostile, Evidence: []lifecycle.Evidence{
			{Kind: lifecycle.EvidenceFile, Path: Hostile, Lines: "1"}, {Kind: lifecycle.EvidenceCommit, Commit: Hostile},
			{Kind: lifecycle.EvidenceTest, Name: Hostile, Result: lifecycle.ResultPass, Report: Hostile},
		}},
	})
	req.ID, req.Title, req.Text, req.Kind = Hostile, Hostile, "```\n"+Hostile+"\n~~~~\n````", Hostile
	req.Acceptance = []lifecycle.Criterion{{ID: Hostile, Kind: Hostile, Text: Hostile}}
	req.Parents, req.DependsOn = []string{Hostile}, []string{Hostile}
	req.FormerIDs = []lifecycle.FormerID{{ID: Hostile, Record: 2}}
	req.Source = lifecycle.Source{Path: Hostile, Line: 3, Section: []string{Hostile}, Family: Hostile,
		Priority: Hostile}
	stamp := lifecycle.Stamp{Revision: 3, By: Hostile, Role: lifecycle.PM, At: Noon, Fingerprint: "fp-1"}
	req.DesignSpec, req.Implementation = []byte(`"`+"````"+`<b>"`), []byte(`"`+"\u202e"+`"`)
	req.Stamps.DesignSpec, req.Stamps.Implementation, req.Stamps.Test = stamp, stamp, stamp
	req.Test = &lifecycle.TestRecord{Plan: Hostile, Notes: Hostile, Evidence: req.Test.Evidence}
	req.Approvals = []lifecycle.Approval{{Stamp: stamp, Decision: lifecycle.Approved, Text: Hostile}}
	req.Deviations = []lifecycle.Deviation{{Stamp: stamp, ID: Hostile, Text: Hostile},
		{Stamp: stamp, ID: Hostile, Text: Hostile, Resolution: &lifecycle.Resolution{Stamp: stamp, Outcome: Hostile, Text: Hostile}}}
	req.PMNotes = []lifecycle.Note{{Stamp: stamp, Text: Hostile}}
	req.Stale = []lifecycle.Stale{{Part: Hostile, Pointer: Hostile, Reason: Hostile, Detail: Hostile, Since: Noon}}
	req.Moved = []lifecycle.Relocated{{Pointer: Hostile, To: Hostile, Since: Noon}}
	req.Suspect = true
	return req
}

// AssaultedInput returns a project every text of which is hostile.
func AssaultedInput(t require.TestingT) review.Input {
	in := InputOf(Assaulted(t))
	when := Noon
	in.Project, in.Evidence, in.Log = Hostile, Hostile, review.Log{Size: 12, Root: Hostile, VerifiedUpTo: 3,
		Problem: Hostile}
	in.Import = review.Import{At: &when, Problem: &review.ImportProblem{Code: Hostile, Detail: Hostile, Fix: Hostile,
		Errors: []review.ImportError{{Path: Hostile, Line: 3, Detail: Hostile, Fix: Hostile}}}}
	in.Read = []account.Document{{Path: Hostile, Counts: account.Counts{Rows: 2, Read: 1, Warnings: 1}, Remarks: []account.Remark{
		{Line: 3, ID: Hostile, Reason: reqdoc.ReasonNearMiss, Message: Hostile, Fix: Hostile, Excerpt: Hostile},
		{Line: 4, Reason: Hostile, Message: Hostile, Excerpt: Hostile},
	}}}
	in.Pending = &pending.Open{
		Proposals: []pending.Proposal{{Change: Hostile, Does: pending.Rename, Requirement: Hostile, To: Hostile,
			Path: Hostile, Line: 3, Conflicts: []string{Hostile}}},
		Remarks: []pending.Remark{{Path: Hostile, Message: Hostile, Fix: Hostile}},
	}
	in.Drift = []review.Drift{{Path: Hostile, Detail: Hostile}}
	in.Actors = []review.ActorCount{{Name: Hostile, Role: lifecycle.Coder, Accepted: 1, Refused: 2, Codes: []review.CodeCount{
		{Code: Hostile, Count: 2, At: Noon, Detail: Hostile}}}}
	in.Unchecked = []string{Hostile}
	return in
}

// StaleDossier returns the review of a requirement whose evidence went stale.
func StaleDossier(t require.TestingT) review.Dossier {
	all := slices.Collect(Everything(t).Requirements)
	all[5].FormerIDs = []lifecycle.FormerID{{ID: "R-6", Record: 4}, {ID: "RQ-6", Record: 8}}
	return review.One(lifecycle.Rework, all[5], review.Seen{Evidence: []review.Rechecked{
		{Pointer: "/test/evidence/0", Verdict: review.Stale, Reason: lifecycle.ReportChanged, Detail: "report.xml is another one now"},
		{Pointer: "/history/0/justification/evidence/0", Verdict: review.Moved, Reason: "", Detail: "docs/reasons.md:4-6"},
		{Pointer: "/history/1/justification/evidence/0", Verdict: review.Holds, Reason: "", Detail: ""},
	}, Refused: review.Refused{Count: 8, Newest: []review.Refusal{
		{Record: 12, At: Noon, By: "cora", Role: lifecycle.Coder, Code: "sealed", Detail: "REQ-6 is done, and sealed", Times: 1},
		{Record: 9, At: Noon, By: "cora", Role: lifecycle.Coder, Times: 7},
	}}, Proposed: []pending.Proposal{{Change: "add-json", Does: pending.Modify, Requirement: "REQ-6",
		Path: "openspec/changes/add-json/specs/cli/spec.md", Line: 3}},
		Texts: TextChanges, NotShown: 2, Shown: map[string]review.Shown{
			"/test/evidence/0": {Tests: &review.Tests{Cases: []review.TestCase{{Name: "login.TestLogin", Result: "pass"},
				{Name: "login.TestLogin/locked", Result: "fail"}}, More: 1}},
			"/history/0/justification/evidence/0": {
				Lines: &review.Excerpt{Path: "docs/reasons.md", From: 4, Commit: "0123456789", Text: "# Why\n\n```\n",
					More: 12},
				Cited: &review.Excerpt{Path: "docs/reasons.md", From: 2, Text: "# Wherefore"}},
			"/history/1/justification/evidence/0": {Lines: &review.Excerpt{Path: "logo.png", From: 1, Binary: true},
				Commit: &review.Commit{ID: "0123456789", Subject: "Say why", AuthoredAt: Noon}},
		}})
}

// TextChanges are changes of the text of a requirement.
var TextChanges = []review.TextChange{
	{At: Noon, By: "paula", Record: 11, Fields: []review.FieldChange{
		{Field: "title", Words: []review.Words{
			{Op: review.Out, Text: "Log"}, {Op: review.In, Text: "Sign"}, {Op: review.Same, Text: "in"}}},
		{Field: "criteria", Words: []review.Words{
			{Op: review.Same, Text: "- One."}, {Op: review.In, Text: "\n- Two."}}},
	}},
	{At: Noon, By: "system", Record: 7, Fields: []review.FieldChange{
		{Field: "text", Words: []review.Words{{Op: review.Same, Text: "…"}, {Op: review.Out, Text: "at once."}}}}},
}

// HostileTexts are changes every text of which is hostile.
var HostileTexts = []review.TextChange{{At: Noon, By: Hostile, Record: 3, Fields: []review.FieldChange{
	{Field: Hostile, Words: []review.Words{{Op: review.Out, Text: Hostile}, {Op: review.In, Text: Hostile}}}}}}

// HostileShown is what evidence is about, every text of which is hostile.
var HostileShown = review.Shown{
	Lines:  &review.Excerpt{Path: Hostile, From: 7, Commit: Hostile, Text: Hostile + "\n```\n" + Hostile},
	Cited:  &review.Excerpt{Path: Hostile, From: 7, Text: Hostile},
	Tests:  &review.Tests{Cases: []review.TestCase{{Name: Hostile, Result: Hostile}}},
	Commit: &review.Commit{ID: Hostile, Subject: Hostile, AuthoredAt: Noon},
}
