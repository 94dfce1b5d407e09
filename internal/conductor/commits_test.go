package conductor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/rules/planning"
)

// onDisk returns a database on disk.
func onDisk(t testing.TB) *boltstore.Store {
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "state.db"), boltstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// steps returns the names of the steps that are on record of a run, in the order of the log.
func (b bench) steps(run string) (names []string) {
	b.t.Helper()
	page, err := b.ledger.History(b.t.Context(), state.SubjectOf(run), 0, 100)
	require.NoError(b.t, err)
	for _, raw := range page.Records {
		record, err := audit.Decode(raw)
		require.NoError(b.t, err)
		require.NoError(b.t, b.ledger.View(b.t.Context(), func(r store.Reader) error {
			step, err := ledger.DataOf[state.Stepped](r, record)
			names = append([]string{step.Step}, names...)
			return err
		}))
	}
	return names
}

// A run without side effects is one commit, whatever it comes to; each tool with side effects adds two.
//
// Verifies: ORC-282
func TestCommitsOfARun(t *testing.T) {
	s := onDisk(t)
	b := conductorOn(t, s, nil, repeatable(echoing("t.say", "REPORT(k.say)")), echoing("t.send", "ACHIEVE(k.sent)"))
	math, letters := ob(planning.Report, "query.math", "expr", "2+2"), ob(planning.Report, "query.count_letters", "letter", "r", "text", "strawberry")
	note := ob(planning.Achieve, "ir.assert", "facts", []any{fact("x", "city", "Rome")})
	sent := ob(planning.Achieve, "k.sent", "n", "x")
	b.conduct(note)

	const started, ended = "tool started", "tool ended"
	for name, c := range map[string]struct {
		obligations []planning.Obligation
		steps       []string
	}{
		"math":                      {[]planning.Obligation{math}, []string{"ended"}},
		"letters":                   {[]planning.Obligation{letters}, []string{"ended"}},
		"facts that are read":       {[]planning.Obligation{ob(planning.Report, "query.facts"), ob(planning.Report, "query.people", "filters", map[string]any{"city": "Rome"})}, []string{"ended"}},
		"several":                   {[]planning.Obligation{math, letters, math, ob(planning.Verify, "answers")}, []string{"ended"}},
		"under a guardrail":         {[]planning.Obligation{{Type: planning.Maintain, Payload: map[string]any{"condition": `"x" in ir`}}, math}, []string{"ended"}},
		"one that fails":            {[]planning.Obligation{ob(planning.Report, "query.math", "expr", "1/0")}, []string{"ended"}},
		"one that asks":             {[]planning.Obligation{ob(planning.Report, "status.name")}, []string{"ended"}},
		"one without a tool":        {[]planning.Obligation{ob(planning.Report, "query.astronauts")}, []string{"ended"}},
		"steps that take values":    {[]planning.Obligation{plan(called("a", ob(planning.Report, "k.say", "n", "y")), ob(planning.Report, "k.say", "n", take("a.value")))}, []string{"ended"}},
		"a fact that is noted":      {[]planning.Obligation{note}, []string{started, ended, "ended"}},
		"an effect between answers": {[]planning.Obligation{math, sent, letters}, []string{started, ended, "ended"}},
		"two effects":               {[]planning.Obligation{sent, math, sent}, []string{started, ended, started, ended, "ended"}},
	} {
		before := s.Stats().Batches
		trace := b.conduct(c.obligations...)
		require.Equal(t, c.steps, b.steps(trace.ID), name)
		require.EqualValues(t, len(c.steps), s.Stats().Batches-before, name)
	}

	before := s.Stats().Batches
	_, err := b.Conduct(t.Context(), Caller{Name: "vera", Role: "viewer"}, planning.Request{Obligations: []planning.Obligation{math}})
	require.NoError(t, err)
	require.Equal(t, before, s.Stats().Batches, "a viewer's run is not kept")
}

// Before a tool has a side effect, its start and all that was done before it are on record.
//
// Verifies: ORC-282
func TestWhatIsOnRecordBeforeAnEffect(t *testing.T) {
	sends := echoing("t.send", "ACHIEVE(k.sent)")
	sent := sends.run
	var b bench
	seen := 0
	sends.run = func(in tools.In) (map[string]any, error) {
		seen++
		require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
			open, err := v.Open()
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Equal(t, "once", open[0].Request.IdempotencyKey)
			for id, status := range map[string]string{"o1/1": state.RunDone, "o2/1": state.RunStarted} {
				run, found, err := v.ToolRun(open[0].ID, id)
				require.NoError(t, err)
				require.True(t, found, id)
				require.Equal(t, status, run.Status, id)
			}
			evidence, found, err := v.Evidence(open[0].ID, "o1")
			require.True(t, found && evidence.Verified, "the answer was evaluated before the effect")
			return err
		}))
		return sent(in)
	}
	b = conductorOn(t, onDisk(t), nil, sends)
	_, err := b.Conduct(t.Context(), ada, planning.Request{IdempotencyKey: "once", Obligations: []planning.Obligation{
		ob(planning.Report, "query.math", "expr", "2+2"), ob(planning.Achieve, "k.sent", "n", "x")}})
	require.NoError(t, err)
	require.Equal(t, 1, seen)
}

