package conductor

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/replying"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// sums is a request of sums.
func sums(all ...string) (request planning.Request) {
	for _, expr := range all {
		request.Obligations = append(request.Obligations, ob(planning.Report, "query.math", "expr", expr))
	}
	return request
}

func TestAQuestionWaitsForWhoAsks(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace := b.conduct(planning.Obligation{Type: planning.Clarify, Payload: map[string]any{"slot": "city", "question": "Which city?"}},
		planning.Obligation{Type: planning.Clarify, Payload: map[string]any{"slot": "year"}})
	require.Equal(t, planning.OutClarify, trace.Status)
	require.Empty(t, trace.Missing)
	require.Equal(t, []string{"Which city?", "it needs year"}, []string{trace.Obligations[0].Why, trace.Obligations[1].Why})
	for _, o := range trace.Obligations {
		require.Equal(t, planning.Active, o.Status)
	}
}

// Verifies: ORC-285
func TestWhatWasSaidIsLogged(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	said := func(run string) (e state.Event, found bool) {
		require.NoError(t, b.state.View(t.Context(), func(v state.View) (err error) {
			e, found, err = v.Event(run, "utterance")
			return err
		}))
		return e, found
	}
	trace, err := b.Ask(t.Context(), ada, Asked{Request: sums("1+1"), Utterance: "what is 1+1, says AK" + "IAIOSFODNN7EXAMPLE"})
	require.NoError(t, err)
	e, found := said(trace.ID)
	require.True(t, found)
	require.Equal(t, "what is 1+1, says [masked aws_access_key]", e.What)
	require.Equal(t, "utterance", e.Kind)
	_, found = said(b.conduct(sums("1+1").Obligations...).ID)
	require.False(t, found, "nobody said anything")
}

// Verifies: ORC-286
func TestAFailedTranslationRunsNothing(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	asked := Asked{Utterance: "x", Request: planning.Request{IdempotencyKey: "k"}}
	asked.Translate = func(context.Context) ([]planning.Obligation, error) { return nil, errors.New("down") }
	_, err := b.Ask(t.Context(), ada, asked)
	require.EqualError(t, err, "down")
	asked.Translate = func(context.Context) ([]planning.Obligation, error) { return nil, nil }
	_, err = b.Ask(t.Context(), ada, asked)
	require.ErrorIs(t, err, fault.Malformed)
	page, _, err := b.List(t.Context(), 0, 10, nil)
	require.NoError(t, err)
	require.Empty(t, page)
	asked.Translate = func(context.Context) ([]planning.Obligation, error) { return sums("2+2").Obligations, nil }
	trace, err := b.Ask(t.Context(), ada, asked)
	require.NoError(t, err)
	require.Equal(t, []string{"2+2 = 4"}, texts(trace))
}

// Verifies: ORC-287
func TestWhatIsNotCertainIsNotRephrased(t *testing.T) {
	unsure := named("test.unsure", "REPORT(query.unsure)", func(f *fake) {
		f.contract.Verify = planning.CheckNonBlocking
		f.again = func(context.Context, map[string]any) error { return errors.New("it is another") }
	})
	b := conductorOf(t, store.NewMemory(), unsure)
	request := sums("2+2")
	request.Obligations = append(request.Obligations, ob(planning.Report, "query.unsure"))
	ctx, hangUp := context.WithCancel(t.Context())
	trace, err := b.Ask(ctx, ada, Asked{Request: request, Rephrase: func(_ context.Context, facts []string, draft string) (string, error) {
		hangUp() // who asked is gone; what was run is kept all the same
		require.Equal(t, []string{"REPORT(query.math)"}, facts)
		return "so " + draft, nil
	}})
	require.NoError(t, err)
	require.Equal(t, "so 2+2 = 4", trace.Answers[0].Text)
	require.True(t, *trace.Answers[0].Rephrased)
	require.True(t, trace.Answers[1].Uncertain)
	require.False(t, *trace.Answers[1].Rephrased)
	require.Contains(t, trace.Answers[1].Text, "I have no answer that I can vouch for", "the template")
	raw, err := b.Trace(t.Context(), trace.ID)
	require.NoError(t, err)
	require.Contains(t, string(raw), "so 2+2 = 4")
}

// The same request sent again while an answer lets its run go on waits for the run, and gets what came of it. Another
// request with its key waits for nothing.
//
// Verifies: ORC-298
func TestTheSameRequestWhileAnAnswerIsUnderWay(t *testing.T) {
	running, goOn := make(chan struct{}), make(chan struct{})
	slow := named("test.slow", "ACHIEVE(k.slow)", func(f *fake) {
		f.contract.Consumes = []planning.Input{{Name: "what", Schema: map[string]any{"type": "string"}, Required: true}}
		f.run = func(tools.In) (map[string]any, error) {
			close(running)
			<-goOn
			return map[string]any{"value": "done"}, nil
		}
	})
	b := conductorOf(t, store.NewMemory(), slow)
	request := planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.slow")}, IdempotencyKey: "k"}
	first, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	require.Equal(t, planning.OutClarify, first.Status)
	again, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	require.Equal(t, raw(t, first), raw(t, again), "it waits for an answer, as it did")

	answered, repeated, waits := make(chan Trace, 1), make(chan Trace, 1), make(chan struct{})
	go func() {
		trace, _ := b.Answer(context.WithoutCancel(t.Context()), ada, first.ID, Reply{Value: "all"})
		answered <- trace
	}()
	<-running
	_, err = b.Conduct(t.Context(), ada, planning.Request{Obligations: sums("1+1").Obligations, IdempotencyKey: "k"})
	require.True(t, fault.Is(err, "idempotency_conflict"), "%v", err)
	left, leave := context.WithCancel(t.Context())
	_, err = b.Ask(left, ada, Asked{Request: request, OnWait: leave})
	require.ErrorIs(t, err, context.Canceled, "who waits may leave")
	go func() {
		trace, _ := b.Ask(context.WithoutCancel(t.Context()), ada, Asked{Request: request, OnWait: func() { close(waits) }})
		repeated <- trace
	}()
	<-waits
	close(goOn)
	after := <-answered
	require.Equal(t, planning.OutResolved, after.Status)
	require.Equal(t, raw(t, after), raw(t, <-repeated))
	require.Equal(t, 1, *slow.runs)
}

// What a crash left under way is not answered with what it had come to before the answer.
//
// Verifies: ORC-298
func TestTheSameRequestWhileNobodyGoesOn(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	request := planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "status.name")}, IdempotencyKey: "k"}
	first, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	_, _, err = replying.Record(t.Context(), b.state, nil, ada, first.ID, Reply{Value: "Jeff"}, &Trace{})
	require.NoError(t, err)
	_, err = b.Conduct(t.Context(), ada, request)
	require.True(t, fault.Is(err, "run_under_way"), "%v", err)
	cut, err := b.Unfinished(t.Context())
	require.NoError(t, err)
	after, err := b.Resume(t.Context(), cut[0])
	require.NoError(t, err)
	again, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	require.Equal(t, raw(t, after), raw(t, again))
}
