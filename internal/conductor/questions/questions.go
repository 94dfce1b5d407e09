// Package questions decides on the questions of runs: which one an answer is for, who may give it, until when, and what
// becomes of the obligation that waits for it. It is pure: the moment is given.
package questions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// Implements: ORC-245, ORC-246

// DefaultWait is how long a question waits for its answer if the request does not say.
const DefaultWait = 24 * time.Hour

// The codes of refused answers.
const (
	CodeUnknown   fault.Code = "unknown_question"
	CodeAmbiguous fault.Code = "question_ambiguous"
	CodeForbidden fault.Code = "answer_forbidden"
	CodeUnderWay  fault.Code = "run_under_way"
	CodeAnswered  fault.Code = "answered"
	CodeExpired   fault.Code = "expired"
	CodeUnfit     fault.Code = "answer_unfit"
)

// Wait returns how long the questions of a request wait.
func Wait(r planning.Request) time.Duration {
	if r.AnswerWithinS == 0 {
		return DefaultWait
	}
	return time.Duration(r.AnswerWithinS) * time.Second
}

// Reply is an answer as it is given.
type Reply struct {
	Obligation string `json:"obligation,omitempty"` // id of the obligation that waits, or of the question; "" is any
	Slot       string `json:"slot,omitempty"`       // tells several questions of one obligation apart
	Value      any    `json:"value"`
}

// Given is an answer as the trace of its obligation has it.
type Given struct {
	Question string      `json:"question"` // the id of the question
	Slot     string      `json:"slot"`
	Value    any         `json:"value"`
	By       audit.Actor `json:"by"`
}

// GivenTo returns the answers to the questions of an obligation.
func GivenTo(all []state.Question, obligation string) (given []Given) {
	for _, q := range all {
		if q.Obligation == obligation && q.Status == state.QuestionAnswered && q.By != nil {
			given = append(given, Given{q.ID, q.Slot, q.Value, *q.By})
		}
	}
	return given
}

// Gives reports whether one of the answers is for a slot.
func Gives(given []Given, slot string) bool {
	return slices.ContainsFunc(given, func(g Given) bool { return g.Slot == slot })
}

// Effective returns an obligation with the answers to its questions as members of its payload.
func Effective(o planning.Obligation, given []Given) planning.Obligation {
	if len(given) == 0 || o.Type == planning.Clarify {
		return o
	}
	payload := maps.Clone(o.Payload)
	if payload == nil {
		payload = map[string]any{}
	}
	o.Payload = payload
	for _, g := range given {
		o.Payload[g.Slot] = g.Value
	}
	return o
}

// MayAnswer refuses whoever is neither the caller that a run asks nor a pm.
func MayAnswer(who, asker audit.Actor) error {
	if who == asker || who.Role == string(lifecycle.PM) {
		return nil
	}
	return fault.New(fault.Forbidden, CodeForbidden, "the question is for %s (%s)", asker.Name, asker.Role).
		WithFix("use the token of who asked, or of a pm")
}

// Pick returns the question that a reply is for: the one that waits among those that it may mean, or else the only one.
func Pick(run string, all []state.Question, reply Reply, now time.Time) (state.Question, error) {
	meant := slices.DeleteFunc(slices.Clone(all), func(q state.Question) bool { return !means(reply, q) })
	waiting := slices.DeleteFunc(slices.Clone(meant),
		func(q state.Question) bool { return q.StatusAt(now) != state.QuestionWaits })
	switch {
	case len(meant) == 0:
		return state.Question{}, fault.New(fault.NotFound, CodeUnknown, "the run %s asks no such question", run).
			WithFix("%s", askedBy(run, all))
	case len(waiting) == 1:
		return waiting[0], nil
	case len(waiting) == 0:
		return meant[len(meant)-1], nil
	}
	return state.Question{}, fault.New(fault.Invalid, CodeAmbiguous, "%d questions of the run wait", len(waiting)).
		WithFix("name one as obligation: %s", strings.Join(described(waiting), "; "))
}

// means reports whether a reply may be for a question.
func means(reply Reply, q state.Question) bool {
	return (reply.Obligation == "" || reply.Obligation == q.ID || reply.Obligation == q.Obligation) &&
		(reply.Slot == "" || reply.Slot == q.Slot)
}

func askedBy(run string, all []state.Question) string {
	if len(all) == 0 {
		return "GET /traces/" + run + " has its answers"
	}
	return "it asks: " + strings.Join(described(all), "; ")
}

func described(all []state.Question) (texts []string) {
	for _, q := range all {
		texts = append(texts, q.ID+" ("+fault.Clip(q.Slot, 80)+")")
	}
	return texts
}

// Repeats reports whether an answer was given before by the same caller, with the same value.
func Repeats(q state.Question, reply Reply, who audit.Actor) bool {
	return q.Status == state.QuestionAnswered && q.By != nil && *q.By == who && state.Equal(q.Value, reply.Value)
}

// Open refuses an answer to a question that does not wait for one.
func Open(q state.Question, now time.Time) error {
	switch q.StatusAt(now) {
	case state.QuestionWaits:
		return nil
	case state.QuestionExpired:
		return fault.New(fault.Gone, CodeExpired, "%s waited for an answer until %s", q.ID, moment(q.Expires)).
			WithFix("send the obligation again, with %s in its payload", q.Slot)
	case state.QuestionWithdrawn:
		return fault.New(fault.Conflict, CodeAnswered, "the obligation %s ended without an answer to %s", q.Obligation,
			q.ID).WithFix("GET /traces/%s says how it ended", q.Run)
	}
	return fault.New(fault.Conflict, CodeAnswered, "%s was answered by %s (%s) at %s", q.ID, q.By.Name, q.By.Role,
		moment(q.At)).WithFix("GET /traces/%s has what came of it", q.Run)
}

func moment(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// Overdue returns why each obligation with an expired question fails; waits reports whether another question waits.
func Overdue(all []state.Question, now time.Time) (why map[string]string, waits bool) {
	why = map[string]string{}
	for _, q := range all {
		if q.StatusAt(now) == state.QuestionExpired && why[q.Obligation] == "" {
			why[q.Obligation] = fmt.Sprintf("nobody answered %q until %s", fault.Clip(q.Question, 200),
				moment(q.Expires))
		}
	}
	for _, q := range all {
		waits = waits || q.StatusAt(now) == state.QuestionWaits && Fails(why, true, q.Obligation) == ""
	}
	return why, waits
}

// Fails returns why an active obligation fails by what Overdue says; "" if it still waits. A plan fails with a step,
// and its other steps with it. What asks nothing itself waits for others, and fails when nothing waits any more.
func Fails(why map[string]string, waits bool, obligation string) string {
	if reason := why[obligation]; reason != "" {
		return reason
	}
	for _, failed := range slices.Sorted(maps.Keys(why)) {
		if whole(failed) == whole(obligation) {
			return failed + ": " + why[failed]
		}
	}
	if !waits && len(why) > 0 {
		return "what it waits for was not answered in time"
	}
	return ""
}

// whole returns the obligation of the request that a step belongs to.
func whole(obligation string) string {
	id, _, _ := strings.Cut(obligation, ".")
	return id
}
