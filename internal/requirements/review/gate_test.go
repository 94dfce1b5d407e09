package review_test

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/render"
	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-094
func TestGate(t *testing.T) {
	const ahead = "not_started: the architect must design it, the coder must implement it, the tester must test it"
	const reportGone = "the report that the test record cites is gone: the tester must test again"
	done, passed := reviewtest.At(t, 1, lifecycle.Done), reviewtest.At(t, 1, lifecycle.TestedPass)
	with := func(req lifecycle.Requirement, change func(*lifecycle.Requirement)) lifecycle.Requirement {
		change(&req)
		return req
	}
	stale := func(r *lifecycle.Requirement) {
		r.Stale = []lifecycle.Stale{{Part: "test", Reason: lifecycle.ReportGone}}
	}
	suspect := func(r *lifecycle.Requirement) { r.Suspect = true }
	otherText := func(r *lifecycle.Requirement) { r.Fingerprint = "fp-other" }
	retire := func(r *lifecycle.Requirement) { *r, _ = lifecycle.Retire(*r) }
	failed := reviewtest.Apply(t, reviewtest.At(t, 1, lifecycle.TestInProgress), lifecycle.Tester, lifecycle.Change{
		Fields: []string{lifecycle.FieldTest}, Status: lifecycle.TestedFail,
		Test: lifecycle.Optional{Sent: true, Record: &lifecycle.TestRecord{Results: &lifecycle.Results{Failed: 1}}},
	})
	for _, c := range []struct {
		name         string
		req          lifecycle.Requirement
		done, tested string // the line, without its place; "" passes
	}{
		{"not started", reviewtest.Defined(1), ahead + ", the pm must approve", ahead},
		{"done", done, "", ""},
		{"tested", passed, "tested_pass: the pm must approve", ""},
		{"tested and approved", reviewtest.Brought(t, reviewtest.Defined(1), len(reviewtest.Steps)-1), "tested_pass: it waits for the pm to move it to done", ""},
		{"failed", failed, "tested_fail: the tester must test it, the pm must approve",
			"tested_fail: the tester must test it"},
		{"blocked", reviewtest.At(t, 1, lifecycle.Blocked),
			"blocked: it waits for the pm to move it to done; the reason given is: it is time",
			"blocked: it waits for the pm to move it to done; the reason given is: it is time"},
		{"deferred", reviewtest.At(t, 1, lifecycle.Deferred), "", ""},
		{"deferred and stale", with(reviewtest.At(t, 1, lifecycle.Deferred), stale), "", ""},
		{"done, stale", with(done, stale), "done, but " + reportGone, "done, but " + reportGone},
		{"tested, stale", with(passed, stale), "tested_pass: the pm must approve; " + reportGone,
			"tested_pass: " + reportGone},
		{"done, suspect", with(done, suspect), "done, but the text changed: the pm must accept the text", ""},
		{"done, another text", with(done, otherText),
			"done, but the text changed since the tests: the tester must test again, the pm must approve",
			"done, but the text changed since the tests: the tester must test again"},
		{"done, another text that was not accepted", with(with(done, otherText), suspect),
			"done, but the text changed since the tests: the tester must test again, the pm must accept the text and approve",
			"done, but the text changed since the tests: the tester must test again"},
		{"done, another text that made the tests stale", with(with(done, otherText), func(r *lifecycle.Requirement) {
			r.Stale = []lifecycle.Stale{{Part: "test", Reason: lifecycle.TextChanged}}
		}),
			"done, but the text changed since the tests: the tester must test again, the pm must approve",
			"done, but the text changed since the tests: the tester must test again"},
		{"retired", with(reviewtest.Defined(1), retire), "", ""},
		{"retired with work", with(passed, retire), "tested_pass: it was removed from its document with work on it: the pm must defer it",
			"tested_pass: it was removed from its document with work on it: the pm must defer it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := review.Full(reviewtest.InputOf(c.req, reviewtest.At(t, 2, lifecycle.Done)))
			for require_, want := range map[string]string{review.RequireDone: c.done, review.RequireTested: c.tested} {
				r := review.Gate(p, review.GateOptions{Require: require_})
				var b bytes.Buffer
				require.NoError(t, render.Gate{GateResult: r}.Text(&b))
				if want == "" {
					require.Empty(t, b.String())
				} else {
					require.Equal(t, "REQ-1 "+want+" [REQUIREMENTS.md:11]\n", b.String())
				}
				require.Equal(t, want == "", r.Pass)
			}
		})
	}
}

