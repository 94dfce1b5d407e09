package conductor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/provenance"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

func TestVerification(t *testing.T) {
	trace := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", lying(planning.CheckBlocking, differs))).conduct(ob(planning.Report, "k.x"), ob(planning.Verify, "answers"))
	require.Equal(t, planning.OutFailed, trace.Status)
	require.True(t, trace.Answers[0].Uncertain)
	require.Nil(t, trace.Answers[0].Result, "what is not confirmed never gets out")
	require.NotContains(t, trace.Answers[0].Text, "t.a")
	require.Equal(t, planning.Obligation{Type: planning.Justify, Payload: map[string]any{
		"about": "verification of REPORT(k.x)", "evidence": map[string]any{"by": "again", "with": []any{"t.a"}, "why": "it is 5", "run": "o1/1"},
	}}, trace.Obligations[0].Emitted[0].Obligation)
	require.Equal(t, planning.Failed, trace.Obligations[1].Status, "the VERIFY is this pass")

	trace = conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", lying(planning.CheckBlocking, nil)), named("t.b", "REPORT(k.y)", outOfOrder("no"))).
		conduct(ob(planning.Report, "k.x", "value", "t.a"), ob(planning.Report, "k.y"), ob(planning.Verify, "answers"))
	require.True(t, trace.Obligations[0].Verified.Verified)
	require.Equal(t, planning.Failed, trace.Obligations[2].Status, "one answer is missing")

	trace = conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", lying(planning.CheckNonBlocking, differs))).conduct(ob(planning.Report, "k.x"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.True(t, trace.Answers[0].Uncertain)
	require.NotNil(t, trace.Answers[0].Result, "it is given with its doubt")

	trace = conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", lying(planning.CheckBlocking, nil))).conduct(ob(planning.Report, "k.x", "value", "t.a"), ob(planning.Verify, "answers"))
	require.Equal(t, &Verification{By: "facts", With: []string{trace.ID + "/o1"}, Verified: true, Sources: []provenance.Source{{ID: trace.ID + "/o1", Kind: "caller", By: "ada"}}},
		trace.Obligations[0].Verified, "the caller stated it")
	require.Equal(t, planning.Resolved, trace.Obligations[1].Status)
}

// A VERIFY is resolved by what was verified, and by nothing else.
func TestVerifyingNothing(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	require.Equal(t, []string{"VERIFY(audit)"}, b.conduct(ob(planning.Verify, "audit")).Missing)
	require.Equal(t, planning.OutFailed, b.conduct(ob(planning.Verify, "answers")).Status, "there is no answer")
}

func TestAnswersAreWhatIsKnown(t *testing.T) {
	trace := conductorOf(t, store.NewMemory()).conduct(ob(planning.Report, "status.name", "name", "Zed"))
	require.Empty(t, trace.Answers, "the payload may say what it likes")
}

// lying is a tool whose answers are held against what is known, or again by again, as check says.
func lying(check planning.Checking, again func(context.Context, map[string]any) error) func(*fake) {
	return func(f *fake) { f.contract.Verify, f.again = check, again }
}

func differs(context.Context, map[string]any) error {
	return fault.New(fault.Conflict, "answer_differs", "it is 5")
}

func says(result map[string]any) func(*fake) {
	return func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) { return result, nil }
		f.contract.Reliability, f.contract.LatencyMS = planning.High, 0 // it comes before those of the box
	}
}

