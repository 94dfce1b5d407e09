// Package spoken makes obligations of what people say fit to be run: it gives requirements their whole ids, and makes a
// question of what was not understood, and of an act that a language model understood.
package spoken

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/conductor/language"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// memberID is the member of a payload that names a requirement.
const memberID = "id"

// Whole gives the requirements that obligations name their whole ids, where whole knows them. It changes the payloads.
// This happens before anything is decided on the obligations, so that a guardrail on a requirement holds by whichever
// name it is called.
func Whole(all []planning.Obligation, whole func(name string) string) []planning.Obligation {
	for _, o := range all {
		if name, is := o.Payload[memberID].(string); is {
			o.Payload[memberID] = whole(name)
		}
		list, _ := o.Payload["obligations"].([]any) // of a schedule
		for _, item := range list {
			one, _ := item.(map[string]any)
			if payload, is := one["payload"].(map[string]any); is {
				Whole([]planning.Obligation{{Payload: payload}}, whole)
			}
		}
	}
	return all
}

// completer adds what words leave out; see builtin.Project.
type completer interface {
	Complete(ctx context.Context, o planning.Obligation) planning.Obligation
}

// Complete adds to obligations what the words that made them leave out, where there is a project that tells it.
func Complete(ctx context.Context, all []planning.Obligation, p completer) {
	if p == nil {
		return
	}
	for i, o := range all {
		all[i] = p.Complete(ctx, o)
	}
}

// Reasoned returns the refusal of a move for want of a reason with the sentence to say, since whoever speaks sends no
// JSON: what was said, or the sentence of the obligation where said is "". Any other refusal stays as it is.
//
// Implements: ORC-297
func Reasoned(refusal *fault.Error, said string, of planning.Obligation, now time.Time) *fault.Error {
	if refusal == nil || refusal.Code != lifecycle.CodeUnjustified {
		return refusal
	}
	sentence, is := strings.CutPrefix(language.Say(of, now), "say: ")
	if said != "" {
		sentence, is = strings.TrimRight(said, " .!,;"), true
	}
	if !is {
		return refusal
	}
	advised := *refusal
	return advised.WithFix("%s", advice.Reasoned(sentence))
}

// Question returns the obligation to ask for other words.
func Question(notUnderstood error) planning.Obligation {
	text := "What is meant?"
	if f := fault.As(notUnderstood); f != nil {
		text = fmt.Sprintf("What is meant? Neither the grammar nor the language model could make obligations of it: %s. Please %s", f.Detail, f.Fix)
	}
	return ask(text)
}

func ask(question string) planning.Obligation {
	return flow.Literal(planning.Obligation{Type: planning.Clarify,
		Payload: map[string]any{"slot": "utterance", "question": question}})
}

// Confirmed returns the obligations that a language model made of words, if all of them read; else, in the place of all,
// a question for each that acts. Nothing is done on a model's word: it may make an act of anything that somebody says.
//
// Implements: ORC-286
func Confirmed(all []planning.Obligation, now time.Time) []planning.Obligation {
	var acts []planning.Obligation
	for _, o := range all {
		if slices.Contains([]planning.Type{planning.Achieve, planning.Schedule, planning.Maintain, planning.Avoid}, o.Type) {
			acts = append(acts, ask(fmt.Sprintf("Is %s meant? The language model understood that, and nothing is done "+
				"on its word. To have it done, %s", o, language.Say(o, now))))
		}
	}
	if len(acts) > 0 {
		return acts
	}
	return all
}