func TestWhatAGateCanRequire(t *testing.T) {
	for _, level := range review.GateLevels() {
		require.NoError(t, review.GateOptions{Require: level}.Check())
	}
	require.ErrorIs(t, review.GateOptions{Require: "perfect"}.Check(), fault.Invalid)
	require.NoError(t, render.Gate{GateResult: review.GateResult{Pass: true}}.Err())
	require.ErrorContains(t, render.Gate{GateResult: review.GateResult{Total: 2, Failed: 2}}.Err(), "2 failed")
}

func TestGateAllowsStale(t *testing.T) {
	req := reviewtest.At(t, 1, lifecycle.Done)
	req.Stale = []lifecycle.Stale{{Part: "test", Reason: lifecycle.ReportGone}}
	p := review.Full(reviewtest.InputOf(req))
	p.Requirements[0].Missing = []review.Missing{{lifecycle.Done,
		lifecycle.Lack{Gate: lifecycle.StaleGates()[0], By: lifecycle.Tester}}}
	for _, what := range []string{review.RequireDone, review.RequireTested} {
		require.True(t, review.Gate(p, review.GateOptions{Require: what, AllowStale: true}).Pass)
		r := review.Gate(p, review.GateOptions{Require: what})
		require.Equal(t, []review.Failure{{review.CodeStale,
			"the report that the test record cites is gone: the tester must test again"}}, r.Cases[0].Failures)
	}
}

func TestGateOnTheProject(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*review.Input)
		line   string
	}{
		"log": {func(i *review.Input) { i.Log.Problem = "record 3 was changed" },
			"project: the log cannot be trusted: record 3 was changed\n"},
		"import": {func(i *review.Input) {
			i.Import = review.Import{
				Problem: &review.ImportProblem{Detail: "no document"}}
		}, "project: the last import failed: no document\n"},
		"error in a document": {func(i *review.Input) {
			i.Import = review.Import{Problem: &review.ImportProblem{
				Errors: []review.ImportError{{"R.md", 7, "twice", ""}}}}
		}, "project: the last import failed: twice [R.md:7]\n"},
		"drift": {func(i *review.Input) { i.Drift = []review.Drift{{"R.md", "other bytes"}} },
			"project: R.md is not what was imported: other bytes [R.md]\n"},
		"empty": {func(i *review.Input) { i.Requirements = slices.Values([]lifecycle.Requirement{}) },
			"project: there is no requirement in force\n"},
	} {
		t.Run(name, func(t *testing.T) {
			in := reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Done))
			c.change(&in)
			r := review.Gate(review.Full(in), review.GateOptions{Require: review.RequireDone, AllowStale: true})
			var b bytes.Buffer
			require.NoError(t, render.Gate{GateResult: r}.Text(&b))
			require.Equal(t, c.line, b.String())
			require.False(t, r.Pass)
		})
	}
}

func TestTheSummaryCounts(t *testing.T) {
	require.Equal(t, "1 of 9 requirements pass as done, 1 deferred, 1 retired, 6 failed; problems of the project: 3; not checked: evidence",
		render.Gate{GateResult: review.Gate(review.Full(reviewtest.Everything(t)),
			review.GateOptions{Require: review.RequireDone})}.Summary())
}