// An answer on the caller is held against what is known of the caller: one thing held in its place contradicts it.
func TestAnswersThatAreContradicted(t *testing.T) {
	for name, c := range map[string]struct {
		said   []planning.Obligation
		answer map[string]any
		want   bool
		says   string
	}{
		"another name is held":  {[]planning.Obligation{ob(planning.Achieve, "status.name", "value", "Jeff")}, map[string]any{"value": "Zed"}, false, `"Zed", and ir.recall finds "Jeff"`},
		"by the slot's name":    {[]planning.Obligation{ob(planning.Achieve, "status.name", "value", "Jeff")}, map[string]any{"name": "Zed"}, false, `leaves out value, and ir.recall finds "Jeff"`},
		"the name that is held": {[]planning.Obligation{ob(planning.Achieve, "status.name", "value", "Jeff")}, map[string]any{"value": "Jeff"}, true, ""},
		"nothing is held":       {nil, map[string]any{"value": "Zed"}, false, "ir.recall cannot evaluate it: it needs name"},
		"the one held before":   {[]planning.Obligation{ob(planning.Achieve, "ir.assert", "facts", []any{fact("user", "name", "Zed")}), ob(planning.Achieve, "status.name", "value", "Jeff")}, map[string]any{"value": "Zed"}, false, `finds "Jeff"`},
		"of somebody else":      {[]planning.Obligation{ob(planning.Achieve, "ir.assert", "facts", []any{fact("Jeff", "name", "Zed")})}, map[string]any{"value": "Zed"}, false, "it needs name"},
	} {
		t.Run(name, func(t *testing.T) {
			b := conductorOf(t, store.NewMemory(), named("a.zed", "REPORT(status.name)", says(c.answer), lying(planning.CheckBlocking, nil)))
			if c.said != nil {
				require.Equal(t, planning.OutResolved, b.conduct(c.said...).Status)
			}
			trace := b.conduct(ob(planning.Report, "status.name"))
			of := trace.Obligations[0]
			require.Equal(t, "a.zed", of.Runs[0].Tool)
			require.Equal(t, c.want, of.Verified.Verified, of.Verified.Why)
			require.Equal(t, !c.want, trace.Answers[0].Uncertain)
			if !c.want {
				require.Nil(t, trace.Answers[0].Result)
				require.Contains(t, of.Verified.Why, c.says)
				require.Contains(t, trace.Answers[0].Text, "I have no answer that I can vouch for")
				require.Equal(t, planning.Failed, of.Status)
			}
		})
	}
}

// A tool that is refused, and the next one that answers the same: each has said it.
func TestEveryRunAssertsItsResult(t *testing.T) {
	same := says(map[string]any{"value": "same"})
	b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", same, func(f *fake) { f.contract.Postconditions = []string{"false"} }), named("t.b", "REPORT(k.x)", same, lying(planning.CheckBlocking, nil)))
	trace := b.conduct(ob(planning.Report, "k.x", "value", "same"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.True(t, trace.Obligations[0].Verified.Verified)
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		for i, tool := range []string{"t.a", "t.b"} {
			a, found, err := v.Assertion(trace.ID + "/" + trace.Obligations[0].Runs[i].ID)
			require.NoError(t, err)
			require.True(t, found, tool)
			require.Equal(t, map[string]any{"value": "same"}, a.Object)
			source, found, err := v.Source(a.Source)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, tool, source.Name)
		}
		return nil
	}))
}

// Who asks for the verification of the answers gets it for each, also where a contract asks for none.
func TestAVerifyOfAllAnswers(t *testing.T) {
	counted := func(again func(context.Context, map[string]any) error, times *int) func(*fake) {
		return lying(planning.CheckOff, func(ctx context.Context, result map[string]any) error {
			*times++
			return again(ctx, result)
		})
	}
	confirms := func(context.Context, map[string]any) error { return nil }
	for name, c := range map[string]struct {
		again  func(context.Context, map[string]any) error
		verify []planning.Obligation
		times  int
		status planning.Status
	}{
		"nobody asks":        {differs, nil, 0, ""},
		"of another thing":   {differs, []planning.Obligation{ob(planning.Verify, "audit")}, 0, planning.Escalated},
		"confirmed":          {confirms, []planning.Obligation{ob(planning.Verify, "answers")}, 1, planning.Resolved},
		"without a kind":     {confirms, []planning.Obligation{{Type: planning.Verify, Payload: map[string]any{}}}, 1, planning.Resolved},
		"one does not stand": {differs, []planning.Obligation{ob(planning.Verify, "answers")}, 1, planning.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			times := 0
			b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", counted(c.again, &times)), named("t.b", "REPORT(k.y)"))
			trace := b.conduct(append([]planning.Obligation{ob(planning.Report, "k.x"), ob(planning.Report, "k.y", "value", "t.b")}, c.verify...)...)
			require.Equal(t, c.times, times)
			if c.status != "" {
				require.Equal(t, c.status, trace.Obligations[2].Status)
			}
			if c.times == 0 {
				require.Equal(t, byNothing, trace.Obligations[0].Verified.By)
				require.False(t, trace.Obligations[0].Verified.Verified)
				return
			}
			require.Equal(t, []string{trace.ID + "/o2"}, trace.Obligations[1].Verified.With, "what has no other way is held against what sources state")
			sound := c.status == planning.Resolved
			require.Equal(t, sound, trace.Obligations[0].Verified.Verified)
			require.Equal(t, sound, trace.Answers[0].Result != nil, "what was to be verified, and is not, is not answered")
			require.False(t, trace.Answers[1].Uncertain)
		})
	}
}