// A run without side effects that ends before its commit has not been: the same request is a new run.
//
// Verifies: ORC-282
func TestARunThatEndsBeforeItsCommit(t *testing.T) {
	says := repeatable(echoing("t.say", "REPORT(k.say)"))
	alive := says.run
	var b bench
	says.run = func(tools.In) (map[string]any, error) { b.stop(); return nil, b.stopping().Err() } // the service ends while it runs
	s := store.NewMemory()
	b = conductorOf(t, s, says)
	size := b.ledger.Head().Size
	request := planning.Request{IdempotencyKey: "once", Obligations: []planning.Obligation{
		ob(planning.Report, "query.math", "expr", "2+2"), ob(planning.Report, "k.say", "n", "x")}}
	_, err := b.Conduct(t.Context(), ada, request)
	require.Error(t, err)
	require.Equal(t, size, b.ledger.Head().Size)
	b.Stop()

	says.run = alive
	b = conductorOf(t, s, says)
	left, err := b.Unfinished(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
	trace, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	require.Equal(t, planning.OutResolved, trace.Status)
	again, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	require.Equal(t, trace.ID, again.ID)
}

// The inputs of a tool are those of the payload and what is known of the caller, whether or not that is looked up.
func TestInputsOfATool(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	b.conduct(ob(planning.Achieve, "status.name", "value", "Jeff"))
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"name", "b", "c"}), rapid.ID)
		o, c := ob(planning.Report, "k.x"), planning.Contract{}
		for _, name := range names.Draw(t, "given") {
			o.Payload[name] = rapid.SampledFrom([]any{nil, "", "x"}).Draw(t, "value")
		}
		for _, name := range names.Draw(t, "consumed") {
			c.Consumes = append(c.Consumes, planning.Input{Name: name, Required: rapid.Bool().Draw(t, "required")})
		}
		want, lacks := planning.Fill(&c, o, func(slot string) (any, bool) { return "Jeff", slot == "name" })
		inputs, missing, err := b.newRun(state.Request{Caller: ada}).fillInputs(ctx, o, &c)
		require.NoError(t, err)
		require.Equal(t, map[string]any(want), inputs)
		require.Equal(t, lacks, missing)
	})
}

// pagesWritten returns how many pages of a database have changed since content was read, and what it has now. Room that
// is set aside is all zeros.
func pagesWritten(t *testing.T, path string, content []byte) (pages int, now []byte) {
	t.Helper()
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	size := os.Getpagesize()
	content = append(content, make([]byte, max(len(now)-len(content), 0))...)
	for at := 0; at < len(now); at += size {
		if !bytes.Equal(content[at:at+size], now[at:at+size]) {
			pages++
		}
	}
	return pages, now
}

// What a run writes lies together, after what earlier runs have written: were its rows apart, each would be on a page
// of its own.
func TestPagesOfARun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	b := conductorOn(t, s, nil)
	const before, measured = 200, 20
	written, content := 0, []byte(nil)
	for n := range before + measured {
		_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{
			ob(planning.Report, "query.math", "expr", fmt.Sprintf("2+%d", n))}})
		require.NoError(t, err)
		if n >= before-1 {
			pages := 0
			if pages, content = pagesWritten(t, path, content); n >= before {
				written += pages
			}
		}
	}
	require.LessOrEqual(t, float64(written)/measured, 18.0)
}

// An obligation that the box answers, with its commit.
func BenchmarkObligation(b *testing.B) {
	s := onDisk(b)
	l, err := ledger.Open(b.Context(), s, time.Now)
	require.NoError(b, err)
	contracts := builtin.FactContracts()
	for _, t := range tools.Box() {
		contracts = append(contracts, t.Contract)
	}
	registry, err := contract.Load(b.TempDir(), contracts)
	require.NoError(b, err)
	c := New(l, Options{Tools: registry, Box: tools.Box(), Root: b.TempDir(), Clock: time.Now})
	b.ReportAllocs()
	before, n := s.Stats().Batches, 0
	for b.Loop() {
		n++
		_, err := c.Conduct(context.Background(), ada, planning.Request{Obligations: []planning.Obligation{
			ob(planning.Report, "query.math", "expr", fmt.Sprintf("2+%012d", n))}})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(s.Stats().Batches-before)/float64(n), "commits/op")
}

// repeatable makes a tool one that may run twice.
func repeatable(f fake) fake {
	f.contract.Idempotent = true
	return f
}