// anyProject draws requirements as they come about, and spoils some.
func anyProject(t *rapid.T) review.Input {
	var all []lifecycle.Requirement
	for n := range rapid.IntRange(0, 6).Draw(t, "size") {
		req := reviewtest.Brought(t, reviewtest.Defined(n), rapid.IntRange(0, len(reviewtest.Steps)).Draw(t, "steps"))
		if to := rapid.SampledFrom([]lifecycle.Status{"", "", lifecycle.Blocked, lifecycle.Deferred,
			lifecycle.NeedsChanges}).Draw(t, "to"); to != "" {
			req = reviewtest.Apply(t, req, lifecycle.PM, lifecycle.Change{Status: to})
		}
		for _, spoil := range []func(){
			func() { req.Suspect = true },
			func() { req, _ = lifecycle.Retire(req) },
			func() { req.Stale = []lifecycle.Stale{{Part: "test"}} },
			func() { req.Deviations = []lifecycle.Deviation{{ID: "D-1"}} },
			func() { req.Fingerprint = "other" },
			func() { req.Test = nil },
		} {
			if rapid.IntRange(0, 9).Draw(t, "spoil") == 0 {
				spoil()
			}
		}
		all = append(all, req)
	}
	in := reviewtest.InputOf(all...)
	in.Workflow = rapid.SampledFrom([]lifecycle.Workflow{lifecycle.V1, lifecycle.Rework}).Draw(t, "workflow")
	if rapid.IntRange(0, 9).Draw(t, "drift") == 0 {
		in.Drift = []review.Drift{{"R.md", "other"}}
	}
	return in
}

// Every requirement is there once and in order, the counts are those of the lines, and verdict, lines and gate agree.
func TestReviewsAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyProject(t)
		p := review.Full(in)
		var want, got []string
		for req := range in.Requirements {
			want = append(want, req.ID)
		}
		byStatus, allOK, doneBad, live := map[lifecycle.Status]int{}, true, false, 0
		for _, r := range p.Requirements {
			got = append(got, r.ID)
			byStatus[r.Status]++
			require.Equal(t, len(r.Codes) == 0, r.OK)
			allOK = allOK && r.OK
			doneBad = doneBad || r.Status == lifecycle.Done && !r.OK
			if !r.Retired || r.Has(review.CodeRetiredWithWork) {
				live++
			}
		}
		require.Equal(t, want, got)
		require.Equal(t, byStatus, p.Counts.ByStatus)
		require.Equal(t, len(want), p.Counts.Total)
		switch {
		case doneBad || len(p.Findings.Drift) > 0:
			require.Equal(t, review.Inconsistent, p.Verdict)
		case !allOK || live == 0 || p.Counts.Done == 0:
			require.Equal(t, review.NotReady, p.Verdict)
		default:
			require.Equal(t, review.Ready, p.Verdict)
		}
		gate := review.Gate(p, review.GateOptions{Require: review.RequireDone})
		require.Equal(t, p.Verdict == review.Ready, gate.Pass)
		require.Equal(t, gate.Total, gate.Passed+gate.Failed+gate.Deferred+gate.Retired)
		require.Len(t, gate.Cases, gate.Total)
		if gate.Pass {
			require.True(t, review.Gate(p, review.GateOptions{Require: review.RequireTested}).Pass,
				"what is done is tested")
		}
	})
}

// TestStrictImport: each thing that may be missing from the state fails, once; nothing else does.
//
// Verifies: ORC-120
func TestStrictImport(t *testing.T) {
	done := reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Done))
	gate := func(strict bool, read ...account.Document) review.GateResult {
		done.Read = read
		return review.Gate(review.Full(done), review.GateOptions{Require: review.RequireDone, StrictImport: strict})
	}
	remark := func(line int, reason string) account.Remark {
		return account.Remark{Line: line, Reason: reason, Message: reason}
	}
	whole := account.Document{Path: "a.md", Counts: account.Counts{Rows: 2, Read: 2, Skipped: 1, Warnings: 1}, More: 1,
		Remarks: []account.Remark{remark(9, reqdoc.ReasonReference)}}
	lacking := account.Document{Path: "b.md", Counts: account.Counts{Rows: 47, Read: 42, Skipped: 6, Totals: 1}, Remarks: []account.Remark{
		remark(3, reqdoc.ReasonNearMiss), remark(7, reqdoc.ReasonTotal), remark(4, reqdoc.ReasonHidden)}}
	empty := account.Document{Path: "c.md", Counts: account.Counts{Empty: 1}}
	require.True(t, gate(false, whole, lacking, empty).Pass)
	require.True(t, gate(false).Pass)
	require.True(t, gate(true, whole).Pass)
	require.Equal(t, []review.Problem{{Code: review.CodeNotRead, Message: "what was read of the documents is not known: import them again"}},
		gate(true).Problems)
	require.Equal(t, []review.Problem{
		{Code: review.CodeNotRead, Message: "near_miss", Path: "b.md", Line: 3},
		{Code: review.CodeNotRead, Message: "total", Path: "b.md", Line: 7},
		{Code: review.CodeNotRead, Message: "42 of 47 rows that look like requirements were read, stated totals that differ: 1", Path: "b.md"},
		{Code: review.CodeNotRead, Message: "no row looks like a requirement, documents of which nothing was read: 1", Path: "c.md"},
	}, gate(true, whole, lacking, empty).Problems)
	require.False(t, gate(true, lacking).Pass)
}