// A claim is held against what is so when it is made, and not against what the run makes so afterwards.
//
// Verifies: ORC-240
func TestAClaimIsEvaluatedBeforeWhatComesAfterIt(t *testing.T) {
	zed := named("a.zed", "REPORT(status.name)", says(map[string]any{"value": "Zed"}), lying(planning.CheckBlocking, nil))
	trace := conductorOf(t, store.NewMemory(), zed).conduct(ob(planning.Report, "status.name"), ob(planning.Achieve, "status.name", "value", "Zed"), ob(planning.Report, "status.name"))
	require.False(t, trace.Obligations[0].Verified.Verified, "nothing was known then")
	require.Equal(t, planning.Failed, trace.Obligations[0].Status)
	require.True(t, trace.Obligations[2].Verified.Verified, trace.Obligations[2].Verified.Why)
	require.Equal(t, []bool{true, false}, []bool{trace.Answers[0].Uncertain, trace.Answers[len(trace.Answers)-1].Uncertain})
}

// What was found of an answer stays what it was when the service dies after an act that would make the answer true.
//
// Verifies: ORC-240, ORC-282
func TestAnActDoesNotMakeAnEarlierAnswerTrueAfterACrash(t *testing.T) {
	s := store.NewMemory()
	zed := named("a.zed", "REPORT(status.name)", says(map[string]any{"value": "Zed"}), lying(planning.CheckBlocking, nil))
	again := func(f *fake) { f.contract.Idempotent = true }
	cut := named("t.cut", "ACHIEVE(k.y)", again)
	alive := cut.run
	var b bench
	cut.run = func(tools.In) (map[string]any, error) { b.stop(); return nil, b.stopping().Err() } // the service ends while it runs
	b = conductorOf(t, s, zed, cut)
	request := planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "status.name"),
		ob(planning.Achieve, "status.name", "value", "Zed"), ob(planning.Achieve, "k.y")}}
	_, err := b.Conduct(t.Context(), ada, request)
	require.ErrorIs(t, err, fault.Unavailable)
	b.Stop()

	cut.run = alive
	b = conductorOf(t, s, zed, cut)
	left, err := b.Unfinished(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	resumed, err := b.Resume(t.Context(), left[0])
	require.NoError(t, err)
	whole := conductorOf(t, store.NewMemory(), named("a.zed", "REPORT(status.name)", says(map[string]any{"value": "Zed"}), lying(planning.CheckBlocking, nil)), named("t.cut", "ACHIEVE(k.y)", again)).
		conduct(request.Obligations...)
	require.Equal(t, planning.OutFailed, whole.Obligations[0].Outcome)
	for i, o := range resumed.Obligations {
		require.Equal(t, whole.Obligations[i].Outcome, o.Outcome, o.ID)
		require.Equal(t, whole.Obligations[i].Why, o.Why, o.ID)
		require.Equal(t, whole.Obligations[i].Verified, o.Verified, o.ID)
	}
	require.Equal(t, whole.Answers, resumed.Answers)
}
