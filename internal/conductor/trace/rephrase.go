package trace

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Rephrase rephrases a draft. The facts are context. With an error the draft stands.
type Rephrase func(ctx context.Context, facts []string, draft string) (string, error)

// rephraseTimeout bounds the rephrasing of all answers of a run, since a caller is waiting.
const rephraseTimeout = 20 * time.Second

// RephraseAnswers replaces the texts of the answers by those of rephrase. An uncertain answer keeps its plain words. Once
// rephrase is unavailable, no further answer is tried.
func (t *Trace) RephraseAnswers(ctx context.Context, rephrase Rephrase) {
	ctx, cancel := context.WithTimeout(ctx, rephraseTimeout)
	defer cancel()
	of := map[string]planning.Obligation{}
	for _, o := range t.Obligations {
		of[o.ID] = o.Obligation
	}
	var gone error
	for i := range t.Answers {
		a := &t.Answers[i]
		text, err := a.Text, gone
		switch {
		case a.Uncertain:
			err = errors.New("the answer is uncertain")
		case gone == nil:
			text, err = rephrase(ctx, []string{of[a.Obligation].String()}, a.Text)
		}
		if errors.Is(err, fault.Unavailable) {
			gone = err
		}
		done := err == nil
		a.Rephrased = &done
		if done {
			a.Text = text
		} else {
			a.NotRephrased = fault.Clip(detailOf(err), 500)
		}
	}
}

// detailOf returns what happened, without causes and advice.
func detailOf(err error) string {
	if f := fault.As(err); f != nil {
		return f.Detail
	}
	return err.Error()
}
