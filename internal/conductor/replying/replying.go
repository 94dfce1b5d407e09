// Package replying records the answer to a question of a run, with its source, in one step that lets the run go on.
package replying

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/language/reasons"
	"orchestrator/internal/conductor/listing"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
)

// Trace is what a run had come to when it asked.
type Trace interface {
	// Read takes over the trace as it is stored.
	Read(raw jsontext.Value) error
	// Lapse fails what waits for a question that has expired. It reports whether there is any.
	Lapse(all []state.Question, now time.Time) bool
	// Write writes the trace, and its obligations.
	Write(w *state.Writer) error
	// Asked returns an obligation of the run.
	Asked(id string) planning.Obligation
}

// Record records an answer, and returns the request of the run, which goes on then. If the same caller has given the
// same answer before, repeated is true and nothing is recorded. Where questions have expired, that is recorded,
// whatever becomes of the answer. It reads the trace of the run into trace. A text may stand for what words make of it,
// which the project completes.
func Record(ctx context.Context, in *state.Store, over builtin.Project, who audit.Actor, run string, reply questions.Reply,
	trace Trace) (request state.Request, repeated bool, err error) {
	a := answer{who: who, reply: reply, trace: trace, complete: func(o planning.Obligation) planning.Obligation { return o }}
	if over != nil {
		a.complete = func(o planning.Obligation) planning.Obligation { return over.Complete(ctx, o) }
	}
	err = in.View(ctx, func(v state.View) error {
		_, found, err := v.Request(run)
		switch {
		case err != nil:
			return err
		case !found:
			return listing.ErrUnknownRun(run)
		}
		a.all, err = v.Questions(run)
		return err
	})
	if err != nil {
		return request, false, err
	}
	err = in.Step(ctx, run, "answered", who, a.write)
	if errors.Is(err, errRepeated) {
		return a.request, true, nil
	}
	if err == nil {
		err = a.refused
	}
	return a.request, false, err
}

// errRepeated ends a step that would record an answer a second time.
var errRepeated = errors.New("this was answered before")

// answer is one answer to a run. What is looked at before its step is looked at again in it.
type answer struct {
	who     audit.Actor
	reply   questions.Reply
	request state.Request
	all     []state.Question
	trace   Trace
	refused error // with which the step has something to record all the same

	complete func(planning.Obligation) planning.Obligation // adds what words leave out
}

func (a *answer) write(w *state.Writer) error {
	if err := a.load(w); err != nil {
		return err
	}
	if err := questions.MayAnswer(a.who, a.request.Caller); err != nil {
		return err
	}
	if !a.request.Ended {
		return fault.New(fault.Conflict, questions.CodeUnderWay, "the run %s is under way", a.request.ID).
			WithFix("send the answer again when it has ended; GET /obligations/%s says so", a.request.ID)
	}
	lapsed, err := a.lapse(w)
	if err != nil {
		return err
	}
	if err := a.record(w); err != nil {
		if !lapsed {
			return err
		}
		a.refused = err
	}
	return nil
}

// load reads what the answer is for as it is when the step is written.
func (a *answer) load(w *state.Writer) error {
	request, raw, err := w.Stored()
	if err != nil {
		return err
	}
	a.request = request
	for i := range a.all {
		if a.all[i], _, err = w.Question(a.all[i].ID); err != nil {
			return err
		}
	}
	if raw == nil {
		return nil
	}
	return a.trace.Read(raw)
}

// lapse records that questions have expired, and that their obligations failed. It reports whether there is one.
func (a *answer) lapse(w *state.Writer) (bool, error) {
	if !a.trace.Lapse(a.all, w.At) {
		return false, nil
	}
	why, _ := questions.Overdue(a.all, w.At)
	for i := range a.all {
		q := &a.all[i]
		switch {
		case q.Status != state.QuestionWaits:
			continue
		case q.StatusAt(w.At) == state.QuestionExpired:
			q.Status = state.QuestionExpired
		case questions.Fails(why, true, q.Obligation) != "":
			q.Status = state.QuestionWithdrawn
		}
		if err := w.PutQuestion(*q); err != nil {
			return true, err
		}
	}
	return true, a.trace.Write(w)
}

// record records the answer, unless it is refused, and opens the run again.
func (a *answer) record(w *state.Writer) error {
	q, err := questions.Pick(a.request.ID, a.all, a.reply, w.At)
	switch {
	case err != nil:
		return err
	case questions.Repeats(q, a.reply, a.who) || q.By != nil && *q.By == a.who && reasons.Made(q.Slot, q.Value, a.reply.Value):
		return errRepeated
	}
	if err := questions.Open(q, w.At); err != nil {
		return err
	}
	o := a.trace.Asked(q.Obligation)
	value, wrong := a.fitting(o, q)
	if len(wrong) > 0 {
		for i := range wrong {
			wrong[i].Pointer = "/value" + wrong[i].Pointer
		}
		return fault.New(fault.Invalid, questions.CodeUnfit, "the answer does not fit what %s asks for", q.ID).
			WithFields(wrong...).WithFix("answer %s again: %s", q.ID, q.Question)
	}
	q.Status, q.Value, q.By, q.At = state.QuestionAnswered, value, &a.who, w.At
	return errors.Join(a.putSource(w, q, o), w.PutQuestion(q), w.Reopened(a.request))
}

// fitting returns the answer as it fits the question, or else what is wrong with it: the value as it was given or,
// where that is a text that does not fit, what words make of it.
//
// Implements: ORC-297
func (a *answer) fitting(o planning.Obligation, q state.Question) (value any, wrong []fault.Field) {
	wrong = contract.CheckAnswer(o, q.Slot, q.Schema, a.reply.Value)
	made, ok := reasons.Answer(q.Slot, a.reply.Value)
	if len(wrong) == 0 || !ok {
		return a.reply.Value, wrong
	}
	given := append(questions.GivenTo(a.all, q.Obligation), questions.Given{Slot: q.Slot, Value: made})
	made = a.complete(questions.Effective(o, given)).Payload[q.Slot]
	return made, contract.CheckAnswer(o, q.Slot, q.Schema, made)
}

// putSource writes the answer as a source. What is said about the caller is known of the caller from then on.
func (a *answer) putSource(w *state.Writer, q state.Question, o planning.Obligation) error {
	id := a.request.ID + "/" + q.ID
	source, err := w.Source(state.Source{ID: id, Kind: state.SourceAnswer, Name: a.who.Name})
	if err != nil {
		return err
	}
	if err := w.Event(state.Event{ID: q.ID, Kind: "question.answered",
		What: fmt.Sprintf("%s of %s, by %s (%s)", q.Slot, o, a.who.Name, a.who.Role)}); err != nil {
		return err
	}
	slot, is := strings.CutPrefix(o.Kind(), planning.AboutCaller)
	if !is || slot != q.Slot || o.Type != planning.Report {
		return nil
	}
	return w.Assert(state.Assertion{ID: id, Subject: builtin.UserSubject(a.request.Caller), Predicate: q.Slot,
		Object: q.Value, Confidence: 1, Source: source}, state.Single)
}