// What was written as JSON is the same review when it is read, so that a client's gate is the server's.
func TestReviewsSurviveJSON(t *testing.T) {
	for _, in := range []review.Input{reviewtest.Everything(t), reviewtest.AssaultedInput(t)} {
		p := review.Full(in)
		var b bytes.Buffer
		require.NoError(t, p.JSON(&b))
		require.NotContains(t, b.String(), "null")
		var back review.Project
		require.NoError(t, json.Unmarshal(b.Bytes(), &back))
		for _, o := range []review.GateOptions{
			{Require: review.RequireDone, StrictImport: true}, {Require: review.RequireTested, AllowStale: true, Rules: review.RulesLatest, Covers: true},
		} {
			require.Equal(t, review.Gate(p, o), review.Gate(back, o))
		}
		var again bytes.Buffer
		require.NoError(t, back.JSON(&again))
		require.Equal(t, b.String(), again.String())
	}
}

func BenchmarkFull(b *testing.B) {
	kinds := slices.Collect(reviewtest.Everything(b).Requirements)
	var all []lifecycle.Requirement
	for n := range 10_000 {
		req := kinds[n%len(kinds)]
		req.ID = reviewtest.Defined(n).ID
		all = append(all, req)
	}
	in := reviewtest.InputOf(all...)
	for b.Loop() {
		var out bytes.Buffer
		require.NoError(b, review.Full(in).JSON(&out))
		b.SetBytes(int64(out.Len()))
	}
}

// A review by a service that knows of more than this gate does not pass.
func TestGateBelievesTheVerdict(t *testing.T) {
	p := review.Full(reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Done)))
	require.True(t, review.Gate(p, review.GateOptions{Require: review.RequireDone}).Pass)
	p.Verdict, p.Reasons = review.Inconsistent, []string{"something new"}
	r := review.Gate(p, review.GateOptions{Require: review.RequireDone})
	require.False(t, r.Pass)
	require.Equal(t, []review.Problem{{Code: review.CodeVerdict, Message: "inconsistent: something new"}}, r.Problems)
}

func TestWhole(t *testing.T) {
	p := review.Full(reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Done)))
	require.True(t, p.Whole())
	require.True(t, review.Full(reviewtest.InputOf()).Whole())
	require.False(t, review.Project{}.Whole())
	p.Requirements = nil
	require.False(t, p.Whole(), "cut short")
	require.True(t, review.One(lifecycle.V1, reviewtest.Defined(1), review.Seen{}).Whole())
	require.False(t, review.Dossier{}.Whole())
}

func BenchmarkShow(b *testing.B) {
	kinds := slices.Collect(reviewtest.Everything(b).Requirements)
	var all []lifecycle.Requirement
	for n := range 10_000 {
		req := kinds[n%len(kinds)]
		req.ID = reviewtest.Defined(n).ID
		all = append(all, req)
	}
	p := review.Full(reviewtest.InputOf(all...))
	for name, write := range map[string]func(io.Writer) error{
		"markdown": render.Project{Project: p}.Markdown, "table": func(w io.Writer) error {
			return render.Project{Project: p}.Table(w, render.Style{Width: 120})
		},
		"gate": render.Gate{GateResult: review.Gate(p, review.GateOptions{Require: review.RequireDone})}.JUnit,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, write(io.Discard))
			}
		})
	}
}
