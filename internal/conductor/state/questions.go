package state

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
)

// QuestionStatus says whether a question can still be answered.
type QuestionStatus string

// The statuses of questions.
const (
	QuestionWaits     QuestionStatus = "waiting"
	QuestionAnswered  QuestionStatus = "answered"
	QuestionExpired   QuestionStatus = "expired"
	QuestionWithdrawn QuestionStatus = "withdrawn" // its obligation ended without an answer to it
)

// Question is what a run asked its caller, and what was answered.
type Question struct {
	ID         string         `json:"id"` // o2.1, the CLARIFY that o2 gave rise to; o2 if that is a CLARIFY itself
	Run        string         `json:"run"`
	Obligation string         `json:"obligation"` // that waits: o2
	Slot       string         `json:"slot"`
	Question   string         `json:"question"`
	Schema     jsontext.Value `json:"schema,omitempty"` // of the value; without it any value will do
	Asked      time.Time      `json:"asked"`
	Expires    time.Time      `json:"expires"`
	Status     QuestionStatus `json:"status"`
	Value      any            `json:"value,omitzero"`
	By         *audit.Actor   `json:"by,omitempty"` // who answered
	At         time.Time      `json:"at,omitzero"`  // when
}

// QuestionIn returns the question that a CLARIFY asks for an obligation. id is that of the CLARIFY.
func QuestionIn(id, obligation string, clarify planning.Obligation) (q Question, err error) {
	q = Question{ID: id, Obligation: obligation}
	q.Slot, _ = clarify.Payload["slot"].(string)
	q.Question, _ = clarify.Payload["question"].(string)
	if q.Question == "" {
		q.Question = "what is " + q.Slot + "?"
	}
	if schema, has := clarify.Payload["schema"]; has {
		q.Schema, err = ledger.Encode(schema)
	}
	return q, err
}

// StatusAt returns the status at a moment: one that waits expires, whether or not that is on record.
func (q Question) StatusAt(now time.Time) QuestionStatus {
	if q.Status == QuestionWaits && !now.Before(q.Expires) {
		return QuestionExpired
	}
	return q.Status
}

// Question returns a question of the run as this step leaves it.
func (w *Writer) Question(id string) (Question, bool, error) {
	return read[Question](w.get, kindQuestion, w.Run, id)
}

// PutQuestion writes a question.
func (w *Writer) PutQuestion(q Question) error {
	q.Run = w.Run
	return w.put(q, kindQuestion, w.Run, q.ID)
}

// Ask writes a question that waits for so long, unless it was asked before.
func (w *Writer) Ask(q Question, within time.Duration) error {
	if _, asked, err := w.Question(q.ID); err != nil || asked {
		return err
	}
	q.Status, q.Asked, q.Expires = QuestionWaits, w.At, w.At.Add(within)
	return w.PutQuestion(q)
}

// Withdraw notes that nobody waits for the answer to a question any more, if it was asked and not answered.
func (w *Writer) Withdraw(id string) error {
	q, asked, err := w.Question(id)
	if err != nil || !asked || q.Status != QuestionWaits {
		return err
	}
	q.Status = QuestionWithdrawn
	return w.PutQuestion(q)
}

// Stored returns the request of the run, and the trace if it has ended before, as this step leaves them.
func (w *Writer) Stored() (r Request, trace jsontext.Value, err error) {
	r, _, err = read[Request](w.get, kindRequest, w.Run)
	if err == nil {
		trace, err = w.get(kindTrace, w.Run)
	}
	return r, trace.Clone(), err
}

// Reopened records that a run goes on which had ended for the time being.
func (w *Writer) Reopened(r Request) error {
	r.Ended = false
	err := w.open(func(ids []string) []string { return append(ids, r.ID) })
	if err != nil {
		return err
	}
	return w.put(r, kindRequest, r.ID)
}

// Questions returns the questions of a run, by their ids.
func (v View) Questions(run string) (all []Question, err error) {
	err = v.scan(key(kindQuestion, run), func(rest string, raw []byte) error {
		row, err := unpacked(v.from, raw)
		if err != nil {
			return err
		}
		q, _, err := decode[Question](rest, row)
		all = append(all, q)
		return err
	})
	return all, err
}
