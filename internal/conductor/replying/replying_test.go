package replying_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/replying"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// Verifies: ORC-245, ORC-246

var (
	ada = audit.Actor{Name: "ada", Role: "coder"}
	pat = audit.Actor{Name: "pat", Role: "pm"}
)

// asked is a run "r1" of ada that has ended for the time being, with the questions that its obligations wait for.
type asked struct {
	t      *testing.T
	in     *state.Store
	ledger *ledger.Ledger
	now    time.Time
}

// asking makes the run. Its clock stands until somebody sets it.
func asking(t *testing.T, within time.Duration, obligations ...trace.Obligation) *asked {
	t.Helper()
	a := &asked{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	l, err := ledger.Open(t.Context(), store.NewMemory(), func() time.Time { return a.now })
	require.NoError(t, err)
	a.in, a.ledger = state.New(l), l
	tr := trace.Trace{ID: "r1", Caller: ada, Obligations: obligations, Answers: []trace.Answer{}}
	tr.Conclude()
	a.step("began", func(w *state.Writer, r state.Request) error { return w.Request(r) })
	a.step("ended", func(w *state.Writer, r state.Request) error {
		return errors.Join(tr.Write(w), tr.PutQuestions(w, within), w.Ended(r))
	})
	return a
}

func (a *asked) step(name string, write func(w *state.Writer, r state.Request) error) {
	a.t.Helper()
	require.NoError(a.t, a.in.Step(a.t.Context(), "r1", name, ada, func(w *state.Writer) error {
		return write(w, state.Request{ID: "r1", Number: 1, Caller: ada})
	}))
}

// view reads what is stored.
func view[T any](a *asked, read func(v state.View) (T, error)) (value T) {
	a.t.Helper()
	require.NoError(a.t, a.in.View(a.t.Context(), func(v state.View) (err error) {
		value, err = read(v)
		return err
	}))
	return value
}

func (a *asked) records() uint64 { return a.ledger.Head().Size }

// question returns a question by its place among those of the run.
func (a *asked) question(n int) state.Question {
	a.t.Helper()
	all := view(a, func(v state.View) ([]state.Question, error) { return v.Questions("r1") })
	require.Greater(a.t, len(all), n)
	return all[n]
}

// open returns the ids of the runs that go on.
func (a *asked) open() (ids []string) {
	for _, r := range view(a, func(v state.View) ([]state.Request, error) { return v.Open() }) {
		ids = append(ids, r.ID)
	}
	return ids
}

func (a *asked) record(who audit.Actor, reply questions.Reply) (state.Request, bool, error) {
	var tr trace.Trace
	return replying.Record(a.t.Context(), a.in, nil, who, "r1", reply, &tr)
}

// refused refuses an answer, which leaves no record unless it says so.
func (a *asked) refused(code fault.Code, records uint64, who audit.Actor, reply questions.Reply) *fault.Error {
	a.t.Helper()
	before := a.records()
	_, repeated, err := a.record(who, reply)
	require.True(a.t, fault.Is(err, code), "%v", err)
	require.False(a.t, repeated)
	require.Equal(a.t, before+records, a.records())
	require.NotEmpty(a.t, fault.As(err).Fix)
	return fault.As(err)
}

// lacks returns an obligation that waits for an input.
func lacks(id string, o planning.Obligation, slot string, schema map[string]any) trace.Obligation {
	t := trace.Obligation{ID: id, Obligation: o, Status: planning.Active}
	t.Clarify([]string{slot}, func(string) map[string]any { return schema })
	return t
}

func report(kind string) planning.Obligation {
	return planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": kind}}
}

var text = map[string]any{"type": "string"}

func TestAnAnswerIsRecordedWithItsSourceAndOpensTheRun(t *testing.T) {
	a := asking(t, time.Hour, lacks("o1", report("shop.price"), "item", text))
	require.Empty(t, a.open())
	before := a.records()
	request, repeated, err := a.record(pat, questions.Reply{Obligation: "o1", Value: "tea"})
	require.NoError(t, err)
	require.False(t, repeated)
	require.Equal(t, "r1", request.ID)
	require.Equal(t, before+1, a.records(), "all of it is one step")
	require.Equal(t, []string{"r1"}, a.open())
	q := a.question(0)
	require.Equal(t, state.QuestionAnswered, q.Status)
	require.Equal(t, "tea", q.Value)
	require.Equal(t, &pat, q.By)
	require.Equal(t, a.now, q.At)
	source := view(a, func(v state.View) (state.Source, error) { s, _, err := v.Source("r1/" + q.ID); return s, err })
	require.Equal(t, state.SourceAnswer, source.Kind)
	require.Equal(t, "pat", source.Name)
	event := view(a, func(v state.View) (state.Event, error) { e, _, err := v.Event("r1", q.ID); return e, err })
	require.Equal(t, "item of REPORT(shop.price), by pat (pm)", event.What)
	require.Empty(t, view(a, func(v state.View) ([]state.Assertion, error) { return v.Held("user:ada", "item") }),
		"it is about a shop")
}

// What somebody is asked about themselves is known from then on, with the answer as its source.
func TestAnAnswerAboutTheCallerIsKnown(t *testing.T) {
	a := asking(t, time.Hour, lacks("o1", report("status.name"), "name", text))
	_, _, err := a.record(pat, questions.Reply{Value: "Ada"})
	require.NoError(t, err)
	held := view(a, func(v state.View) ([]state.Assertion, error) { return v.Held("user:ada", "name") })
	require.Len(t, held, 1)
	require.Equal(t, "Ada", held[0].Object)
	require.Equal(t, "r1/"+a.question(0).ID, held[0].Source)

	telling := planning.Obligation{Type: planning.Achieve, Payload: map[string]any{"kind": "status.name"}}
	a = asking(t, time.Hour, lacks("o1", telling, "name", text))
	_, _, err = a.record(ada, questions.Reply{Value: "Ada"})
	require.NoError(t, err)
	require.Empty(t, view(a, func(v state.View) ([]state.Assertion, error) { return v.Held("user:ada", "name") }),
		"what is to be told is told when the run goes on")
}

func TestTheSameAnswerAgainRecordsNothing(t *testing.T) {
	a := asking(t, time.Hour, lacks("o1", report("shop.price"), "item", text), lacks("o2", report("shop.price"), "item", text))
	_, _, err := a.record(ada, questions.Reply{Obligation: "o1", Value: "tea"})
	require.NoError(t, err)
	a.refused(questions.CodeUnderWay, 0, ada, questions.Reply{Obligation: "o1", Value: "tea"})
	a.step("ended", func(w *state.Writer, r state.Request) error { return w.Ended(r) })
	before := a.records()
	request, repeated, err := a.record(ada, questions.Reply{Obligation: "o1", Value: "tea"})
	require.NoError(t, err)
	require.True(t, repeated)
	require.Equal(t, "r1", request.ID)
	require.Equal(t, before, a.records())
	require.Empty(t, a.open())
	a.refused(questions.CodeAnswered, 0, ada, questions.Reply{Obligation: "o1", Value: "coffee"})
	a.refused(questions.CodeAnswered, 0, pat, questions.Reply{Obligation: "o1", Value: "tea"})
	require.Equal(t, "tea", a.question(0).Value)
}

func TestWhoseAnswerIsRefused(t *testing.T) {
	a := asking(t, time.Hour, lacks("o1", report("shop.price"), "item", text))
	for _, who := range []audit.Actor{{Name: "bob", Role: "coder"}, {Name: "ada", Role: "tester"}} {
		a.refused(questions.CodeForbidden, 0, who, questions.Reply{Value: "tea"})
	}
	a.refused(questions.CodeUnknown, 0, ada, questions.Reply{Obligation: "o7", Value: "tea"})
	unfit := a.refused(questions.CodeUnfit, 0, ada, questions.Reply{Value: 7.0})
	require.Equal(t, "/value", unfit.Fields[0].Pointer)
	require.Equal(t, state.QuestionWaits, a.question(0).Status)
	require.Empty(t, a.open())
	_, _, err := replying.Record(t.Context(), a.in, nil, ada, "r7", questions.Reply{Value: "tea"}, &trace.Trace{})
	require.True(t, fault.Is(err, "unknown_run"), "%v", err)
}

// A late answer is refused, and that the question has expired is on record, with what failed for that.
func TestALateAnswerRecordsThatTheQuestionHasExpired(t *testing.T) {
	a := asking(t, time.Minute, lacks("o1", report("shop.price"), "item", text))
	a.now = a.now.Add(time.Minute)
	a.refused(questions.CodeExpired, 1, ada, questions.Reply{Value: "tea"})
	require.Equal(t, state.QuestionExpired, a.question(0).Status)
	require.Nil(t, a.question(0).By)
	require.Empty(t, a.open())
	tr := view(a, func(v state.View) (trace.Trace, error) { return trace.In(v, "r1") })
	require.Equal(t, planning.Failed, tr.Obligations[0].Status)
	require.Contains(t, tr.Obligations[0].Why, "nobody answered")
	a.refused(questions.CodeExpired, 0, ada, questions.Reply{Value: "tea"})
}

// An answer to a question that waits is taken although another has expired. What a part of the same whole asked is
// withdrawn with the one that expired: nobody waits for it.
func TestAnAnswerBesideAQuestionThatHasExpired(t *testing.T) {
	a := asking(t, time.Minute, lacks("o1", report("shop.price"), "item", text), lacks("o2", report("shop.price"), "item", text))
	a.step("asked later", func(w *state.Writer, _ state.Request) error {
		for obligation, status := range map[string]state.QuestionStatus{"o1.2": state.QuestionWaits,
			"o1.3": state.QuestionAnswered, "o2": state.QuestionWaits} {
			later := state.Question{ID: obligation + ".1", Obligation: obligation, Slot: "item", Asked: a.now,
				Expires: a.now.Add(time.Hour), Status: status, Value: "milk"}
			if err := w.PutQuestion(later); err != nil {
				return err
			}
		}
		return nil
	})
	a.now = a.now.Add(time.Minute)
	_, _, err := a.record(ada, questions.Reply{Obligation: "o2", Value: "tea"})
	require.NoError(t, err)
	require.Equal(t, []string{"r1"}, a.open())
	statuses := map[string]state.QuestionStatus{}
	for _, q := range view(a, func(v state.View) ([]state.Question, error) { return v.Questions("r1") }) {
		statuses[q.ID] = q.Status
	}
	require.Equal(t, map[string]state.QuestionStatus{"o1.1": state.QuestionExpired, "o1.2.1": state.QuestionWithdrawn,
		"o1.3.1": state.QuestionAnswered, "o2.1": state.QuestionAnswered}, statuses)
	tr := view(a, func(v state.View) (trace.Trace, error) { return trace.In(v, "r1") })
	require.Equal(t, planning.Failed, tr.Obligations[0].Status)
	require.Equal(t, planning.Active, tr.Obligations[1].Status)
}

// A step that fails to write records nothing of an answer.
func TestAnAnswerIsNotHalfRecorded(t *testing.T) {
	a := asking(t, time.Minute, lacks("o1", report("shop.price"), "item", text))
	a.now = a.now.Add(time.Minute)
	before := a.records()
	broken := errors.New("broken")
	_, _, err := replying.Record(t.Context(), a.in, nil, ada, "r1", questions.Reply{Value: "tea"}, unwritten{&trace.Trace{}, broken})
	require.ErrorIs(t, err, broken)
	require.Equal(t, before, a.records())
	require.Equal(t, state.QuestionWaits, a.question(0).Status)
}

// unwritten is a trace that cannot be written.
type unwritten struct {
	*trace.Trace
	err error
}

func (u unwritten) Write(*state.Writer) error { return u.err }
