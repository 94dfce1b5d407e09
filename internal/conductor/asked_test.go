package conductor

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
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
